// The form: what the person said, what is assumed, and the problems beside their fields.
// Field names are the paths of the Situation; what a value means is decided in Python.

/** The form of the wizard, or the short one on the home page. */
export class Form {
  constructor(element, changed) {
    this.element = element;
    this.changed = changed;
    element.addEventListener("submit", (event) => event.preventDefault());
    element.addEventListener("input", (event) => this.touched(event.target));
    element.addEventListener("click", (event) => this.clicked(event));
  }

  /** Whether anything was answered. */
  said() {
    return Object.keys(this.fields()).length > 0;
  }

  /** Flat path -> text of every answer that the person gave. */
  fields() {
    const fields = {};
    for (const control of this.controls()) {
      if (control.dataset.assumed) continue;
      if (control.type === "checkbox") {
        if (control.checked) fields[control.name] = [fields[control.name], control.value].filter(Boolean).join(",");
      } else if (control.type === "radio") {
        if (control.checked && control.value) fields[control.name] = control.value;
      } else if (control.value.trim()) fields[control.name] = control.value.trim();
    }
    const devices = this.devices();
    if (devices) fields.devices = devices;
    return fields;
  }

  /** Put an answered situation into the form. */
  fill(fields) {
    this.fillDevices(fields.devices ?? "");
    for (const control of this.controls()) {
      delete control.dataset.assumed;
      const value = fields[control.name];
      if (control.type === "checkbox") control.checked = (value ?? "").split(",").includes(control.value);
      else if (control.type === "radio") control.checked = control.value === (value ?? "");
      else put(control, value ?? "");
    }
  }

  /** Show the defaults in the fields that nobody answered, marked as assumed. */
  assume(assumed, fields) {
    for (const control of this.controls()) {
      const label = control.closest("[data-field]");
      const open = !(control.name in fields);
      label?.classList.toggle("wf-assumed", open && control.name in assumed);
      if (!open || control.type === "checkbox" || !(control.name in assumed)) continue;
      if (control === document.activeElement && control.type !== "radio") continue;
      const value = assumed[control.name];
      if (control.type === "radio") control.checked = control.value === value;
      else put(control, value);
      control.dataset.assumed = "1";
    }
  }

  /** Sentences beside the fields they speak of; what has no field stands above the form. */
  problems(list) {
    for (const old of this.element.querySelectorAll(".wf-problem")) old.remove();
    for (const field of this.element.querySelectorAll("[data-field]")) {
      field.classList.remove("wf-wrong");
      field.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
    }
    const top = this.element.querySelector("[data-we-problems]");
    for (const problem of list) {
      const note = document.createElement("p");
      note.className = "wf-problem";
      note.textContent = problem.text;
      const field = this.fieldOf(problem.path);
      if (field) {
        field.classList.add("wf-wrong");
        field.querySelector("input, select")?.setAttribute("aria-invalid", "true");
        field.append(note);
      } else top?.append(note);
    }
  }

  fieldOf(path) {
    for (let name = path; name; name = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "") {
      const field = this.element.querySelector(`[data-field="${CSS.escape(name)}"]`);
      if (field) return field;
    }
    return null;
  }

  controls() {
    return [...this.element.querySelectorAll("[name]")].filter((c) => !c.closest("[data-device-row]") && c.name);
  }

  touched(control) {
    if (!control.name && !control.closest("[data-device-row]")) return;
    const group = control.type === "radio" ? this.element.querySelectorAll(`[name="${CSS.escape(control.name)}"]`) : [control];
    for (const one of group) delete one.dataset.assumed;
    control.closest("[data-field]")?.classList.remove("wf-assumed");
    this.changed();
  }

  clicked(event) {
    const button = event.target.closest("button[data-do]");
    if (!button) return;
    const row = button.closest("[data-device-row]");
    const count = row?.querySelector("[data-count]");
    if (button.dataset.do === "more" || button.dataset.do === "less") {
      const step = button.dataset.do === "more" ? 1 : -1;
      count.value = String(Math.max(1, (Number(count.value) || 1) + step));
    } else if (button.dataset.do === "add") {
      this.rows().at(-1).after(this.blankRow());
      this.rows().at(-1).querySelector("[data-device]").focus();
      return;
    } else if (button.dataset.do === "remove") {
      if (this.rows().length > 1) row.remove();
      else row.querySelector("[data-device]").value = "";
    }
    this.changed();
  }

  // ------------------------------------------------------------------ devices

  rows() {
    return [...this.element.querySelectorAll("[data-device-row]")];
  }

  devices() {
    const parts = [];
    for (const row of this.rows()) {
      const name = row.querySelector("[data-device]").value.trim();
      if (name) parts.push(`${row.querySelector("[data-count]").value.trim() || "1"}*${name}`);
    }
    return parts.join(",");
  }

  fillDevices(text) {
    const parts = text ? text.split(",") : [""];
    const rows = this.rows();
    while (rows.length > Math.max(1, parts.length)) rows.pop().remove();
    parts.forEach((part, index) => {
      let row = this.rows()[index];
      if (!row) {
        row = this.blankRow();
        this.rows().at(-1).after(row);
      }
      const [count, name] = part.includes("*") ? part.split(/\*(.*)/s) : ["1", part];
      row.querySelector("[data-count]").value = count;
      put(row.querySelector("[data-device]"), name);
    });
  }

  blankRow() {
    const row = this.rows()[0].cloneNode(true);
    row.querySelector("[data-count]").value = "1";
    row.querySelector("[data-device]").value = "";
    for (const note of row.querySelectorAll(".wf-problem")) note.remove();
    return row;
  }
}

// A select keeps a value it has no option for (an own device, a size) by getting one.
function put(control, value) {
  if (control.tagName === "SELECT" && value && ![...control.options].some((o) => o.value === value)) {
    const bare = value.replace(/:[0-9.]+$/, "");
    if ([...control.options].some((o) => o.value === bare)) value = bare;
    else control.add(new Option(value, value));
  }
  control.value = value;
}
