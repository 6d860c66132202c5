// The wizard on the page: form in, sections out. No decision and no sentence lives here.

import * as engine from "./engine.mjs";
import { Form } from "./form.mjs";
import { Result } from "./result.mjs";

let mounted = null;

// Material replaces the content on instant navigation; the worker outlives it.
const pages = window.document$;
if (pages) pages.subscribe(mount);
else mount();

window.addEventListener("hashchange", () => mounted?.address());

function mount() {
  keepStateOnLanguageSwitch();
  const root = document.querySelector("[data-we-wizard]");
  if (!root) {
    mounted = null;
    warmOnIntent();
    return;
  }
  if (root.dataset.mounted) return;
  root.dataset.mounted = "1";
  mounted = new Wizard(root);
}

class Wizard {
  constructor(root) {
    this.root = root;
    this.form = new Form(root.querySelector("form"), () => this.ask());
    this.result = new Result(root, (href) => this.follow(href));
    this.options = settings(root);
    root.querySelector("[data-we-retry]")?.addEventListener("click", () => this.retry());
    engine.on("progress", ({ done, total }) => this.result.progress(done, total));
    engine.on("explored", ({ id, result }) => this.explored(id, JSON.parse(result)));
    engine.on("complete", () => this.shown && this.ask());
    this.shown = null;
    this.begin();
  }

  begin() {
    this.result.loading(true);
    const begun = engine.start(this.options);
    begun.then(
      () => this.result.loading(false),
      (error) => this.result.failed(error.code),
    );
    if (location.hash.startsWith("#v=")) this.address();
    else if (this.form.said()) this.ask();
  }

  retry() {
    engine.reset();
    this.result.failed(null);
    this.begin();
  }

  /** Answer what stands in the form. */
  ask() {
    return this.send({ fields: this.form.fields() });
  }

  /** Answer what stands in the address. */
  address() {
    if (location.hash.startsWith("#v=") && location.hash !== this.last) return this.send({ address: location.hash }, true);
  }

  /** A link inside the answer that changes the situation. */
  follow(href) {
    history.pushState(null, "", href);
    return this.send({ address: href }, true);
  }

  async send(question, fill = false) {
    const request = { ...question, lang: this.options.lang, base: this.root.dataset.base };
    let answer;
    try {
      answer = await engine.answer(request);
    } catch (error) {
      this.result.failed(error.code);
      return;
    }
    if (!answer || !this.root.isConnected) return;
    this.shown = answer.id;
    if (fill) this.form.fill(answer.fields);
    this.form.assume(answer.assumed, answer.fields);
    this.form.problems(answer.problems);
    this.result.show(answer);
    this.last = answer.fragment;
    if (location.hash !== answer.fragment) history.replaceState(history.state, "", answer.fragment);
  }

  explored(id, answer) {
    if (id === this.shown && this.root.isConnected) this.result.show(answer, true);
  }
}

function settings(root) {
  const here = new URL(".", import.meta.url);
  return {
    runtime: new URL(root.dataset.runtime, here).href,
    data: new URL(root.dataset.data, here).href,
    lang: root.dataset.lang,
    today: new Date().toISOString().slice(0, 10),
  };
}

// Elsewhere Python starts on the first sign that someone is about to use the wizard.
function warmOnIntent() {
  const form = document.querySelector("[data-we-short]");
  if (!form || form.dataset.mounted) return;
  form.dataset.mounted = "1";
  const warm = () => engine.start(settings(form)).catch(() => {});
  form.addEventListener("pointerenter", warm, { once: true });
  form.addEventListener("focusin", warm, { once: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = new Form(form, () => {}).fields();
    const pairs = Object.entries(fields).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    const target = new URL(form.getAttribute("action"), document.baseURI);
    target.hash = `v=1&${pairs.join("&")}`;
    location.assign(target);
  });
}

// The state lives in the fragment; the links to the other languages take it along.
function keepStateOnLanguageSwitch() {
  if (keepStateOnLanguageSwitch.done) return;
  keepStateOnLanguageSwitch.done = true;
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.("a[hreflang]");
      if (!link || !location.hash.startsWith("#v=") || !mounted) return;
      const target = new URL(link.href);
      target.hash = location.hash;
      event.preventDefault();
      event.stopImmediatePropagation();
      location.assign(target);
    },
    true,
  );
}
