// The form: what the person said, what is assumed, and the problems beside their fields.
// Field names are the paths of the Situation; what a value means is decided in Python.

import { complete, lend } from "./lists.mjs";

const OWN = "#"; // the choice of a model by its size, which has fields of its own
const OWN_DEVICE = "custom("; // how hardware described by its numbers begins
const DECIMAL = /^\d+\.\d{1,2}$/; // with three digits a comma would make thousands of it

/** The form of the wizard, or the short one on the home page. */
export class Form {
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    this.beyond = {}; // answers from an address that have no field here; they are kept
    element.addEventListener("submit", (event) => event.preventDefault());
    element.addEventListener("input", (event) => this.touched(event.target));
    element.addEventListener("click", (event) => this.clicked(event));
    const turned = (target) => target.tagName === "SELECT" && complete(target);
    for (const kind of ["pointerover", "pointerdown", "focusin"]) {
      element.addEventListener(kind, ({ target }) => turned(target));
    }
    // somebody may have been quicker than this module
    if (element.contains(document.activeElement)) turned(document.activeElement);
  }

  /** Whether anything was answered. */
  said() {
    return Object.keys(this.fields()).length > 0;
  }

  /** Flat path -> text of every answer that the person gave. */
  fields() {
    const fields = { ...this.beyond };
    for (const control of this.controls()) {
      if (control.dataset.assumed) continue;
      const value = control.value.trim();
      if (control.type === "checkbox") {
        if (control.checked) fields[control.name] = [fields[control.name], value].filter(Boolean).join(",");
      } else if (value && value !== OWN && (control.type !== "radio" || control.checked)) fields[control.name] = value;
    }
    const devices = this.devices();
    if (devices) fields.devices = devices;
    return fields;
  }

  /** Put an answered situation into the form. labels: names for values that a list does not have. */
  fill(fields, labels = {}) {
    this.fillDevices(fields.devices ?? "", labels.devices ?? []);
    const names = new Set(["devices"]);
    const whole = {}; // a map that an address spells key by key is one choice of a list
    for (const control of this.controls()) {
      const { name } = control;
      names.add(name);
      delete control.dataset.assumed;
      const value = fields[name] ?? "";
      if (control.type === "checkbox") control.checked = value.split(",").includes(control.value);
      else if (control.type === "radio") control.checked = control.value === value;
      else {
        const spelled = Object.keys(fields).some((key) => key.startsWith(`${name}.`));
        if (spelled && !value) whole[name] = true;
        put(control, value, labels[name]);
      }
    }
    this.beyond = Object.fromEntries(Object.entries(fields).filter(([key]) => !names.has(key)));
    for (const name of Object.keys(whole)) this.spelled(name, labels[name]);
    this.sizes();
    this.notes();
  }

  // What an address spells: a model by its size, which has fields here, or a map that is shown by its name until
  // another choice is made.
  spelled(name, label) {
    const control = this.element.querySelector(`select[name="${CSS.escape(name)}"]`);
    if (!control) return;
    if (this.controls().some((one) => one.value && one.name.startsWith(`${name}.`))) {
      control.value = OWN;
      return;
    }
    control.querySelector("[data-own]")?.remove();
    const own = new Option(label ?? name, "");
    own.dataset.own = "1";
    control.add(own);
    control.selectedIndex = control.options.length - 1;
  }

  /**
   * Show the defaults in the fields that nobody answered, marked as assumed.
   * filled: nobody is typing, the form was just filled in.
   */
  assume(assumed, fields, filled = false) {
    for (const control of this.controls()) {
      const { name } = control;
      const kept = control.hasAttribute("aria-invalid") && control.value; // what was typed stays, to be put right
      const open = !(name in fields) && name in assumed && control.type !== "checkbox" && !kept;
      control.closest("[data-field]")?.classList.toggle("wf-assumed", open);
      if (!open) continue;
      const typing = control === document.activeElement && control.type !== "radio" && control !== this.forgot;
      if (!filled && typing) continue;
      if (control.type === "radio") control.checked = control.value === assumed[name];
      else put(control, assumed[name]);
      if (!control.dataset.assumed) control.dataset.assumed = "1";
    }
    this.forgot = null;
    this.notes();
  }

  /**
   * Sentences beside the fields they speak of; what has no field stands above the form.
   * fill: put what could not be read into its field, as an address brought it.
   */
  problems(list, fill = false) {
    this.found = list; // once more for fields that come later
    for (const old of this.element.querySelectorAll(".wf-problem")) old.remove();
    for (const control of this.element.querySelectorAll("[aria-invalid]")) {
      control.removeAttribute("aria-invalid");
      describe(control, control.dataset.described);
    }
    const top = this.element.querySelector("[data-we-problems]");
    list.forEach((problem, index) => {
      const note = document.createElement("p");
      note.className = "wf-problem";
      note.id = `wf-problem-${index}`;
      note.textContent = problem.text;
      const field = this.fieldOf(problem.path);
      if (!field) {
        top?.append(note);
        return;
      }
      field.append(note);
      const control = this.controlOf(field, problem.path);
      if (!control) return;
      control.setAttribute("aria-invalid", "true");
      control.dataset.described ??= control.getAttribute("aria-describedby") ?? "";
      describe(control, `${control.dataset.described} ${note.id}`);
      if (fill && control.type === "text" && typeof problem.value !== "object") control.value = problem.value;
    });
  }

  fieldOf(path) {
    for (let name = path; name; name = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "") {
      const field = this.element.querySelector(`[data-field="${CSS.escape(name)}"]`);
      if (field) return field;
    }
    return null;
  }

  // "devices.1.count" is the number in the second row
  controlOf(field, path) {
    const [, index, part, own] = path.match(/^devices\.(\d+)\.?(\w*)\.?(\w*)/) ?? [];
    const row = index && this.rows().filter((r) => r.querySelector("[data-device]").value)[Number(index)];
    const number = row && own && row.querySelector(`[data-part="${own}"]`);
    if (row) return number || row.querySelector(part === "count" ? "[data-count]" : "[data-device]");
    return field.querySelector("select, input:not([data-count], [data-we-find])");
  }

  controls() {
    return [...this.element.querySelectorAll("[name]")];
  }

  touched(control) {
    if (control.matches("[data-we-find]") || (!control.name && !control.closest("[data-device-row]"))) return;
    for (const one of this.element.querySelectorAll(`[name="${CSS.escape(control.name)}"]`)) delete one.dataset.assumed;
    control.closest("[data-field]")?.classList.remove("wf-assumed");
    const own = control.querySelector("option[data-own]");
    if (own && !own.selected) own.remove();
    const fields = control.matches("[data-device]") && this.numbers(control.closest("[data-device-row]"));
    if (control.matches("select[name=model]")) this.sizes();
    for (const key of Object.keys(this.beyond)) if (key.startsWith(`${control.name}.`)) delete this.beyond[key];
    this.notes();
    // what there is to say about fields is put beside them, so they have to be there
    if (fields) fields.then(() => this.changed(control));
    else this.changed(control);
  }

  // The fields of a model by its size are there while that is chosen.
  sizes() {
    const box = this.element.querySelector("[data-own-model]");
    if (!box) return;
    box.hidden = this.element.querySelector("select[name=model]").value !== OWN;
    if (box.hidden) for (const input of box.querySelectorAll("input")) input.value = "";
  }

  // The same for hardware by its numbers; they come with the first choice of it and tell their text as row.own().
  // Resolves when they are there.
  numbers(row) {
    if (row.querySelector("[data-device]").value.startsWith(OWN_DEVICE)) {
      return import("./own.mjs").then(({ show }) => show(this.element, row), () => {});
    }
    if (row.own) {
      row.querySelector("[data-own]").remove();
      delete row.own;
    }
  }

  // "I do not know": the default counts again.
  forget(field) {
    for (const control of field.querySelectorAll("[name]")) {
      if (control.type === "radio") control.checked = false;
      else control.value = "";
      delete control.dataset.assumed;
    }
    this.forgot = field.querySelector("[name]"); // nobody types there: it shows the default at once
    this.forgot.focus({ preventScroll: true });
  }

  clicked(event) {
    const button = event.target.closest("button[data-do]");
    if (!button) return;
    const row = button.closest("[data-device-row]");
    const count = row?.querySelector("[data-count]");
    const { do: what } = button.dataset;
    if (what === "unknown") this.forget(button.closest("[data-field]"));
    else if (what === "more" || what === "less") {
      count.value = String(Math.max(1, (Number(count.value) || 1) + (what === "more" ? 1 : -1)));
    } else if (what === "add") {
      this.rows().at(-1).after(this.blankRow());
      this.rows().at(-1).querySelector("[data-device]").focus();
      return;
    } else if (what === "remove") {
      if (this.rows().length > 1) row.remove();
      else {
        row.querySelector("[data-device]").value = "";
        this.numbers(row);
      }
      this.rows()[0].querySelector("[data-device]").focus();
    }
    this.changed(button);
  }

  // What there is to say about a chosen option stands below its list.
  notes() {
    for (const control of this.element.querySelectorAll("select[name]")) {
      const place = control.closest("[data-field]")?.querySelector(".wf-note");
      if (!place) continue;
      const note = control.options[control.selectedIndex]?.dataset.note ?? "";
      if (place.textContent !== note) place.textContent = note; // a field that is written to is laid out again
      if (place.hidden !== !note) place.hidden = !note;
    }
  }

  // ------------------------------------------------------------------ devices

  rows() {
    return [...this.element.querySelectorAll("[data-device-row]")];
  }

  devices() {
    const parts = [];
    for (const row of this.rows()) {
      const name = row.own?.() ?? row.querySelector("[data-device]").value.trim();
      const count = row.querySelector("[data-count]").value.replace(/[,*]/g, " ").trim();
      if (name) parts.push(`${count || "1"}*${name}`);
    }
    return parts.join(",");
  }

  fillDevices(text, labels) {
    const parts = text ? text.split(",") : [""];
    const rows = this.rows();
    while (rows.length > parts.length) rows.pop().remove();
    parts.forEach((part, index) => {
      let row = this.rows()[index];
      if (!row) {
        row = this.blankRow();
        this.rows().at(-1).after(row);
      }
      const [, count, name] = part.match(/^(?:([^*]*)\*)?(.*)$/s);
      row.querySelector("[data-count]").value = count ?? "1";
      put(row.querySelector("[data-device]"), name, labels[index]);
      this.numbers(row)?.then(() => this.problems(this.found ?? []));
    });
  }

  blankRow() {
    const first = this.rows()[0];
    const row = first.cloneNode(true);
    row.querySelector("[data-own]")?.remove();
    const list = row.querySelector("[data-device]");
    row.querySelector("[data-count]").value = "1";
    list.value = "";
    if (list.id) list.setAttribute("aria-labelledby", `${list.id}-label`);
    list.removeAttribute("id");
    return row;
  }
}

// A list gets a choice for a value that it has not got: an own device, a type of a format.
function put(control, value, label) {
  if (control.tagName === "SELECT") {
    lend(control, value);
    const numbers = [...control.options].find((option) => option.value.startsWith(OWN_DEVICE));
    if (numbers && value.startsWith(OWN_DEVICE)) {
      numbers.value = value;
      if (label) numbers.textContent = label;
    }
    if (control.value === value && !control.options[control.selectedIndex]?.dataset.own) return;
    control.querySelector("[data-own]")?.remove();
    if (value && ![...control.options].some((option) => option.value === value)) {
      const own = new Option(label ?? value, value);
      own.dataset.own = "1";
      control.add(own);
    }
  }
  const shown = control.type === "text" && DECIMAL.test(value) && lang() !== "en" ? value.replace(".", ",") : value;
  if (control.value !== shown) control.value = shown;
}

const lang = () => document.documentElement.lang;

function describe(control, ids) {
  if (ids) control.setAttribute("aria-describedby", ids.trim());
  else control.removeAttribute("aria-describedby");
}
