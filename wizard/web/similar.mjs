// The look-up of the page: a row that was decided for a situation like the asked one, until Python answers.
// What no row stands for (mixed cards, settings, a model like none of the rows) shows nothing.

const LOOKED_AT = new Set(["devices", "model", "serving", "traffic.concurrency", "context.tokens", "context.input", "context.output"]);

/** The place of the look-up on the wizard page. */
export class Similar {
  constructor(root) {
    this.box = root.querySelector("[data-we-similar]");
    this.intro = root.querySelector("[data-we-intro]");
  }

  /** Show the row for flat form fields; whether there is one. */
  show(fields) {
    const found = this.box && this.find(fields);
    if (!this.box) return false;
    this.box.hidden = !found;
    if (!found) return false;
    this.intro?.setAttribute("hidden", "");
    this.fill(found);
    return true;
  }

  hide() {
    if (this.box) this.box.hidden = true;
  }

  find(fields) {
    if (Object.keys(fields).some((name) => !LOOKED_AT.has(name))) return null;
    const [, count = "1", name] = /^(?:(\d+)\*)?([\w.:-]+)$/.exec(fields.devices ?? "") ?? [];
    this.data ??= JSON.parse(this.box.querySelector("template").content.textContent);
    const { rows, devices, models, serving } = this.data;
    const device = devices[name];
    const model = fields.model ? models[fields.model] : 0;
    const people = fields.serving ? serving[fields.serving] : 0;
    const key = `${device}.${Number(count)}.${model}.${people}`;
    return Object.hasOwn(rows, key) ? { row: rows[key], device, count, model, people } : null;
  }

  fill({ row, device, count, model, people }) {
    const { engines, formats, names } = this.data;
    const [engine, format, used, of, decode, span] = row || [];
    const cards = Number(count) > 1 ? `${Number(count)} × ${names.devices[device]}` : names.devices[device];
    const what = [cards, names.models[model], names.serving[people]].filter(Boolean).join(", ");
    const put = (css, text) => (this.box.querySelector(css).textContent = text);
    const from = this.box.querySelector("[data-from]");
    from.textContent = from.dataset.from.replace("{what}", what);
    this.box.querySelector(".we-start").hidden = !row;
    put(".we-engine", row ? engines[engine] : this.box.querySelector(".we-engine").dataset.none);
    put(".we-spec", row ? formats[format] : "");
    const cells = this.box.querySelectorAll(".we-readouts .we-cell");
    for (const [cell, number, beside] of [[cells[0], used, of && `/ ${of}`], [cells[1], decode, span]]) {
      cell.hidden = !number;
      cell.querySelector(".we-big").textContent = number || "";
      cell.querySelector(".we-scale").textContent = beside || "";
    }
  }
}

/** Flat fields of an address "#v=1&devices=…", as they stand; Python reads them with more care. */
export function fieldsOf(hash) {
  const fields = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  delete fields.v;
  return fields;
}
