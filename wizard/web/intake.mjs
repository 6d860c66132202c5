// A dialog that fills the form from elsewhere: opened by a button of the form, its result shown before it is used.
// The words stand in the page; here only values are put into them, as text.

/** One dialog: `read(act, dialog)` is called for every button of its own and for what is dropped on it. */
export class Intake {
  constructor(element, { read, use }) {
    this.element = element;
    this.place = element.querySelector("[data-found]");
    this.words = new Map();
    for (const one of element.querySelector("[data-words]").content.querySelectorAll("[data-word]")) {
      this.words.set(one.dataset.word, one.textContent);
    }
    this.turn = 0; // of the reading that counts: a later one replaces what an earlier one shows
    element.addEventListener("click", (event) => {
      const act = event.target.closest("[data-act]")?.dataset.act;
      if (act === "close" || event.target === element) element.close();
      else if (act === "use") {
        element.close();
        use(this.chosen());
      } else if (act) this.run(() => read(act, this));
    });
  }

  open() {
    this.element.showModal();
  }

  /** A sentence of the page with values in the place of {names}. */
  say(word, values = {}) {
    return (this.words.get(word) ?? "").replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
  }

  /** Do something that ends in a list of nodes to show; what goes wrong is a sentence. */
  async run(work) {
    const mine = (this.turn += 1);
    this.show([], false);
    this.element.setAttribute("aria-busy", "true");
    let found = null;
    try {
      found = await work();
    } catch (error) {
      console.warn(`${error.code ?? "crash"}: ${error.message}`);
      found = { nodes: [this.line("problem-crash", {}, "wf-problem")], usable: false };
    }
    if (mine !== this.turn) return;
    this.element.removeAttribute("aria-busy");
    if (!found) return;
    this.show(found.nodes, found.usable);
    this.place.scrollIntoView({ block: "nearest" });
  }

  show(nodes, usable) {
    this.place.replaceChildren(...nodes);
    this.element.querySelector("[data-act=use]").hidden = !usable;
  }

  line(word, values, css = "") {
    return made("p", { className: css, textContent: this.say(word, values) });
  }

  /** A value that can be left out: ticked it goes into the form. fields: the form's own, by name. */
  row(label, value, fields, ticked = true) {
    const box = made("input", { type: "checkbox", checked: ticked });
    box.dataset.fields = JSON.stringify(fields);
    const row = made("label", { className: "wf-row" });
    row.append(box, made("span", { textContent: label }), made("b", { textContent: value }));
    return row;
  }

  chosen() {
    const ticked = [...this.place.querySelectorAll("input[data-fields]:checked")];
    return Object.assign({}, ...ticked.map((box) => JSON.parse(box.dataset.fields)));
  }
}

/** An element with properties set; no text is ever read as markup. */
export function made(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}

/** Numbers as the page's language writes them. */
export function number(lang, value, digits = 1) {
  return new Intl.NumberFormat(lang, { maximumFractionDigits: digits }).format(value);
}
