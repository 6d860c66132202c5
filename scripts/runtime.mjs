// Make the browser's Python: Pyodide's own files unchanged, and one zip with the standard-library
// modules that the package uses plus the package, all compiled to .pyc. Shipping sources instead costs
// about 3.4 s of compiling at every start. Compiled by Pyodide itself, so the byte code always matches.
// A few modules that Pyodide imports and we never use are replaced (see runtime/stand_ins/README.md).
//
//   node scripts/runtime.mjs KNOWLEDGE_DIR OUT_DIR
//
// OUT_DIR/<hash>/ receives the runtime; OUT_DIR/runtime.json names the hash and the sizes. Same code gives
// the same bytes. KNOWLEDGE_DIR (see `python -m knowledge bundle`) is only weighed: the first answer needs
// the runtime, core.json and the text of one language, and all that has a limit.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 6_000_000; // bytes, gzip: runtime, core and the largest text
const UNCHANGED = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"];
const NOT_IN_BROWSER = /(^|\/)(cli|flags|\w+_command|memory_view|speed_view|__main__|accuracy)\.py$/;

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const pyodide = join(root, "node_modules", "pyodide");
const tools = join(root, "scripts", "runtime");
const packers = ["pack.py", "expand.py", "patterns.py", "finder.py"].map((name) => join(tools, name));
const standIns = join(tools, "stand_ins");
const [knowledge, out] = process.argv.slice(2).map((path) => resolve(path));
if (!knowledge || !out) fail("usage: node scripts/runtime.mjs KNOWLEDGE_DIR OUT_DIR", 2);
if (!existsSync(pyodide)) fail("node_modules/pyodide is missing; run: make install");

const note = join(out, "runtime.json");
const sources = list(join(root, "wizard")).filter((path) => path.endsWith(".py") && !NOT_IN_BROWSER.test(path));
const replaced = list(standIns).filter((path) => path.endsWith(".py"));
const key = stamp([...sources, ...replaced, ...packers, fileURLToPath(import.meta.url), join(pyodide, "package.json")]);
const made = kept() ?? (await make());
report(made);
process.exit(0); // Pyodide keeps timers alive

/** What an earlier run made from the same code, or null. */
function kept() {
  try {
    const before = JSON.parse(readFileSync(note, "utf8"));
    const whole = Object.entries(before.sizes).every(
      ([file, { raw }]) => readFileSync(join(out, before.hash, file)).length === raw,
    );
    return before.key === key && whole ? before : null;
  } catch {
    return null;
  }
}

async function make() {
  const zip = await packed();
  const lock = JSON.parse(readFileSync(join(pyodide, "pyodide-lock.json"), "utf8"));
  const files = {
    // no package is ever loaded, so the list of them is left out
    "pyodide-lock.json": JSON.stringify({ info: lock.info, packages: {} }),
    "python.zip.gz": gzipSync(zip, { level: 9 }),
    "LICENSE.txt":
      "pyodide.mjs, pyodide.asm.mjs, pyodide.asm.wasm: Pyodide, Mozilla Public License 2.0, unchanged, " +
      "from the npm package pyodide; source: https://github.com/pyodide/pyodide\n" +
      "python.zip.gz: modules of the Python standard library (PSF licence), of Pyodide (MPL 2.0) and of Which Engine " +
      "(Apache-2.0), compiled.\n",
  };
  const total = createHash("sha256");
  for (const name of UNCHANGED) total.update(readFileSync(join(pyodide, name)));
  const hash = total.update(zip).digest("hex").slice(0, 12);
  rmSync(out, { recursive: true, force: true });
  const target = join(out, hash);
  mkdirSync(target, { recursive: true });
  for (const name of UNCHANGED) copyFileSync(join(pyodide, name), join(target, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(target, name), content);
  const sizes = {};
  for (const name of [...UNCHANGED, "pyodide-lock.json", "python.zip.gz"]) sizes[name] = weigh(join(target, name));
  const result = { key, hash, sizes };
  writeFileSync(note, JSON.stringify(result, null, 1) + "\n");
  return result;
}

/** The zip: packed by Pyodide as it comes, then trimmed by one that was started with what was packed. */
async function packed() {
  const whole = await inPython(undefined, (pack) => pack.pack("/src", "/stand-ins", "/tools/finder.py"));
  const file = join(mkdtempSync(join(tmpdir(), "runtime-")), "python.zip");
  try {
    writeFileSync(file, whole);
    return await inPython(file, (pack) => pack.trim("/src"));
  } finally {
    rmSync(dirname(file), { recursive: true });
  }
}

/** Start Pyodide, run something of pack.py over our sources, return the zip it wrote. */
async function inPython(stdLibURL, run) {
  const { loadPyodide } = await import(join(pyodide, "pyodide.mjs"));
  try {
    // lines are enough to find a fault by; the columns beside them were a tenth of the archive
    const env = { HOME: "/home/pyodide", PYTHONNODEBUGRANGES: "1" };
    const python = await loadPyodide({ indexURL: pyodide + "/", stdLibURL, env });
    const put = (folder, base, paths) => {
      for (const path of paths) {
        const inside = join(folder, relative(base, path));
        python.FS.mkdirTree(dirname(inside));
        python.FS.writeFile(inside, new Uint8Array(readFileSync(path)));
      }
    };
    put("/src", root, sources);
    put("/stand-ins", standIns, replaced);
    put("/tools", tools, packers);
    python.runPython("import sys; sys.path.append('/tools')");
    run(python.pyimport("pack"));
    return python.FS.readFile("/python.zip");
  } catch (error) {
    fail(error.message); // Node would print the whole wasm loader with it
  }
}

function report({ hash, sizes }) {
  const rows = Object.entries(sizes).map(([name, { gzip }]) => [name, gzip]);
  const texts = [];
  for (const name of readdirSync(knowledge).filter((file) => /^(core|text\.\w+)\.json$/.test(file))) {
    const { gzip } = weigh(join(knowledge, name));
    (name === "core.json" ? rows : texts).push([name, gzip]);
  }
  if (texts.length) rows.push(texts.reduce((most, row) => (row[1] > most[1] ? row : most)));
  const total = rows.reduce((sum, [, gzip]) => sum + gzip, 0);
  for (const [name, gzip] of rows) console.log(`${name.padEnd(20)} ${gzip.toLocaleString("en").padStart(10)} bytes gzip`);
  console.log(`runtime ${hash}: ${(total / 1e6).toFixed(2)} MB gzip for a first answer`);
  if (total > LIMIT) fail(`that is more than ${LIMIT / 1e6} MB`);
}

function weigh(path) {
  const content = readFileSync(path);
  return { raw: content.length, gzip: path.endsWith(".gz") ? content.length : gzipSync(content, { level: 9 }).length };
}

function stamp(paths) {
  const total = createHash("sha256");
  for (const path of paths) total.update(relative(root, path)).update(readFileSync(path));
  return total.digest("hex").slice(0, 16);
}

function list(dir) {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.name !== "__pycache__")
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? list(join(dir, entry.name)) : [join(dir, entry.name)]));
}

function fail(message, status = 1) {
  console.error(message);
  process.exit(status);
}
