// The result: sections keyed by id, replaced only when they changed; open details, focus and scroll stay.

/** The answer's place on the page. */
export class Result {
  constructor(root, follow) {
    this.root = root;
    this.place = root.querySelector("[data-we-result]");
    this.live = root.querySelector("[data-we-live]");
    this.bar = root.querySelector("[data-we-progress]");
    this.before = new Map(); // section id -> html shown
    this.spoken = null;
    this.place.addEventListener("click", (event) => this.clicked(event, follow));
    root.addEventListener("click", (event) => this.copyLink(event));
  }

  /** Replace what changed. `quiet`: a completion of the same answer, not to be spoken again. */
  show(answer, quiet = false) {
    this.root.querySelector("[data-we-intro]")?.setAttribute("hidden", "");
    this.failed(null);
    const wanted = new Set(answer.sections.map((s) => s.id));
    for (const [id, _] of this.before) {
      if (wanted.has(id)) continue;
      this.place.querySelector(`[data-section="${id}"]`)?.remove();
      this.before.delete(id);
    }
    let previous = null;
    for (const { id, html } of answer.sections) {
      let box = this.place.querySelector(`:scope > [data-section="${id}"]`);
      if (!box) {
        box = document.createElement("div");
        box.dataset.section = id;
      }
      const after = previous ? previous.nextElementSibling : this.place.firstElementChild;
      if (after !== box) this.place.insertBefore(box, after);
      if (this.before.get(id) !== html) {
        replace(box, html);
        this.before.set(id, html);
      }
      previous = box;
    }
    if (!quiet) this.speak(answer.start ?? "");
  }

  loading(on) {
    this.bar?.toggleAttribute("hidden", !on);
    this.place.setAttribute("aria-busy", on ? "true" : "false");
  }

  progress(done, total) {
    const meter = this.bar?.querySelector("progress");
    if (meter) {
      meter.max = total;
      meter.value = done;
    }
  }

  /** Show the sentence of a failure, which stands in the page already; null hides all. */
  failed(code) {
    const box = this.root.querySelector("[data-we-failures]");
    if (!box) return;
    box.toggleAttribute("hidden", !code);
    if (!code) return;
    this.loading(false);
    const known = box.querySelector(`[data-we-failure="${code}"]`) ? code : "crash";
    for (const note of box.querySelectorAll("[data-we-failure]")) note.toggleAttribute("hidden", note.dataset.weFailure !== known);
  }

  speak(engine) {
    if (!this.live || engine === this.spoken) return;
    this.spoken = engine;
    this.live.textContent = engine ? this.live.dataset.answer.replace("{engine}", engine) : this.live.dataset.none;
  }

  clicked(event, follow) {
    const patch = event.target.closest("a.we-patch");
    if (patch) {
      event.preventDefault();
      follow(patch.getAttribute("href"));
      return;
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) this.copy(copy, copy.dataset.copy || command(copy));
    const tab = event.target.closest("[role=tab]");
    if (tab) select(tab);
  }

  copyLink(event) {
    const link = event.target.closest("[data-we-copy-link]");
    if (!link) return;
    event.preventDefault();
    this.copy(link, location.href);
  }

  async copy(button, text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      return; // the text can still be selected by hand
    }
    const label = button.textContent;
    button.textContent = this.root.dataset.copied;
    button.classList.add("we-copied");
    if (this.live) this.live.textContent = this.root.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
      button.classList.remove("we-copied");
    }, 2000);
  }
}

/** The command that stands beside a button, line by line. */
function command(button) {
  return [...button.parentElement.querySelectorAll("code")].map((line) => line.textContent).join("\n");
}

function replace(box, html) {
  const open = [...box.querySelectorAll("details[open][id]")].map((d) => d.id);
  const focused = box.contains(document.activeElement) ? document.activeElement.id : "";
  box.innerHTML = html;
  for (const id of open) box.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
  if (focused) box.querySelector(`#${CSS.escape(focused)}`)?.focus({ preventScroll: true });
}

function select(tab) {
  const list = tab.closest("[role=tablist]");
  for (const one of list.querySelectorAll("[role=tab]")) {
    const on = one === tab;
    one.setAttribute("aria-selected", String(on));
    one.tabIndex = on ? 0 : -1;
    document.getElementById(one.getAttribute("aria-controls"))?.toggleAttribute("hidden", !on);
  }
}
