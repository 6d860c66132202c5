// The ways out of an answer: links that remember it, Markdown and JSON, print, another answer beside it, and the
// situations that were looked at in this browser. Nothing of it leaves the browser.

import { copy } from "./copy.mjs";
import * as engine from "./engine.mjs";
import { made } from "./intake.mjs";

const RECENT = "which-engine.recent"; // localStorage: [{fragment, lines}], newest first
const KEPT = "which-engine.kept"; // sessionStorage: the fragment of the kept answer, also after a change of language
const MOST = 8;
const LOOKED_AT_MS = 4000; // a situation that stays this long was looked at
const FRAGMENT = /^#v=\d[^\s<>"]{0,16000}$/;

/** Stands beside the wizard of a page and follows its answers. */
export class Keep {
  constructor(wizard, opened) {
    this.wizard = wizard;
    this.root = wizard.root;
    this.answer = null;
    this.kept = fromAddress(opened) ?? stored(sessionStorage, KEPT, "");
    if (!FRAGMENT.test(this.kept)) this.kept = "";
    this.root.addEventListener("click", (event) => this.clicked(event));
    this.print = () => this.printed();
    window.addEventListener("beforeprint", this.print);
    this.list();
  }

  /** Every answer, also the completion of one. */
  answered(answer) {
    if (!this.wizard.here()) {
      window.removeEventListener("beforeprint", this.print);
      return;
    }
    this.answer = answer;
    this.part("ways").hidden = false;
    const note = this.part("before");
    note.textContent = answer.before;
    note.hidden = !answer.before;
    this.compare();
    clearTimeout(this.timer);
    if (!answer.problems.length) this.timer = setTimeout(() => this.remember(answer), LOOKED_AT_MS);
  }

  /** The answer is gone before it counted as looked at. */
  left() {
    clearTimeout(this.timer);
  }

  part(name) {
    return this.root.querySelector(`[data-we-${name}]`);
  }

  /** The address with what it answers now, and with the answer that is kept beside it. */
  link() {
    const { origin, pathname } = location;
    const other = this.kept ? `&vs=${encodeURIComponent(this.kept)}` : "";
    return this.answer ? `${origin}${pathname}${this.answer.fragment}${this.answer.stamp}${other}` : location.href;
  }

  async clicked(event) {
    const button = event.target.closest("[data-way]");
    const { way } = button?.dataset ?? {};
    if (way === "link") copy(button, this.link());
    else if (way === "markdown-copy") copy(button, await this.exported("markdown"));
    else if (way === "markdown-file") this.save("which-engine.md", "text/markdown", await this.exported("markdown"));
    else if (way === "json-file") this.save("which-engine.json", "application/json", await this.exported("json"));
    else if (way === "print") window.print();
    else if (way === "keep") this.keep(this.answer.fragment);
    else if (way === "drop") this.keep("");
    else if (way === "forget") this.forget(button);
  }

  exported(kind) {
    return engine.use("export", { kind, lang: this.root.dataset.lang });
  }

  save(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    made("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  // ------------------------------------------------------------------ side by side

  keep(fragment) {
    this.kept = fragment;
    store(sessionStorage, KEPT, fragment);
    this.compare();
    const place = this.part("pair");
    if (fragment) place.querySelector("[data-way]").focus({ preventScroll: true });
    else this.root.querySelector("[data-way=keep]").focus({ preventScroll: true });
  }

  async compare() {
    const place = this.part("pair");
    const { kept, answer } = this;
    place.hidden = !kept || !answer;
    if (place.hidden) return;
    const same = kept === answer.fragment;
    place.querySelector(".wf-hint").hidden = !same;
    const table = place.querySelector("div");
    if (same) {
      table.replaceChildren();
      return;
    }
    const { lang, base } = this.root.dataset;
    const html = await engine.use("pair", { address: kept, lang, base }).catch(() => "");
    if (kept !== this.kept || answer.fragment !== this.answer.fragment) return;
    table.innerHTML = html; // of the same renderer as the answer, every value escaped there
  }

  // ------------------------------------------------------------------ recent situations

  remember({ fragment, summary }) {
    if (!this.wizard.here()) return;
    const rest = this.recent().filter((one) => one.fragment !== fragment);
    store(localStorage, RECENT, [{ fragment, lines: summary }, ...rest].slice(0, MOST));
    this.list();
  }

  recent() {
    const found = stored(localStorage, RECENT, []);
    const fine = (one) => FRAGMENT.test(one?.fragment) && Array.isArray(one.lines);
    return Array.isArray(found) ? found.filter(fine) : [];
  }

  list() {
    const place = this.part("recent");
    if (!place) return;
    const items = this.recent().map(({ fragment, lines }) => {
      const link = made("a", { href: fragment, textContent: lines.map(String).join(" / ").slice(0, 200) });
      link.dataset.wePreset = fragment;
      const item = made("li", {});
      item.append(link);
      return item;
    });
    place.querySelector("ul").replaceChildren(...items);
    place.hidden = !items.length;
  }

  forget(button) {
    clearTimeout(this.timer);
    store(localStorage, RECENT, null);
    this.part("live").textContent = button.dataset.forgotten;
    this.root.querySelector("form").querySelector("select, input, button").focus({ preventScroll: true });
    this.list();
  }

  // ------------------------------------------------------------------ paper

  printed() {
    const line = this.part("printed");
    line.textContent = line.dataset.wePrinted.replace("{link}", this.link());
  }
}

// A link may bring the answer to compare with.
function fromAddress(hash) {
  const [, other] = hash.match(/&vs=([^&]*)/) ?? [];
  try {
    return other ? decodeURIComponent(other) : null;
  } catch {
    return null;
  }
}

// A browser may refuse to store anything; then nothing is remembered.
function stored(storage, key, otherwise) {
  try {
    return JSON.parse(storage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function store(storage, key, value) {
  try {
    if (value === null || value === "") storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {
    // full, or not allowed
  }
}
