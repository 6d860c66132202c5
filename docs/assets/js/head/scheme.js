// Runs before a page has a body: that scripts run here, and the colour scheme that was chosen or that the system wants,
// so that nothing is drawn in the other one first. The theme has a switch too, but works out every style of every
// page twice more for it.
(function () {
  "use strict";
  const CHOSEN = "which-engine.scheme"; // localStorage: "default" (light) or "slate" (dark), for all languages
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let here = null; // chosen on a page that may store nothing

  root.classList.replace("no-js", "js");
  root.classList.add("js-focus-visible");
  // The theme says both again when it starts, and for an attribute that is set all styles are worked out anew, changed or not.
  for (const method of ["add", "remove"]) {
    const real = root.classList[method];
    root.classList[method] = function (...names) {
      if (names.some((name) => this.contains(name) !== (method === "add"))) real.apply(this, names);
    };
  }

  function wanted() {
    let kept = null;
    try {
      kept = localStorage.getItem(CHOSEN);
    } catch {
      // storage is blocked
    }
    return here ?? (kept === "slate" || kept === "default" ? kept : dark.matches ? "slate" : "default");
  }

  function show() {
    const scheme = wanted();
    if (document.body && document.body.dataset.mdColorScheme !== scheme) document.body.dataset.mdColorScheme = scheme;
    const bar = document.querySelector("meta[name=theme-color]");
    if (bar) bar.content = bar.dataset[scheme];
    const button = document.querySelector("[data-we-scheme]");
    if (button) button.title = button.ariaLabel = button.dataset[scheme];
  }

  new MutationObserver((_, observer) => {
    if (!document.body) return;
    observer.disconnect();
    show();
  }).observe(root, { childList: true });
  document.addEventListener("DOMContentLoaded", show);
  dark.addEventListener("change", show);
  addEventListener("storage", ({ key }) => key === CHOSEN && show());
  document.addEventListener("click", ({ target }) => {
    if (!target.closest?.("[data-we-scheme]")) return;
    here = wanted() === "slate" ? "default" : "slate";
    try {
      localStorage.setItem(CHOSEN, here);
      here = null;
    } catch {
      // for this page, then
    }
    show();
  });
})();
