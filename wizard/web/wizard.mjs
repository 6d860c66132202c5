// The wizard page: what is asked, what is answered, and the address that holds it.

import { copy } from "./copy.mjs";
import * as engine from "./engine.mjs";
import { Form } from "./form.mjs";
import { Result, reveal } from "./result.mjs";
import { Similar, fieldsOf } from "./similar.mjs";
import { Steps } from "./steps.mjs";

const NARROW = matchMedia("(max-width: 59.9375em)");

const INTAKES = {
  hardware: async () => (await import("./paste.mjs")).pasting,
  model: async () => (await import("./model-file.mjs")).modelFiles,
};

const AFTER_PAINT_MS = 30;

/** How an address begins that holds a situation. */
export const STATE = "#v=";

/** The form and the result on one page. The page may be gone before an answer comes. */
export class Wizard {
  constructor(root) {
    this.root = root;
    this.form = new Form(root.querySelector("form"), (control) => {
      this.steps.changed(control);
      this.ask();
    });
    this.similar = new Similar(root);
    this.steps = new Steps(this.form.element);
    this.result = new Result(root, (href) => this.follow(href));
    this.question = null; // what was asked last
    this.shown = null; // id of the answer on the page
    this.last = ""; // fragment of the answer on the page
    this.path = location.pathname;
    this.step = false; // whether the next address is a new entry of the history
    this.opening = ""; // the address that the page was opened with, until its answer is there
    root.addEventListener("click", (event) => this.clicked(event));
    // ways out of an answer; an answer without them is an answer
    this.keep = null;
    const opened = location.hash;
    import("./keep.mjs").then(
      ({ Keep }) => {
        this.keep = new Keep(this, opened);
        if (this.answer) this.keep.answered(this.answer);
      },
      () => {},
    );
    import("./find.mjs").then(
      ({ Finder }) => new Finder(this.form),
      () => root.classList.add("wf-lists"), // they are there without it
    );
    this.begin();
  }

  begin() {
    const { runtime } = this.root.dataset;
    if (!runtime) return; // built without the browser's Python
    engine.know(this.root);
    this.result.failed(null);
    const late = setTimeout(() => this.result.loading(true), 150); // a worker that is there answers sooner
    const start = () =>
      engine
        .start(this.root)
        .catch((error) => this.failed(error))
        .finally(() => {
          clearTimeout(late);
          this.result.loading(false);
        });
    if (this.question) start().then(() => this.send(this.question, "address" in this.question));
    else if (location.hash.startsWith(STATE)) {
      start();
      this.address();
    } else if (this.form.said()) {
      start();
      this.ask();
    } else idle(start); // nobody asked yet: the page comes first
  }

  failed(error) {
    if (!this.here()) return;
    console.warn(`${error.code}: ${error.message}`); // for whoever looks; the reader gets a sentence
    this.result.failed(error.code);
  }

  here() {
    return this.root.isConnected;
  }

  /** Answer what stands in the form. */
  ask() {
    const fields = this.form.fields();
    // the form is still empty while the first answer to an address is on its way: what is said now comes on top
    if (this.opening) return this.send({ address: this.opening, fields }, true);
    return this.send({ fields });
  }

  /** Answer what stands in the address, and show it in the form. */
  address() {
    clearTimeout(this.keeping); // the address is newer than the answer that is shown
    this.steps.reset();
    if (!this.last) {
      this.opening = location.hash;
      this.root.classList.toggle("wf-folded", NARROW.matches); // the answer comes first, also of a recipe
    }
    return this.send({ address: location.hash }, true);
  }

  /** The address changed: by hand, by history, or to a place within the page, which must not lose the situation. */
  moved() {
    if (location.hash.startsWith(STATE)) {
      if (location.hash !== this.last) this.address();
    } else if (!location.hash) this.empty();
    else if (this.last) history.replaceState(history.state, "", this.last);
  }

  /** A link that changes the situation: a step in the history, so that "back" undoes it. */
  follow(href) {
    history.pushState(null, "", href);
    return this.address();
  }

  /** Put fields from elsewhere into the form: a step in the history, so that "back" undoes it. */
  take(fields) {
    this.steps.begin();
    return this.send({ fields: { ...this.form.fields(), ...fields } }, true);
  }

  /** Open the dialog that reads outputs of tools, or files of a model; its code comes with the first opening. */
  async intake(group) {
    this.intakes ??= {};
    try {
      this.intakes[group] ??= (await INTAKES[group]())(
        this.root.querySelector(`[data-we-dialog="${group}"]`),
        this.form,
        this.root.dataset.lang,
        (fields) => this.take(fields),
      );
    } catch (error) {
      this.failed(Object.assign(error, { code: "network" }));
      return;
    }
    this.intakes[group].open();
  }

  /** Back at the beginning, before anything was answered. */
  empty() {
    clearTimeout(this.keeping);
    this.steps.reset();
    this.question = this.shown = null;
    this.last = this.opening = "";
    this.form.fill({});
    this.mark?.(this.form.element, {});
    this.form.problems([]);
    this.form.assume({}, {});
    this.similar.hide();
    this.result.clear();
    this.keep?.left();
    this.root.classList.remove("wf-folded");
  }

  async send(question, fill = false) {
    this.question = question;
    if (!engine.isReady() && !this.shown) {
      const said = question.address ? fieldsOf(question.address) : {};
      this.similar.show({ ...said, ...question.fields });
    }
    const request = { ...question, head: true, lang: this.root.dataset.lang, base: this.root.dataset.base };
    let answer = null;
    try {
      answer = await engine.answer(request);
    } catch (error) {
      this.failed(error);
    }
    if (!answer || !this.here() || !this.question) return;
    this.shown = answer.id;
    this.similar.hide();
    if (fill) this.form.fill(answer.fields, answer.labels);
    this.form.problems(answer.problems, fill);
    this.form.assume(answer.assumed, answer.fields, fill);
    this.result.show(answer);
    this.told(answer);
    this.last = answer.fragment;
    this.opening = "";
    this.step ||= this.steps.take();
    clearTimeout(this.keeping);
    const { hash } = location;
    this.keeping = setTimeout(() => this.keepAddress(answer.fragment, hash), AFTER_PAINT_MS);
  }

  /**
   * Put the situation into the address; a browser takes longer for that than for showing the answer. An address
   * that is no longer `before` is newer than the answer: a step back changes it before anybody is told.
   */
  keepAddress(fragment, before) {
    const { step } = this;
    this.step = false;
    // a click on a link changes the address before the page is gone
    if (!this.here() || !this.question || location.pathname !== this.path) return;
    if (location.hash !== before || before === fragment) return;
    if (step) history.pushState(null, "", fragment);
    else history.replaceState(history.state, "", fragment);
  }

  /** The rest of the answer, once what-if is through what would change it, at last what cannot combine in the form. */
  explored(id, answer) {
    if (id !== this.shown || !this.here()) return;
    if (answer.choices) {
      this.combine(id, answer.choices);
      document.dispatchEvent(new Event("we:answered"));
      return;
    }
    this.result.show(answer, true);
    this.told(answer);
  }

  /** Beside the options that cannot combine with the rest: why. */
  async combine(id, choices) {
    const module = await import("./choices.mjs").catch(() => null);
    this.mark = module?.mark;
    if (id === this.shown) this.mark?.(this.form.element, choices);
  }

  told(answer) {
    this.answer = answer;
    this.keep?.answered(answer);
  }

  /** The measurements are there: the same question once more, for its nearest ones. */
  complete() {
    if (this.shown && this.question) this.send(this.question);
  }

  clicked(event) {
    const is = (name) => event.target.closest(`[data-we-${name}]`);
    const preset = is("preset");
    const intake = is("intake");
    if (is("retry")) {
      engine.reset();
      this.begin();
    } else if (intake) {
      this.intake(intake.dataset.weIntake);
    } else if (is("copy-link")) {
      copy(is("copy-link"), this.keep?.link() ?? location.href);
    } else if (is("change")) {
      this.root.classList.remove("wf-folded");
      reveal("situation");
    } else if (is("reveal")) {
      reveal(is("reveal").dataset.weReveal);
    } else if (preset && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      this.follow(preset.dataset.wePreset);
    }
  }
}

function idle(run) {
  if (window.requestIdleCallback) requestIdleCallback(run, { timeout: 500 });
  else setTimeout(run, 200);
}
