// The matrix of formats (other tables from matrix.json, and a popover that says why), the row of the guide
// that the short form points at, and what to say when the scripts of the wizard do not come. Nothing is decided and no
// sentence is written here.
(function () {
  "use strict";

  let close = null;

  let lost = false; // a script of the wizard could not be loaded

  function mount() {
    if (close) close();
    close = null;
    guide();
    if (lost) tell("[data-we-wizard]");
    const root = document.querySelector("[data-matrix]");
    if (root && !root.dataset.mounted) {
      root.dataset.mounted = "1";
      fetch(new URL(root.dataset.matrix, location.href))
        .then((reply) => reply.json())
        .then((data) => matrix(root, data));
    }
  }

  // One file that is missing stops all scripts of the wizard; the sentence about it stands in the page.
  function broken({ target }) {
    if (lost || !(target instanceof HTMLScriptElement) || !target.src.includes("/_wizard/")) return;
    lost = true;
    tell("[data-we-wizard]");
    document.addEventListener("click", (event) => event.target.closest("[data-we-retry]") && location.reload());
    // the example of the home page is right until another question is asked
    document.addEventListener("input", (event) => event.target.closest("[data-we-short]") && tell("[data-we-short]"));
  }

  function tell(place) {
    const root = document.querySelector(place);
    const box = root?.querySelector("[data-we-failures]");
    if (!box) return;
    box.querySelector("[data-we-failure=network]").hidden = box.hidden = false;
    root.querySelector("[data-we-brief]")?.setAttribute("hidden", "");
  }

  // The row of the guide with the same hardware and the same people takes the wash.
  function guide() {
    const form = document.querySelector("[data-we-short] form");
    const rows = [...document.querySelectorAll(".wp-guide tr[data-devices]")];
    if (!form || !rows.length || form.dataset.guide) return;
    form.dataset.guide = "1";
    form.addEventListener("change", () => {
      const device = form.querySelector("[data-device]")?.value.split(":")[0];
      const serving = form.querySelector("[name=serving]")?.value;
      const alike = rows.filter((row) => row.dataset.devices.split(" ").includes(device));
      const here = alike.find((row) => row.dataset.serving === serving);
      for (const row of rows) row.classList.toggle("wp-here", row === here);
    });
  }

  function matrix(root, data) {
    const controls = document.querySelector("[data-matrix-controls]");
    const scroll = root.querySelector(".wp-matrix__scroll");
    const pop = root.querySelector(".wp-pop");
    let opener = null;

    controls.hidden = false;
    controls.addEventListener("change", (event) => {
      if (event.target.name === "card") followCard(controls);
      draw();
    });

    function draw() {
      hide();
      const group = controls.elements.group.value;
      const card = controls.elements.card.selectedOptions[0].dataset;
      const chosen = [...controls.querySelectorAll("[name=format]:checked")].map((box) => box.value);
      const active = controls.elements.engines.value === "active";
      let columns = data.columns.filter((column) => column.group === group);
      if (card.arch && card.group === group) columns = columns.filter((column) => column.archs.includes(card.arch));
      const formats = data.formats.filter((format) => chosen.includes(format.id));
      const engines = data.engines.filter(
        (engine) =>
          !(active && engine.retired) &&
          formats.some((f) => columns.some((c) => data.cells[`${engine.id}|${f.id}|${c.arch}`])),
      );
      scroll.replaceChildren(table(data, engines, formats, columns));
    }

    // The row and the column of the cell under attention take the wash.
    function light(cell, on) {
      for (const lit of scroll.querySelectorAll(".wp-lit")) lit.classList.remove("wp-lit");
      if (!on || !cell) return;
      const index = cell.cellIndex;
      for (const other of cell.parentElement.cells) other.classList.add("wp-lit");
      for (const row of scroll.querySelectorAll("tbody tr")) row.cells[index].classList.add("wp-lit");
      scroll.querySelector(".wp-matrix__arch")?.cells[index]?.classList.add("wp-lit");
    }

    function show(button) {
      opener?.setAttribute("aria-expanded", "false");
      opener = button;
      button.setAttribute("aria-expanded", "true");
      pop.innerHTML = data.notes[Number(button.dataset.note)];
      const title = pop.querySelector("h3");
      title.id = "matrix-note";
      pop.setAttribute("aria-labelledby", title.id);
      const mark = button.querySelector("svg");
      if (mark) title.prepend(mark.cloneNode(true));
      pop.hidden = false;
      const frame = root.getBoundingClientRect();
      const at = button.getBoundingClientRect();
      const left = Math.max(0, Math.min(at.left - frame.left - 12, frame.width - pop.offsetWidth));
      pop.style.left = `${left}px`;
      pop.style.top = `${at.bottom - frame.top + 8}px`;
      light(button.closest("td"), true);
    }

    function hide(focus) {
      if (pop.hidden) return;
      pop.hidden = true;
      light(null, false);
      opener?.setAttribute("aria-expanded", "false");
      if (focus) opener?.focus();
      opener = null;
    }

    scroll.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-note]");
      if (!button) return;
      if (button === opener) hide();
      else {
        show(button);
        if (event.detail === 0) pop.querySelector("a")?.focus(); // by keyboard: into the note
      }
    });
    scroll.addEventListener("focusin", (event) => light(event.target.closest("td"), true));
    scroll.addEventListener("keydown", (event) => move(event));

    function keys(event) {
      if (event.key === "Escape") hide(true);
    }
    function outside(event) {
      if (!pop.contains(event.target) && !event.target.closest("button[data-note]")) hide();
    }
    document.addEventListener("keydown", keys);
    document.addEventListener("pointerdown", outside);
    close = () => {
      document.removeEventListener("keydown", keys);
      document.removeEventListener("pointerdown", outside);
    };
  }

  // Arrow keys walk from cell to cell; Tab stays what it is.
  function move(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell) return;
    let row = cell.parentElement;
    let index = cell.cellIndex;
    for (;;) {
      if (step[0]) row = step[0] > 0 ? row.nextElementSibling : row.previousElementSibling;
      index += step[1];
      const next = row?.cells?.[index];
      if (!next) return;
      const button = next.querySelector("button");
      if (button) {
        button.focus();
        event.preventDefault();
        return;
      }
    }
  }

  function followCard(controls) {
    const group = controls.elements.card.selectedOptions[0].dataset.group;
    if (group) controls.querySelector(`[name=group][value="${group}"]`).checked = true;
  }

  function table(data, engines, formats, columns) {
    const table = element("table", "wp-matrix__table");
    const head = table.createTHead();
    const top = head.insertRow();
    top.className = "wp-matrix__format";
    top.append(element("td"));
    const below = head.insertRow();
    below.className = "wp-matrix__arch";
    below.append(header("col", data.words.engine));
    for (const format of formats) {
      const name = header("colgroup", format.name);
      name.colSpan = columns.length;
      top.append(element("td", "wp-gap"), name);
      below.append(element("td", "wp-gap"));
      for (const column of columns) {
        const arch = header("col", column.label);
        arch.title = column.title;
        below.append(arch);
      }
    }
    const body = table.createTBody();
    for (const engine of engines) {
      const row = body.insertRow();
      if (engine.retired) row.className = "wp-retired";
      const name = header("row", "");
      const link = element("a", "", engine.name);
      link.href = engine.href;
      name.append(link, element("small", "", engine.tail));
      row.append(name);
      for (const format of formats) {
        row.append(element("td", "wp-gap"));
        for (const column of columns) {
          row.append(cell(data, data.cells[`${engine.id}|${format.id}|${column.arch}`]));
        }
      }
    }
    return table;
  }

  function cell(data, found) {
    const box = element("td");
    if (!found) {
      const dash = element("span", "wp-kernel-word", "–");
      dash.setAttribute("aria-hidden", "true");
      box.append(dash, element("span", "wp-hide", data.words.no));
      return box;
    }
    const button = element("button");
    button.type = "button";
    button.dataset.note = found.n;
    button.setAttribute("aria-label", data.words[found.k]);
    button.setAttribute("aria-haspopup", "dialog");
    if (found.k === "unknown") button.textContent = "?";
    else button.innerHTML = `<svg class="wp-kernel" aria-hidden="true"><use xlink:href="#k-${found.k}"/></svg>`;
    box.append(button);
    return box;
  }

  function element(name, css, text) {
    const made = document.createElement(name);
    if (css) made.className = css;
    if (text) made.textContent = text;
    return made;
  }

  function header(scope, text) {
    const made = element("th", "", text);
    made.scope = scope;
    return made;
  }

  window.addEventListener("error", broken, true); // an error of a script's element does not bubble

  // Material replaces the content on instant navigation and tells through document$.
  if (window.document$) window.document$.subscribe(mount);
  else document.addEventListener("DOMContentLoaded", mount);
})();
