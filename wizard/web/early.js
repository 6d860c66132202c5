// In the head of the wizard page, before its styles: a link that carries a situation starts the worker at once.
// engine.mjs takes the worker over, with what it has said until then, and tells what went wrong.
(function () {
  "use strict";
  // Here before the theme's own listener, so that the wizard can keep its steps back to itself (app.mjs).
  window.addEventListener("popstate", (event) => window.whichEngineOwns?.(event));
  if (window.whichEngine || !location.hash.startsWith("#v=") || typeof WebAssembly !== "object") return;
  const { src, dataset } = document.currentScript;
  const early = { events: [] };
  const how = {
    get type() {
      early.asModule = true;
      return "module";
    },
  };
  try {
    early.worker = new Worker(new URL("worker.mjs", src), how);
  } catch {
    return;
  }
  early.worker.onmessage = early.worker.onerror = (event) => early.events.push(event);
  early.worker.postMessage({ type: "start", ...dataset });
  window.whichEngine = early;
})();
