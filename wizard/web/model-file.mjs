// Files of a model, or a config.json that was pasted or is asked from the one host that the button names.

import * as engine from "./engine.mjs";
import { Intake, number } from "./intake.mjs";

const NAME = /^[\w.-]{1,96}\/[\w.-]{1,96}$/;
const HUB_MAX = 8_000_000; // characters of a config.json
const LINK_MAX = 8000; // characters that every program sends on unchanged

/** The dialog of a wizard's page; use(fields) puts fields into the form. */
export function modelFiles(element, _form, lang, use) {
  const input = element.querySelector("input[type=file]");
  const dialog = new Intake(element, { use, read: (act, here) => (act === "fetch" ? hub(here) : pasted(here)) });
  const files = (list) => list.length && dialog.run(() => read(list));
  input.addEventListener("change", () => files([...input.files]));
  element.addEventListener("dragover", (event) => event.preventDefault());
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    files([...event.dataTransfer.files]);
  });

  async function read(list) {
    dialog.show([dialog.line("model-reading")], false);
    return shown(await engine.use("files", list), dialog, lang);
  }

  async function pasted(here) {
    const text = element.querySelector("textarea").value;
    const found = await engine.use("model", { files: [{ name: "config.json", text }] });
    return shown(found, here, lang);
  }

  // The only request of the wizard to another host, on the click of a button that names it.
  async function hub(here) {
    const { host } = element.querySelector("[data-act=fetch]").dataset;
    const refuse = (id) => ({ nodes: [here.line(`problem-${id}`, { host }, "wf-problem")], usable: false });
    const name = element.querySelector("input[type=text]").value.trim();
    if (!NAME.test(name) || name.includes("..")) return refuse("hub-name");
    let reply = null;
    let text = "";
    try {
      const how = { credentials: "omit", referrerPolicy: "no-referrer", signal: AbortSignal.timeout(20_000) };
      reply = await fetch(`https://${host}/${name}/resolve/main/config.json`, how);
      text = await reply.text();
    } catch {
      return refuse("hub-network");
    }
    if (reply.status === 401 || reply.status === 403) return refuse("hub-closed");
    if (!reply.ok || text.length > HUB_MAX) return refuse("hub-none");
    return shown(await engine.use("model", { name, files: [{ name: "config.json", text }] }), here, lang);
  }

  return dialog;
}

function shown(found, dialog, lang) {
  const nodes = [];
  if (found.problem) nodes.push(dialog.line(`problem-${found.problem.id}`, found.problem.params, "wf-problem"));
  else {
    const label = found.known ? dialog.say("model-known", { name: found.known }) : dialog.say("model-own", found);
    const billions = (value) => number(lang, value / 1e9, 2);
    const size = { total: billions(found.params), active: billions(found.active), layers: found.layers };
    const { format, ...model } = found.fields;
    nodes.push(dialog.row(label, "", model), dialog.line("model-size", size, "wf-note"));
    if (found.format) nodes.push(format ? dialog.row(dialog.say("model-format", found), "", { format }) : formatLine());
    if (found.kv) nodes.push(dialog.line("model-kv", { type: found.kv }, "wf-note"));
    for (const { id, params } of found.said) {
      nodes.push(dialog.line("model-said", { what: dialog.say(id, params) }, "wf-note"));
    }
    const word = found.link > LINK_MAX ? "model-long" : "model-link";
    if (!found.known) nodes.push(dialog.line(word, { n: number(lang, found.link, 0) }, "wf-note"));
  }
  const { index } = found;
  if (index?.bytes) {
    const values = { gib: number(lang, index.bytes / 2 ** 30), n: index.files };
    nodes.push(dialog.line("model-index", values, "wf-note"));
  }
  return { nodes, usable: !found.problem };

  function formatLine() {
    return dialog.line("model-format", found, "wf-note");
  }
}
