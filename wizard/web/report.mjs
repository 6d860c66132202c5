// The report checker's page: a text goes to the worker, findings come back as HTML. Nothing is decided here.

import * as engine from "./engine.mjs";

const WAIT_MS = 400; // after the last key, so that a paste is checked once

let asked = 0;

/** Make the checker work; Python starts with the first text. */
export function mountReport(root) {
  if (!root || root.dataset.mounted) return;
  root.dataset.mounted = "1";
  const text = root.querySelector("textarea");
  const part = (name) => root.querySelector(`[data-report-${name}]`);
  let timer = 0;

  async function check() {
    clearTimeout(timer);
    const { lang, base } = root.dataset;
    const id = ++asked;
    const found = part("found");
    found.setAttribute("aria-busy", "true");
    try {
      await engine.start(root);
      const made = await engine.use("report", { text: text.value, lang, base });
      if (id !== asked || !root.isConnected) return;
      found.innerHTML = made.html;
      part("live").textContent = made.said;
      part("failed").hidden = true;
    } catch (error) {
      console.warn(`${error.code}: ${error.message}`); // for whoever looks; the reader gets a sentence
      part("failed").hidden = false;
    } finally {
      found.removeAttribute("aria-busy");
    }
  }

  function put(kind) {
    text.value = kind === "form" ? part("form").textContent : part("example").content.textContent;
    text.focus();
    text.setSelectionRange(0, 0);
    if (kind === "example") check();
  }

  part("run").addEventListener("click", check);
  for (const button of root.querySelectorAll("[data-report-put]")) {
    button.addEventListener("click", () => put(button.dataset.reportPut));
  }
  text.addEventListener("focus", () => root.dataset.runtime && engine.start(root).catch(() => {}), { once: true });
  text.addEventListener("input", () => {
    clearTimeout(timer);
    if (text.value.trim()) timer = setTimeout(check, WAIT_MS);
  });
}
