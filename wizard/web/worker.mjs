// The worker: starts Python once, answers the newest request, explores in slices. Text in, text out.
//
// Every failure has a code, which the page turns into a sentence: csp, no-wasm, network, timeout, crash.

const WASM_HEAD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const PATIENCE_MS = 60_000;
const FETCH_TRIES = 3;

let session = null; // wizard.browser.Session
let exploring = 0; // id of the answer that what-if belongs to; 0 = none
let files = null;
const languages = new Set();

const coded = (code, detail) => Object.assign(new Error(String(detail ?? code)), { code });

self.onmessage = async ({ data: message }) => {
  try {
    await handlers[message.type](message);
  } catch (error) {
    self.postMessage({ type: "error", code: error.code ?? "crash", detail: String(error.message ?? error), id: message.id });
  }
};

const handlers = {
  async start({ runtime, data, lang, today }) {
    files = { runtime, data };
    const [core, text] = [pull(data + "core.json"), pull(data + `text.${lang}.json`)];
    core.catch(() => {});
    text.catch(() => {});
    const python = await startPython(runtime);
    const browser = python.pyimport("wizard.browser");
    session = browser.Session(await core, today);
    session.add_texts(lang, await text);
    languages.add(lang);
    self.postMessage({ type: "ready" });
    // the rows of "nearest measurements" are not needed for the first answer
    session.add_measurements(await pull(data + "measurements.json"));
    self.postMessage({ type: "complete" });
  },

  async answer({ id, request }) {
    exploring = 0;
    if (!languages.has(request.lang)) {
      session.add_texts(request.lang, await pull(files.data + `text.${request.lang}.json`));
      languages.add(request.lang);
    }
    const result = session.answer(JSON.stringify(request));
    self.postMessage({ type: "answer", id, result });
    exploring = id;
    setTimeout(explore, 0, id, JSON.stringify(request));
  },

  async export({ id, kind, lang }) {
    self.postMessage({ type: "export", id, text: session.export(kind, lang) });
  },
};

// One slice at a time, so that a newer answer is never kept waiting.
function explore(id, request) {
  if (id !== exploring) return;
  const result = session.explore(request);
  if (result.startsWith('{"done": false')) {
    setTimeout(explore, 0, id, request);
  } else if (result.length > 20) {
    self.postMessage({ type: "explored", id, result });
  }
}

async function startPython(runtime) {
  if (typeof WebAssembly !== "object") throw coded("no-wasm");
  try {
    new WebAssembly.Module(WASM_HEAD);
  } catch (error) {
    throw coded("csp", error);
  }
  const wasmURL = runtime + "pyodide.asm.wasm";
  let fail;
  const failed = new Promise((_, reject) => (fail = reject));
  failed.catch(() => {});
  guardStreaming(wasmURL, (error) => fail(error));
  const library = unpacked(runtime + "python.zip.gz");
  library.catch(() => {});
  let loadPyodide;
  try {
    ({ loadPyodide } = await import(runtime + "pyodide.mjs"));
  } catch (error) {
    throw coded("network", error);
  }
  const stdLibURL = await library;
  const timeout = new Promise((_, reject) => setTimeout(() => reject(coded("timeout")), PATIENCE_MS));
  const python = await Promise.race([
    loadPyodide({
      indexURL: runtime,
      stdLibURL,
      lockFileContents: '{"info":{"abi_version":"2026_0","arch":"wasm32","platform":"emscripten","python":"3.14.2","version":"314.0.7"},"packages":{}}',
      stdout: () => {},
      stderr: () => {},
    }).catch((error) => {
      throw coded("crash", error?.message ?? error);
    }),
    failed,
    timeout,
  ]);
  URL.revokeObjectURL(stdLibURL);
  return python;
}

// Pyodide never settles when the wasm arrives cut or with a wrong type; watch that one fetch for it.
function guardStreaming(wasmURL, fail) {
  const real = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (source, imports) => {
    let last;
    for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
      try {
        const response = turn === 0 ? await source : await fetch(wasmURL, { cache: "reload" });
        if (!response.ok) throw coded("network", response.status);
        if (!/^application\/wasm/.test(response.headers.get("content-type") ?? "")) {
          return await WebAssembly.instantiate(await response.arrayBuffer(), imports);
        }
        // the plain response keeps the compiled-code cache of the browser; never wrap it
        return await real.call(WebAssembly, response, imports);
      } catch (error) {
        last = error;
      }
    }
    fail(coded("network", last));
    throw last;
  };
}

async function pull(url) {
  const response = await again(url);
  return response.text();
}

async function again(url) {
  let last;
  for (let turn = 0; turn < FETCH_TRIES; turn += 1) {
    try {
      const response = await fetch(url, turn ? { cache: "reload" } : {});
      if (response.ok) return response;
      last = response.status;
    } catch (error) {
      last = error;
    }
  }
  throw coded("network", last);
}

// The zip travels as .gz, since hosts do not compress .zip; bytes are counted for the progress bar.
async function unpacked(url) {
  const response = await again(url);
  const total = Number(response.headers.get("content-length")) || 0;
  let done = 0;
  const counted = response.body.pipeThrough(
    new TransformStream({
      transform(chunk, control) {
        done += chunk.byteLength;
        if (total) self.postMessage({ type: "progress", done, total });
        control.enqueue(chunk);
      },
    }),
  );
  try {
    // a server that sets Content-Encoding for .gz has the browser unpack it already
    const first = response.headers.get("content-encoding") === "gzip";
    const plain = first ? counted : counted.pipeThrough(new DecompressionStream("gzip"));
    return URL.createObjectURL(await new Response(plain).blob());
  } catch (error) {
    throw coded("network", error);
  }
}
