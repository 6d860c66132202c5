// Make the browser's Python: Pyodide's own files unchanged, and one zip with the standard-library
// modules that a decision uses plus our package, all compiled to .pyc. Shipping sources instead costs
// about 3.4 s of compiling at every start. Compiled by Pyodide itself, so the byte code always matches.
//
//   node scripts/runtime.mjs KNOWLEDGE_DIR OUT_DIR
//
// KNOWLEDGE_DIR holds core.json, text.*.json (see `python -m knowledge bundle`). OUT_DIR/<hash>/ receives
// the runtime; OUT_DIR/runtime.json names the hash and the sizes. Same inputs give the same bytes.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const pyodideDir = join(root, "node_modules", "pyodide");
const [knowledgeDir, outDir] = process.argv.slice(2).map((p) => resolve(p));
if (!knowledgeDir || !outDir) {
  console.error("usage: node scripts/runtime.mjs KNOWLEDGE_DIR OUT_DIR");
  process.exit(2);
}

const UNCHANGED = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"];
const sources = list(join(root, "wizard")).filter(
  (p) => p.endsWith(".py") && !/(^|\/)(cli|__main__|accuracy)\.py$/.test(p),
);
const stamp = createHash("sha256");
for (const path of [...sources, fileURLToPath(import.meta.url), join(pyodideDir, "package.json")]) {
  stamp.update(relative(root, path)).update(readFileSync(path));
}
const key = stamp.digest("hex").slice(0, 16);
const note = join(outDir, "runtime.json");
if (existsSync(note)) {
  const before = JSON.parse(readFileSync(note, "utf8"));
  if (before.key === key && existsSync(join(outDir, before.hash, "python.zip.gz"))) process.exit(0);
}

const { loadPyodide } = await import(join(pyodideDir, "pyodide.mjs"));
const py = await loadPyodide({ indexURL: pyodideDir + "/" });
py.FS.mkdirTree("/src");
for (const path of sources) {
  const inside = "/src/" + relative(root, path);
  py.FS.mkdirTree(dirname(inside));
  py.FS.writeFile(inside, new Uint8Array(readFileSync(path)));
}
py.globals.set("core_json", readFileSync(join(knowledgeDir, "core.json"), "utf8"));
py.globals.set("text_json", readFileSync(join(knowledgeDir, "text.en.json"), "utf8"));
py.globals.set("stdlib_path", "/lib/python314.zip");
try {
  py.runPython(readFileSync(join(root, "scripts", "runtime_pack.py"), "utf8"));
} catch (error) {
  console.error(error.message); // Node would print the whole wasm loader with it
  process.exit(1);
}
const zip = py.FS.readFile("/python.zip");

const hash = createHash("sha256");
for (const name of UNCHANGED) hash.update(readFileSync(join(pyodideDir, name)));
hash.update(zip);
const name = hash.digest("hex").slice(0, 12);
rmSync(outDir, { recursive: true, force: true });
const target = join(outDir, name);
mkdirSync(target, { recursive: true });
for (const file of UNCHANGED) copyFileSync(join(pyodideDir, file), join(target, file));
writeFileSync(join(target, "python.zip.gz"), gzipSync(zip, { level: 9 }));
writeFileSync(
  join(target, "LICENSE.txt"),
  "pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm: Pyodide, Mozilla Public License 2.0, unchanged, " +
    "from the npm package pyodide; source: https://github.com/pyodide/pyodide\n" +
    "python.zip.gz: modules of the Python standard library (PSF licence) and of Which Engine (Apache-2.0), " +
    "compiled.\n",
);
const sizes = Object.fromEntries(
  [...UNCHANGED, "python.zip.gz"].map((file) => {
    const bytes = readFileSync(join(target, file));
    return [file, { raw: bytes.length, gzip: file.endsWith(".gz") ? bytes.length : gzipSync(bytes, { level: 9 }).length }];
  }),
);
writeFileSync(note, JSON.stringify({ key, hash: name, sizes }, null, 1) + "\n");
const total = Object.values(sizes).reduce((sum, s) => sum + s.gzip, 0);
console.log(`runtime ${name}: ${(total / 1e6).toFixed(2)} MB gzip`);
process.exit(0); // Pyodide keeps timers alive

function list(dir) {
  return readdirSync(dir, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((e) => (e.isDirectory() ? (e.name === "__pycache__" ? [] : list(join(dir, e.name))) : [join(dir, e.name)]));
}
