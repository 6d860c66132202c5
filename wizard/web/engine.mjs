// The page's end of the worker: started once, kept across pages, newest request wins.

const WORKER_URL = new URL("worker.mjs", import.meta.url);
const ANSWER_PATIENCE_MS = 10_000;

let worker = null;
let ready = null;
let counter = 0;
let restarts = 0;
let options = null;
const waiting = new Map(); // id -> {resolve, reject, timer}
const listeners = { progress: new Set(), explored: new Set(), complete: new Set() };

/** Start Python if it is not there yet; resolves when it can answer. */
export function start(chosen) {
  options ??= chosen;
  ready ??= launch();
  return ready;
}

/** Forget a failed start, so that the next `start` tries again. */
export function reset() {
  worker?.terminate();
  worker = null;
  ready = null;
}

/** Ask; resolves with the parsed answer, or null when a newer question was asked meanwhile. */
export async function answer(request) {
  const id = ++counter;
  await ready;
  if (id !== counter) return null;
  const result = await call({ type: "answer", id, request }, ANSWER_PATIENCE_MS);
  return id === counter ? { id, ...JSON.parse(result) } : null;
}

/** The answer on the screen as "json" or "markdown". */
export async function exported(kind, lang) {
  await ready;
  return call({ type: "export", id: ++counter, kind, lang }, ANSWER_PATIENCE_MS);
}

/** Be told of "progress" (done, total), "explored" (what-if is complete) and "complete". */
export function on(kind, listener) {
  listeners[kind].add(listener);
  return () => listeners[kind].delete(listener);
}

function launch() {
  if (typeof WebAssembly !== "object") return Promise.reject(coded("no-wasm"));
  if (!moduleWorkers()) return Promise.reject(coded("worker"));
  return new Promise((resolve, reject) => {
    worker = new Worker(WORKER_URL, { type: "module" });
    worker.onerror = (event) => {
      event.preventDefault?.();
      settleAll(coded("worker", event.message));
      reject(coded("worker", event.message));
    };
    worker.onmessage = ({ data: message }) => {
      if (message.type === "ready") resolve();
      else if (message.type === "error" && !message.id) reject(coded(message.code, message.detail));
      else receive(message);
    };
    worker.postMessage({ type: "start", ...options });
  });
}

function receive(message) {
  if (message.type in listeners) {
    for (const listener of listeners[message.type]) listener(message);
    return;
  }
  const entry = waiting.get(message.id);
  if (!entry) return;
  clearTimeout(entry.timer);
  waiting.delete(message.id);
  if (message.type === "error") entry.reject(coded(message.code, message.detail));
  else entry.resolve(message.result ?? message.text);
}

function call(message, patience) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(message.id);
      // a worker that does not answer is replaced once; Python itself answers in milliseconds
      if (restarts++ === 0) reset();
      reject(coded("timeout"));
    }, patience);
    waiting.set(message.id, { resolve, reject, timer });
    worker.postMessage(message);
  });
}

function settleAll(error) {
  for (const entry of waiting.values()) {
    clearTimeout(entry.timer);
    entry.reject(error);
  }
  waiting.clear();
}

function moduleWorkers() {
  let seen = false;
  try {
    const probe = {
      get type() {
        seen = true;
        return "module";
      },
    };
    new Worker("data:text/javascript,", probe).terminate();
  } catch {
    // the address is refused in some browsers, the option was read all the same
  }
  return seen;
}

const coded = (code, detail) => Object.assign(new Error(String(detail ?? code)), { code });
