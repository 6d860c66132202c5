// Outputs of system tools, read into the hardware part of the form.

import * as engine from "./engine.mjs";
import { Intake, made, number } from "./intake.mjs";
import { offered } from "./lists.mjs";

const LABELS = { "host.os": "os", "host.arch": "arch", "host.ram_gib": "ram", "host.cpu": "cpu", "links.within": "within" };

/** The dialog of a wizard's page; use(fields) puts fields into the form. */
export function pasting(element, form, lang, use) {
  return new Intake(element, {
    use,
    read: async (act, dialog) => {
      const text = element.querySelector("textarea").value;
      if (!text.trim()) return { nodes: [dialog.line("nothing", {}, "wf-problem")], usable: false };
      return shown(await engine.use("hardware", text), dialog, form, lang);
    },
  });
}

function shown(found, dialog, form, lang) {
  const { fields } = found;
  const size = (gib) => dialog.say("size", { gib: number(lang, gib) });
  const nodes = [];
  const any = Object.keys(fields).length > 0;
  if (!any) nodes.push(dialog.line("nothing", {}, "wf-problem"));
  else nodes.push(dialog.line("found", {}, "wf-label"));
  if (fields.devices) {
    const names = found.shown.map(([count, name, gib]) => `${count} × ${name}${gib ? ` · ${size(gib)}` : ""}`);
    nodes.push(dialog.row(dialog.say("devices"), names.join(", "), { devices: fields.devices }));
  }
  for (const [path, label] of Object.entries(LABELS)) {
    if (!fields[path]) continue;
    const value = path === "host.ram_gib" ? size(Number(fields[path])) : named(form, path, fields[path]);
    nodes.push(dialog.row(dialog.say(label), value, { [path]: fields[path] }));
  }
  if (found.free && fields["host.free_vram_gib"]) {
    const { gib, used_gib: used } = found.free;
    const path = "host.free_vram_gib";
    nodes.push(dialog.row(dialog.say("free"), size(gib), { [path]: fields[path] }));
    if (used >= 1) nodes.push(dialog.line("in-use", { gib: number(lang, used) }, "wf-note"));
  }
  for (const { count, generation, width } of found.pcie) {
    const values = { generation: generation ?? "?", width: width ? `x${width}` : "?", n: count };
    nodes.push(dialog.line("pcie", values, "wf-note"));
  }
  for (const { id, params } of found.notes) nodes.push(dialog.line(`note-${id}`, local(params, lang), "wf-note"));
  nodes.push(...unread(found, dialog));
  return { nodes, usable: any };
}

function unread({ unread: lines, more }, dialog) {
  if (!lines.length) return [];
  const list = made("ul", { className: "wf-unread" });
  for (const { line, text } of lines) {
    const item = made("li", { textContent: `${dialog.say("line", { n: line })}: ` });
    item.append(made("code", { textContent: text }));
    list.append(item);
  }
  if (more) list.append(made("li", { textContent: dialog.say("more", { n: more }) }));
  return [dialog.line("unread", {}, "wf-label"), list];
}

// What a list of the form calls a value.
function named(form, path, value) {
  const control = form.element.querySelector(`select[name="${CSS.escape(path)}"]`);
  const option = control && offered(control).find((one) => one.value === value);
  if (option) return option.dataset.name ?? option.textContent;
  const radio = form.element.querySelector(`input[name="${CSS.escape(path)}"][value="${CSS.escape(value)}"]`);
  return radio?.nextElementSibling?.textContent ?? value;
}

function local(params, lang) {
  const entries = Object.entries(params);
  return Object.fromEntries(entries.map(([k, v]) => [k, typeof v === "number" ? number(lang, v) : v]));
}
