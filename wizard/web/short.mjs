// The short form of the home page: a short answer in place, and the full one on the wizard page.

import * as engine from "./engine.mjs";
import { Form } from "./form.mjs";
import { failure } from "./result.mjs";
import { Similar } from "./similar.mjs";

/** Make the short form work; Python starts on the first sign that someone is about to use it. */
export function mountShort(root) {
  if (!root || root.dataset.mounted) return;
  root.dataset.mounted = "1";
  const place = root.querySelector("[data-we-brief]");
  const form = new Form(root.querySelector("form"), ask);
  let similar = null; // promise of the look-up
  const warm = () => {
    if (!root.dataset.runtime) return;
    engine.start(root).catch(() => {});
    similar ??= lookUp(root, place);
  };
  form.fill(example(root, form));
  root.addEventListener("pointerenter", warm, { once: true });
  root.addEventListener("focusin", warm, { once: true });
  form.element.addEventListener("submit", () => location.assign(target()));
  root.querySelector("[data-we-retry]")?.addEventListener("click", () => {
    engine.reset();
    ask();
  });

  async function ask() {
    warm();
    const fields = form.fields();
    const { lang, base, wizard } = root.dataset;
    let waiting = !engine.isReady();
    place.setAttribute("aria-busy", waiting); // what stands there answers another question
    if (waiting) similar?.then((rows) => waiting && rows?.show(fields) && (place.hidden = true));
    try {
      const answer = await engine.answer({ fields, lang, base, wizard, brief: true });
      if (!answer || !root.isConnected) return;
      place.innerHTML = answer.brief;
      form.problems(answer.problems);
      failure(root, null);
      place.hidden = waiting = false;
      similar?.then((rows) => rows?.hide());
    } catch (error) {
      // what stands there answers another question; a row that is alike says that it is one
      place.hidden = true;
      failure(root, error.code);
    } finally {
      place.setAttribute("aria-busy", "false");
    }
  }

  function target() {
    const pairs = Object.entries(form.fields()).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
    return new URL(`#v=1&${pairs.join("&")}`, new URL(root.dataset.wizard, document.baseURI)).href;
  }
}

// The rows of similar situations stand in the wizard page, which is the next one to be asked for anyway.
async function lookUp(root, place) {
  try {
    const reply = await fetch(new URL(root.dataset.wizard, document.baseURI));
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    place.before(document.adoptNode(page.querySelector("[data-we-similar]")));
    return new Similar(root);
  } catch {
    return null; // Python will answer
  }
}

// What the example of the page asked stands in its data.
function example(root, form) {
  const fields = {};
  for (const name of ["devices", ...form.controls().map((control) => control.name)]) {
    const value = root.getAttribute(`data-set-${name.replaceAll(".", "-")}`);
    if (value) fields[name] = value;
  }
  return fields;
}
