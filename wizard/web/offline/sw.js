// The service worker at the root of the site: home, wizard and the pages a reader has seen work without a network.
// Files named by their content come from the cache, everything else from the network as long as there is one, so
// nobody stays with an old page. The build puts `lists` before this text: the version, and what it is made of.

"use strict";
/* global lists -- {version, shell: [names], languages: {language: [names]}, python: [names]} from the root */

const ROOT = new URL("./", self.location).href;
const OWN = `which-engine ${new URL(ROOT).pathname} `; // other projects of the same host have caches too
const FILES = `${OWN}files ${lists.version}`;
const PAGES = `${OWN}pages`;
const NAMED_BY_CONTENT = /[./-][0-9a-f]{8,}[./]/;
const PATIENCE_MS = 3000; // a page that was seen before is shown when the network takes longer
const MOST_PAGES = 300;

const always = Object.values(lists.languages).flat();
const fixed = new Set([...lists.shell, ...always, ...lists.python].filter((name) => !isPage(name)));

function isPage(name) {
  return name.endsWith("/") || name.endsWith(".html");
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => event.waitUntil(asked(event)));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const name = nameOf(request.url);
  if (request.method !== "GET" || name === null || name === "sw.js") return;
  if (leftToBrowser(request, name)) return;
  const lasting = NAMED_BY_CONTENT.test(name) || fixed.has(name);
  event.respondWith(lasting ? kept(event, name) : fresh(event, name));
});

/**
 * The browser keeps the machine code of a module beside its own copy of the file, and makes it anew for a copy that
 * comes from here: a second or two of every visit. Without a network, and when asked again, it still comes from here.
 */
function leftToBrowser(request, name) {
  return name.endsWith(".wasm") && request.cache === "default" && navigator.onLine;
}

/** What every page needs, and the languages that an earlier version kept, are there before this one takes over. */
async function install() {
  await keep(lists.shell);
  const pages = await caches.open(PAGES);
  for (const [lang, names] of Object.entries(lists.languages)) {
    if (await pages.match(`${ROOT}${lang}/`)) await keep(names);
  }
  await self.skipWaiting();
}

/** Pages that are still open may ask for files of the version before; older ones go. */
async function activate() {
  const older = (await own()).filter((name) => name.startsWith(`${OWN}files `) && name !== FILES);
  for (const name of older.slice(0, -1)) await caches.delete(name);
  await self.registration.navigationPreload?.enable();
  await self.clients.claim();
}

/** A page says in which language it is read, and whether Python may be kept too. */
async function asked({ data, source }) {
  const names = Object.hasOwn(lists.languages, data?.lang) ? lists.languages[data.lang] : [];
  try {
    await keep(names);
    if (data?.python) await keep(lists.python);
    source?.postMessage({ kept: lists.version });
  } catch {
    // the network went away; the next visit asks again
  }
}

async function keep(names) {
  const files = await caches.open(FILES);
  const pages = await caches.open(PAGES);
  await Promise.all(
    names.map(async (name) => {
      const url = ROOT + name;
      const byContent = NAMED_BY_CONTENT.test(name);
      if ((byContent || !isPage(name)) && (await files.match(url))) return;
      const reply = (byContent && (await moved(url))) || (await fetch(url, { cache: byContent ? "default" : "no-cache" }));
      if (!reply.ok) throw new Error(`${reply.status} ${url}`);
      await (isPage(name) ? pages : files).put(url, reply);
    }),
  );
}

// What did not change between two versions is not loaded again.
async function moved(url) {
  for (const name of await own()) {
    if (name === FILES || name === PAGES) continue;
    const cache = await caches.open(name);
    const reply = await cache.match(url);
    if (!reply) continue;
    await cache.delete(url);
    return reply;
  }
  return null;
}

async function kept({ request }, name) {
  const again = request.cache === "reload" || request.cache === "no-store"; // what was kept may be damaged
  const found = again ? null : await find(ROOT + name);
  if (found) return found;
  try {
    const reply = await fetch(request);
    if (usable(reply)) await put(FILES, name, reply.clone());
    return reply;
  } catch (error) {
    const old = again && (await find(ROOT + name));
    if (old) return old;
    throw error;
  }
}

async function fresh(event, name) {
  const { request } = event;
  const old = find(ROOT + name);
  const coming = load(event, name);
  event.waitUntil(coming.catch(() => {}));
  try {
    const reply = await Promise.race([coming, old.then((found) => (found ? after(PATIENCE_MS, found) : coming))]);
    return reply.status >= 500 ? ((await old) ?? reply) : reply;
  } catch (error) {
    const found = await old;
    if (found) return found;
    if (request.mode !== "navigate") throw error;
    // a language that was never read has nothing here; any that was says it too
    for (const lang of [name.split("/")[0], ...Object.keys(lists.languages)]) {
      const away = `${ROOT}${lang}/offline.html`;
      if (await find(away)) return Response.redirect(away);
    }
    throw error;
  }
}

async function load(event, name) {
  const reply = (await event.preloadResponse) ?? (await fetch(event.request));
  if (usable(reply)) await put(PAGES, name, reply.clone());
  return reply;
}

const usable = (reply) => reply.status === 200 && reply.type === "basic" && !reply.redirected;
const after = (time, value) => new Promise((resolve) => setTimeout(resolve, time, value));

// No room left, or a private window: then nothing is kept, and the page is shown all the same.
async function put(where, name, reply) {
  try {
    const cache = await caches.open(where);
    await cache.put(ROOT + name, reply);
    if (where !== PAGES) return;
    const keys = await cache.keys();
    const loose = keys.filter(({ url }) => !always.includes(nameOf(url)));
    await Promise.all(loose.slice(0, -MOST_PAGES).map((key) => cache.delete(key)));
  } catch {
    // see above
  }
}

async function find(url) {
  const names = await own();
  for (const name of [FILES, PAGES, ...names.filter((n) => n !== FILES && n !== PAGES)]) {
    const reply = names.includes(name) && (await caches.match(url, { cacheName: name, ignoreVary: true }));
    if (reply) return reply;
  }
  return undefined;
}

async function own() {
  return (await caches.keys()).filter((name) => name.startsWith(OWN));
}

/** The part of an address below the root, without query and fragment; null for another site. */
function nameOf(url) {
  return url.startsWith(ROOT) ? url.slice(ROOT.length).split(/[?#]/)[0] : null;
}
