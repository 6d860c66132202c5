// The result: sections keyed by id, replaced only when they changed; open details, focus and scroll stay.

const SPEAK_AFTER_MS = 400; // one message for the answer that stays, not one for each key pressed

/** The answer's place on the page, with what stands around it: progress, failures, live line, bar. */
export class Result {
  constructor(root, follow) {
    this.root = root;
    this.place = root.querySelector("[data-we-result]");
    this.live = root.querySelector("[data-we-live]");
    this.bar = root.querySelector("[data-we-bar]");
    this.before = new Map(); // section id -> html shown
    this.said = "";
    this.follow = follow;
    this.place.addEventListener("click", (event) => this.clicked(event));
    // the bar of a phone is there while the head of the answer is not
    this.seen = new IntersectionObserver(([entry]) => this.atHead(entry.isIntersecting));
    // and leads to the answer from above it, to the form from below
    const below = { rootMargin: "0px 0px 9999999px" };
    this.ahead = new IntersectionObserver(([entry]) => this.lead(entry.isIntersecting), below);
    this.goal = null; // where to go once the next answer is there
  }

  /** Replace what changed. `quiet`: a completion of the same answer, not to be spoken again. */
  show(answer, quiet = false) {
    this.root.querySelector("[data-we-intro]")?.setAttribute("hidden", "");
    this.failed(null);
    const wanted = new Set(answer.sections.map((s) => s.id));
    for (const id of this.before.keys()) {
      if (answer.head || wanted.has(id)) continue; // the rest comes in a moment and takes their place
      this.box(id)?.remove();
      this.before.delete(id);
    }
    let previous = null;
    for (const { id, html } of answer.sections) {
      let box = this.box(id);
      if (!box) {
        box = document.createElement("div");
        box.dataset.section = id;
      }
      const after = previous ? previous.nextElementSibling : this.place.firstElementChild;
      if (after !== box) this.place.insertBefore(box, after);
      if (this.before.get(id) !== html) {
        replace(box, html);
        this.before.set(id, html);
        if (id === "answer") this.watch(box);
      }
      previous = box;
    }
    this.around(answer);
    if (this.goal) reveal(this.goal);
    this.goal = null;
    if (!quiet) this.speak(answer.said);
  }

  /** Nothing is answered any more: the intro is back. */
  clear() {
    clearTimeout(this.timer);
    this.unwatch();
    this.before.clear();
    this.place.replaceChildren();
    this.said = this.live.textContent = "";
    this.failed(null);
    this.root.querySelector("[data-we-intro]")?.removeAttribute("hidden");
    for (const name of ["summary", "bar", "assumptions"]) {
      this.root.querySelector(`[data-we-${name}]`)?.toggleAttribute("hidden", true);
    }
  }

  box(id) {
    return this.place.querySelector(`:scope > [data-section="${id}"]`);
  }

  /** The situation in two lines, the bar of a phone, how many answers are assumed. */
  around(answer) {
    const summary = this.root.querySelector("[data-we-summary]");
    const lines = summary?.querySelectorAll("p") ?? [];
    lines.forEach((line, index) => write(line, answer.summary[index]));
    summary?.toggleAttribute("hidden", false);
    if (this.bar) {
      this.bar.querySelector("p").innerHTML = answer.bar;
      this.bar.dataset.empty = answer.bar ? "" : "1";
    }
    const assumed = this.root.querySelector("[data-we-assumptions]");
    if (!assumed) return;
    write(assumed.querySelector("b"), answer.assumptions);
    assumed.querySelector("button").toggleAttribute("hidden", !this.before.has("change"));
    assumed.hidden = false;
  }

  watch(box) {
    this.unwatch();
    const head = box.querySelector(".we-head");
    if (!head) this.atHead(true);
    else for (const observer of [this.seen, this.ahead]) observer.observe(head);
  }

  unwatch() {
    for (const observer of [this.seen, this.ahead]) observer.disconnect();
  }

  lead(toAnswer) {
    this.bar?.querySelector("button[data-we-reveal]").toggleAttribute("hidden", !toAnswer);
    this.bar?.querySelector("[data-we-change]").toggleAttribute("hidden", toAnswer);
  }

  atHead(visible) {
    if (this.bar) this.bar.hidden = visible || Boolean(this.bar.dataset.empty);
  }

  loading(on) {
    const progress = this.root.querySelector("[data-we-progress]");
    progress?.toggleAttribute("hidden", !on);
    this.place.setAttribute("aria-busy", on ? "true" : "false");
  }

  /** Bytes that have arrived, of all that will. */
  progress(done, total) {
    const meter = this.root.querySelector("[data-we-progress] progress");
    const text = this.root.querySelector("[data-loaded]");
    if (!meter) return;
    meter.value = total ? done / total : 0;
    const number = new Intl.NumberFormat(this.root.dataset.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    text.textContent = text.dataset.loaded
      .replace("{done}", number.format(done / 1e6))
      .replace("{total}", number.format(total / 1e6));
  }

  /** Show the sentence of a failure, which stands in the page already; null hides all. */
  failed(code) {
    if (code) this.loading(false);
    failure(this.root, code);
  }

  speak(said) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.live || said === this.said) return;
      this.said = said;
      this.live.textContent = said;
    }, SPEAK_AFTER_MS);
  }

  // Material follows every link of the site it sees; these two kinds stay here.
  clicked(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const href = link.getAttribute("href");
    event.preventDefault();
    event.stopPropagation();
    if (!href.startsWith("#v=")) return reveal(href.slice(1));
    // who tries another situation wants to see its answer; the link may be gone by then
    if (link.closest("[data-section=change]")) this.goal = "we-answer";
    this.follow(href);
  }
}

/** Show the sentence of a failure, which stands in the page already; null hides all. */
export function failure(root, code) {
  const box = root.querySelector("[data-we-failures]");
  if (!box) return;
  if (code) {
    const notes = [...box.querySelectorAll("[data-we-failure]")];
    const known = notes.some((note) => note.dataset.weFailure === code) ? code : "crash";
    for (const note of notes) note.hidden = note.dataset.weFailure !== known;
  }
  box.hidden = !code;
}

// Text that stands there already is not written again: it would be laid out again.
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Go to a section without touching the address, which holds the situation. */
export function reveal(id) {
  const target = document.getElementById(id);
  if (!target) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  target.scrollIntoView({ behavior: calm ? "auto" : "smooth" });
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

// Put new HTML into a section; what the reader opened, chose and had in focus is found again by id or place.
// What was chosen and is not there yet (further forms of a command come a moment later) waits with the section.
const unmet = new WeakMap(); // section -> choices

function replace(box, html) {
  const open = [...box.querySelectorAll("details[open]")].map((d) => where(box, d));
  const chosen = [...box.querySelectorAll("input:checked, select")].map((c) => [where(box, c), c.value]);
  const wanted = [...chosen, ...(unmet.get(box) ?? [])];
  const active = document.activeElement;
  const focused = box.contains(active) ? where(box, active) : null;
  box.innerHTML = html;
  for (const place of open) find(box, place, "DETAILS")?.setAttribute("open", "");
  const missing = [];
  for (const [place, value] of wanted) {
    const control = find(box, place);
    if (!control && place.id) missing.push([place, value]);
    else if (control?.type === "radio" && control.value === value) control.checked = true;
    else if (control?.tagName === "SELECT" && [...control.options].some((o) => o.value === value)) control.value = value;
  }
  unmet.set(box, missing);
  if (!focused) return;
  let place = find(box, focused, active.tagName);
  if (!place) [place, box.tabIndex] = [box, -1]; // the next Tab goes on from here
  place.focus({ preventScroll: true });
}

function where(box, element) {
  if (element.id) return { id: element.id };
  const same = [...box.querySelectorAll(element.tagName)];
  return { tag: element.tagName, index: same.indexOf(element) };
}

function find(box, { id, tag, index }, expected) {
  const found = id ? box.querySelector(`#${CSS.escape(id)}`) : box.querySelectorAll(tag)[index];
  return found && (!expected || found.tagName === expected) ? found : null;
}
