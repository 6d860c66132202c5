// Which changes of the form make one step of the browser's history: a number that is being typed is one, and so
// is a list or a stepper that is moved on quickly. Every other change is a step that "back" undoes.

const PAUSE_MS = 1500;

/** Remembers what was changed last, and whether the next answer is a new step. */
export class Steps {
  constructor(form) {
    this.reset();
    form.addEventListener("focusout", ({ target }) => {
      if (target === this.control && typed(target)) this.control = null;
    });
  }

  /** A control was changed by the reader. */
  changed(control) {
    const now = performance.now();
    const goesOn = control === this.control && (typed(control) || now < this.at + PAUSE_MS);
    this.begins ||= !goesOn;
    this.control = control;
    this.at = now;
  }

  /** Answers came from somewhere else than a control. */
  begin() {
    this.control = null;
    this.begins = true;
  }

  /** Whether the answer that is shown now is a new step; asked once for each. */
  take() {
    const { begins } = this;
    this.begins = false;
    return begins;
  }

  /** The situation came from the address. */
  reset() {
    this.control = null;
    this.at = 0;
    this.begins = false;
  }
}

const typed = (control) => control.tagName === "INPUT" && !["radio", "checkbox"].includes(control.type);
