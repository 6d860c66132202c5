// In the worker: files that were dropped, read no further than needed. Of a GGUF file only the header is taken,
// in growing pieces from its start, whatever the size of the file.

const PIECES = [1 << 20, 8 << 20, 32 << 20, 96 << 20]; // bytes of a header; vocabularies take most of it
const TEXT_MAX = 64 << 20;
const MAGIC = "GGUF";

/** Read them with the session; resolves with what `Session.use` returns, as text. */
export async function readFiles(files, session) {
  const texts = [];
  for (const file of files) {
    try {
      if ((await file.slice(0, 4).text()) === MAGIC) return await header(file, session);
      if (file.size > TEXT_MAX) return refused("large", file);
      texts.push({ name: file.name, text: await file.text() });
    } catch (error) {
      if (error.name === "PythonError") throw error;
      return refused("unreadable", file);
    }
  }
  return session.use("model", JSON.stringify({ files: texts }));
}

async function header(file, session) {
  for (const size of PIECES) {
    const whole = size >= file.size || size === PIECES.at(-1);
    const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
    const found = session.use("gguf", JSON.stringify({ name: file.name, whole }), bytes);
    if (whole || !found.startsWith('{"more"')) return found;
  }
  return refused("cut", file);
}

const refused = (id, { name }) => JSON.stringify({ problem: { id, params: { file: name, field: "" } }, index: null });
