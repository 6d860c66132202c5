// Runs situations through the very files the site ships, under Node: node run.mjs RUNTIME KNOWLEDGE CASES OUT
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";

const [runtime, knowledge, cases, out] = process.argv.slice(2).map((p) => resolve(p));
const { loadPyodide } = await import(join(runtime, "pyodide.mjs"));
const zip = join(mkdtempSync(join(tmpdir(), "parity-")), "python.zip");
writeFileSync(zip, gunzipSync(readFileSync(join(runtime, "python.zip.gz"))));
const py = await loadPyodide({
  indexURL: runtime + "/",
  stdLibURL: zip,
});
const file = (name) => py.toPy(new Uint8Array(readFileSync(join(knowledge, `${name}.json`)))); // as the worker does
const browser = py.pyimport("wizard.browser");
const session = browser.Session(file("core"), "2026-11-30");
for (const lang of ["en", "vi", "ru"]) session.add_texts(lang, file(`text.${lang}`));
session.add_measurements(file("measurements"));
const answers = JSON.parse(readFileSync(cases, "utf8")).map(({ kind, data }) => {
  if (kind === "decide") return browser.decide_json(data, session.kb, "2026-11-30");
  const answer = session.answer(data);
  if (kind === "answer") return answer;
  let last = "";
  while (!last.startsWith('{"done": true')) last = session.explore(data);
  return session.export("json", "en");
});
writeFileSync(out, JSON.stringify(answers));
process.exit(0);
