// On the wizard page: start the worker before the rest of the page is read, or when the browser is idle if
// nothing was asked yet. The worker is the one that app.mjs uses, since both import the same module.

import { settings, start } from "./engine.mjs";

const root = document.querySelector("[data-we-wizard]");
const begin = () => start(settings(root)).catch(() => {}); // app.mjs tells what went wrong

if (root?.dataset.runtime) {
  if (location.hash.startsWith("#v=")) begin();
  else if (window.requestIdleCallback) requestIdleCallback(begin, { timeout: 500 });
  else setTimeout(begin, 200);
}
