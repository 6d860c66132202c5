// The page's end of the worker: started once, kept across pages, newest request wins.

const WORKER_URL = new URL("worker.mjs", import.meta.url);
const ANSWER_PATIENCE_MS = 10_000;

let worker = null;
let there = false; // whether it can
let ready = null; // promise of a worker that can answer
let options = null; // what the worker needs to know: {runtime, data, lang}
let counter = 0;
let pending = null; // the one question that waits: {id, request, resolve, reject}
let asking = false;
const uses = new Map(); // id -> {resolve, reject} of what is read besides
let used = 0;
let call = null; // the one question that the worker has: {id, resolve, reject, timer}
const listeners = { progress: new Set(), explored: new Set(), complete: new Set(), ready: new Set() };

/** What a worker needs to know; a question may come before anybody starts it. See `start`. */
export function know(element) {
  const { runtime, data, lang } = element.dataset;
  options = { runtime, data, lang };
}

/**
 * Start Python if it is not there yet; resolves when it can answer, rejects with an error that has a code.
 * element: carries the folders of runtime and knowledge, from here, and the language.
 */
export function start(element) {
  if (element) know(element);
  ready ??= launch();
  return ready;
}

/** Whether an answer would come at once. */
export const isReady = () => there;

/** Stop what is there, so that the next `start` begins anew. */
export function reset() {
  worker?.terminate();
  worker = null;
  ready = null;
  there = false;
  settle("reject", coded("crash"));
  for (const id of uses.keys()) finish(id, "reject", coded("crash"));
}

/** Ask; resolves with the parsed answer and its id, or with null when a newer question was asked meanwhile. */
export function answer(request) {
  pending?.resolve(null);
  return new Promise((resolve, reject) => {
    pending = { id: ++counter, request, resolve, reject };
    ask();
  });
}

/** Have something read that is no question: what was pasted, files; resolves with the parsed result. */
export async function use(tool, payload) {
  await start();
  const id = `use-${(used += 1)}`;
  return new Promise((resolve, reject) => {
    uses.set(id, { resolve: (result) => resolve(JSON.parse(result)), reject });
    worker.postMessage({ type: "use", id, tool, payload });
  });
}

/**
 * Be told of "ready", "progress" (done, total), "explored" (the rest of an answer, see `explore` of
 * wizard/browser.py), "complete" (all knowledge is there).
 */
export function on(kind, listener) {
  listeners[kind].add(listener);
}

async function ask() {
  if (asking) return;
  asking = true;
  while (pending) {
    let now = null;
    try {
      await start();
      now = pending;
      pending = null;
      const result = await send(now);
      now.resolve(now.id === counter ? { id: now.id, ...JSON.parse(result) } : null);
    } catch (error) {
      now ??= pending;
      if (pending === now) pending = null;
      now?.reject(error);
    }
  }
  asking = false;
}

function send({ id, request }) {
  return new Promise((resolve, reject) => {
    // a worker that does not answer is of no use any more; Python itself answers in milliseconds
    const timer = setTimeout(() => {
      settle("reject", coded("timeout"));
      reset();
    }, ANSWER_PATIENCE_MS);
    call = { id, resolve, reject, timer };
    worker.postMessage({ type: "answer", id, request });
  });
}

function settle(how, value) {
  if (!call) return;
  clearTimeout(call.timer);
  const { [how]: finish } = call;
  call = null;
  finish(value);
}

function finish(id, how, value) {
  const { [how]: settleOne } = uses.get(id);
  uses.delete(id);
  settleOne(value);
}

function launch() {
  if (typeof WebAssembly !== "object") return Promise.reject(coded("no-wasm"));
  const early = taken();
  return new Promise((resolve, reject) => {
    try {
      worker = early?.worker ?? created();
    } catch (error) {
      reject(coded("worker", error));
      return;
    }
    const mine = worker;
    const lost = (error) => {
      if (mine !== worker) return;
      settle("reject", error);
      reject(error);
    };
    worker.onerror = async (event) => {
      event.preventDefault();
      lost(await cause(event));
    };
    worker.onmessage = ({ data: message }) => {
      if (message.type === "ready") {
        there = true;
        resolve();
      }
      if (message.type === "used") finish(message.id, "resolve", message.result);
      else if (message.type === "error" && uses.has(message.id)) {
        finish(message.id, "reject", coded(message.code, message.detail));
      } else if (message.type === "answer" && message.id === call?.id) settle("resolve", message.result);
      else if (message.type === "error" && message.id) settle("reject", coded(message.code, message.detail));
      else if (message.type === "error") lost(coded(message.code, message.detail));
      else for (const listener of listeners[message.type] ?? []) listener(message);
    };
    if (!early) worker.postMessage({ type: "start", ...options });
    for (const event of early?.events ?? []) worker[`on${event.type}`](event);
  });
}

/** The worker that early.js started, once. */
function taken() {
  const early = window.whichEngine;
  window.whichEngine = {}; // from now on early.js leaves starting to this module
  if (!early?.worker) return null;
  if (early.asModule) return early;
  early.worker.terminate();
  return null;
}

function created() {
  let asModule = false; // a browser without module workers never reads the option
  const how = {
    get type() {
      asModule = true;
      return "module";
    },
  };
  const made = new Worker(WORKER_URL, how);
  if (asModule) return made;
  made.terminate();
  throw new Error("no module workers");
}

// The event of a worker that could not start says nothing: a file that is missing, or a browser that refuses.
async function cause(event) {
  if (event.message) return coded("crash", event.message);
  const reply = await fetch(WORKER_URL, { method: "HEAD" }).catch(() => null);
  return coded(reply?.ok ? "worker" : "network");
}

const coded = (code, detail) => Object.assign(new Error(String(detail ?? code)), { code });
