// On every page: mounts what the page has, once, and keeps it through instant navigation.

import "./copy.mjs";
import * as engine from "./engine.mjs";
import { keepForLater } from "./offline.mjs";
import { mountShort } from "./short.mjs";
import { STATE, Wizard } from "./wizard.mjs";

let mounted = null;
let place = ""; // the path of the page that the wizard is on
let leaving = false; // a link to another page was followed and that page is not there yet

function mount() {
  leaving = false;
  const root = document.querySelector("[data-we-wizard]");
  const report = document.querySelector("[data-we-report]");
  if (report) import("./report.mjs").then((module) => module.mountReport(report));
  if (!root) {
    mounted = null;
    mountShort(document.querySelector("[data-we-short]"));
  } else if (!root.dataset.mounted) {
    root.dataset.mounted = "1";
    mounted = new Wizard(root);
    place = location.pathname;
  }
}

// The links to the other languages take the situation along.
function carryState(event) {
  const link = mounted && event.target.closest?.("a[hreflang]");
  if (link) link.hash = location.hash.startsWith(STATE) ? location.hash : "";
}

// Whoever points at a link to the wizard is about to use it; the worker started now is the one it will use.
function warm(event) {
  const python = !mounted && event.target.closest?.("a[href*='wizard/']") && document.querySelector("meta[name=we-python]");
  if (python && !navigator.connection?.saveData) engine.start(python).catch(() => mounted || engine.reset());
}

// A step back within the wizard is the wizard's own: the theme would load the page again, once for each visit
// that began on it. Asked by early.js.
window.whichEngineOwns = (event) => {
  if (mounted && !leaving && location.pathname === place) event.stopImmediatePropagation();
};
function follow(event) {
  const link = event.target.closest?.("a[href]");
  const away = link && link.origin === location.origin && link.pathname !== location.pathname;
  if (away && !link.target && !event.metaKey && !event.ctrlKey && !event.shiftKey) leaving = true;
}
document.addEventListener("click", follow, true); // before the theme changes the address

window.addEventListener("hashchange", () => mounted?.moved());
for (const kind of ["pointerdown", "focusin", "click"]) document.addEventListener(kind, carryState, true);
for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, warm, { passive: true });
engine.on("progress", ({ done, total }) => mounted?.result.progress(done, total));
engine.on("explored", ({ id, result }) => mounted?.explored(id, JSON.parse(result)));
engine.on("complete", () => mounted?.complete());

keepForLater();

// Material replaces the content on instant navigation and tells through document$; the worker outlives it.
if (window.document$) window.document$.subscribe(mount);
else mount();
