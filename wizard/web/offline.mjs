// Lets the service worker keep the site for times without a network. It comes last: after the page, and after
// Python where that is wanted now.

import * as engine from "./engine.mjs";

const LATER_MS = 6000;
const ROOT = new URL("../../", import.meta.url);

/** Register the service worker once the page has nothing better to do, and tell it what this reader needs. */
export function keepForLater() {
  if (!navigator.serviceWorker || !window.isSecureContext) return;
  const start = () => idle().then(register).catch(() => {}); // without it the site works all the same
  if (document.readyState === "complete") start();
  else window.addEventListener("load", start, { once: true });
}

async function register() {
  const { serviceWorker } = navigator;
  // a newer version may take over while the page is open; it is told too
  if (serviceWorker.controller) serviceWorker.addEventListener("controllerchange", () => tell(serviceWorker.controller));
  await serviceWorker.register(new URL("sw.js", ROOT), { scope: ROOT, updateViaCache: "none" });
  const { active } = await serviceWorker.ready;
  await Promise.race([new Promise((resolve) => engine.on("ready", resolve)), wait(LATER_MS)]);
  await idle();
  tell(active);
}

function tell(worker) {
  worker?.postMessage({ lang: document.documentElement.lang, python: !navigator.connection?.saveData });
}

const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));

function idle() {
  return new Promise((resolve) => {
    if (window.requestIdleCallback) requestIdleCallback(resolve, { timeout: LATER_MS });
    else setTimeout(resolve, LATER_MS / 3);
  });
}
