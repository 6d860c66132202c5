// The worker: starts Python once, answers the newest request with its head, brings the rest and explores in
// slices. Text in, text out.
//
// Every failure has a code, which the page turns into a sentence: csp, no-wasm, network, timeout, crash.

const WASM_HEAD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const PATIENCE_MS = 60_000;
const FETCH_TRIES = 3;
const REST_AFTER_MS = 3000;
const TELL_EVERY_MS = 100;

const { instantiateStreaming, Module } = self.WebAssembly ?? {};
const real = { fetch: self.fetch, instantiateStreaming, Module };
const languages = new Set();
const reports = new Set(); // languages whose report checker is there
const bytes = new Map(); // url -> {done, total}, for the progress bar
const slices = new MessageChannel(); // a timer would wait 4 ms between slices

let session = null; // wizard.browser.Session
let toPython = null; // of Pyodide
let started = null; // promise of the session
let folder = ""; // of the knowledge
let rest = null; // what is loaded after the first answer
let told = 0; // when the page last heard of bytes
let exploring = null; // {id, request}: the answer that what-if belongs to

const coded = (code, detail) => Object.assign(new Error(String(detail ?? code)), { code });
const tell = (type, message = {}) => self.postMessage({ type, ...message });

self.onmessage = async ({ data: message }) => {
  try {
    await handlers[message.type](message);
  } catch (error) {
    tell("error", { code: error.code ?? "crash", detail: String(error.message ?? error), id: message.id });
  }
};

const handlers = {
  async start(message) {
    started = begin(message);
    await started;
    tell("ready");
    rest = setTimeout(loadRest, REST_AFTER_MS);
  },

  async answer({ id, request }) {
    exploring = null;
    await started;
    await useLanguage(request.lang);
    const text = JSON.stringify(request);
    tell("answer", { id, result: session.answer(text) });
    if (rest) {
      clearTimeout(rest);
      loadRest();
    }
    if (request.brief) return;
    exploring = { id, request: text };
    slices.port2.postMessage(id);
  },

  // what was pasted or dropped; the code for files is loaded with the first of them, the words for reports too
  async use({ id, tool, payload }) {
    await started;
    if (tool === "report") await useReports(payload.lang);
    const read = async () => (await import("./files.mjs")).readFiles(payload, session);
    tell("used", { id, result: tool === "files" ? await read() : session.use(tool, JSON.stringify(payload)) });
  },
};

async function begin({ runtime, data, lang }) {
  if (typeof WebAssembly !== "object") throw coded("no-wasm");
  try {
    new WebAssembly.Module(WASM_HEAD);
  } catch (error) {
    throw coded("csp", error);
  }
  folder = new URL(data, import.meta.url).href;
  // all at once; whichever fails first is what is told
  const [python, core, text] = await inTime(
    Promise.all([
      startPython(new URL(runtime, import.meta.url).href),
      pull(folder + "core.json"),
      pull(`${folder}text.${lang}.json`),
    ]),
  );
  toPython = python.toPy;
  python.pyimport("gc").disable(); // nothing of what comes in now is garbage; Session turns it on again
  session = given(core, (json) => python.pyimport("wizard.browser").Session(json, today()));
  given(text, (json) => session.add_texts(lang, json));
  languages.add(lang);
}

async function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(coded("timeout")), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function today() {
  const now = new Date();
  const two = (n) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

async function useLanguage(lang) {
  if (languages.has(lang)) return;
  given(await pull(`${folder}text.${lang}.json`), (json) => session.add_texts(lang, json));
  languages.add(lang);
}

async function useReports(lang) {
  await useLanguage(lang);
  if (reports.has(lang)) return;
  given(await pull(`${folder}report.${lang}.json`), (json) => session.add_report(lang, json));
  reports.add(lang);
}

// The rows of "nearest measurements"; an answer without them is an answer.
async function loadRest() {
  rest = null;
  try {
    given(await pull(folder + "measurements.json"), (json) => session.add_measurements(json));
    tell("complete");
  } catch {
    // asked for again with the next start
  }
}

// One slice at a time, so that a newer answer is never kept waiting.
slices.port1.onmessage = ({ data: id }) => {
  if (exploring?.id !== id) return;
  try {
    const result = session.explore(exploring.request);
    if (/"(sections|choices)": /.test(result.slice(0, 200))) tell("explored", { id, result });
    if (result.startsWith('{"done": false')) slices.port2.postMessage(id);
  } catch (error) {
    tell("error", { code: "crash", detail: String(error.message ?? error), id });
  }
};

// ---------------------------------------------------------------------- Python

async function startPython(runtime) {
  const wasm = runtime + "pyodide.asm.wasm";
  const library = runtime + "python_stdlib.zip"; // the name Pyodide asks for; it travels as python.zip.gz
  const unpacked = unpack(runtime + "python.zip.gz");
  const compiled = compile(wasm);
  compiled.catch(() => {}); // told through `failed`
  unpacked.catch(() => {});
  let fail;
  const failed = new Promise((_, reject) => (fail = reject));
  // Pyodide asks for these two late and one after the other, and never settles when one of them fails.
  self.fetch = (url, init) => {
    if (String(url) === library) return unpacked;
    if (String(url) === wasm) return Promise.resolve(new Response());
    return real.fetch.call(self, url, init);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    const module = await compiled;
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  };
  WebAssembly.Module = once(real.Module);
  compiled.catch(fail);
  unpacked.catch(fail);
  try {
    const loading = Promise.all([imported(runtime + "pyodide.mjs"), imported(runtime + "pyodide.asm.mjs")]).then(
      ([{ loadPyodide }]) => loadPyodide({ indexURL: runtime, stdout: () => {}, stderr: () => {} }),
    );
    return await Promise.race([loading, failed]);
  } finally {
    self.fetch = real.fetch;
    WebAssembly.instantiateStreaming = real.instantiateStreaming;
    WebAssembly.Module = real.Module;
  }
}

// While it links, Python's runtime wraps some 260 functions, each in a module of a few bytes; those of one signature
// are alike, so that a dozen compilations do.
function once(Module) {
  const known = new Map(); // bytes as text -> module
  return new Proxy(Module, {
    construct(_, [source]) {
      const key = source.length < 100 && String(source);
      if (!key) return new Module(source);
      if (!known.has(key)) known.set(key, new Module(source));
      return known.get(key);
    },
  });
}

async function imported(url) {
  try {
    return await import(url);
  } catch (error) {
    throw coded("network", error);
  }
}

// The plain response goes to the compiler, so that the browser can keep the compiled code with it.
async function compile(url) {
  let last;
  for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
    try {
      const response = await get(url, turn);
      if (!/^application\/wasm/.test(response.headers.get("content-type") ?? "")) {
        return await WebAssembly.compile(await response.arrayBuffer());
      }
      const module = await WebAssembly.compileStreaming(response);
      arrived(url);
      return module;
    } catch (error) {
      last = error;
    }
  }
  throw coded("network", last);
}

// The zip travels as .gz, since hosts do not compress .zip; a cut one is asked for again.
async function unpack(url) {
  let last;
  for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
    try {
      const body = (await get(url, turn)).body.pipeThrough(counter(url));
      const packed = await new Response(body).arrayBuffer();
      // a server that sets Content-Encoding for .gz has the browser unpack it already
      const [first, second] = new Uint8Array(packed);
      if (first !== 0x1f || second !== 0x8b) return new Response(packed);
      const zip = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      return new Response(await new Response(zip).arrayBuffer());
    } catch (error) {
      last = error;
    }
  }
  throw coded("network", last);
}

/** Bytes of a file; Python decodes them in a fraction of the time that handing a string over takes. */
async function pull(url) {
  let last;
  for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
    try {
      return new Uint8Array(await (await get(url, turn)).arrayBuffer());
    } catch (error) {
      last = error;
    }
  }
  throw coded("network", last);
}

function given(bytes, use) {
  const buffer = toPython(bytes);
  try {
    return use(buffer);
  } finally {
    buffer.destroy();
  }
}

async function get(url, turn) {
  const response = await real.fetch.call(self, url, turn ? { cache: "reload" } : {});
  if (!response.ok) throw new Error(`${response.status} ${url}`);
  bytes.set(url, { done: 0, total: Number(response.headers.get("content-length")) || 0 });
  return response;
}

function counter(url) {
  return new TransformStream({
    transform(chunk, control) {
      arrived(url, chunk.byteLength);
      control.enqueue(chunk);
    },
  });
}

function arrived(url, more) {
  const part = bytes.get(url);
  part.done = more === undefined ? part.total : Math.min(part.total, part.done + more);
  if (performance.now() < told + TELL_EVERY_MS) return; // every message is work for a page that is busy enough
  told = performance.now();
  const sum = (key) => [...bytes.values()].reduce((all, one) => all + one[key], 0);
  tell("progress", { done: sum("done"), total: sum("total") });
}
