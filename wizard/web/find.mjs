// Search as you type over the devices and the models of the form's lists. The lists stay: what is found is chosen
// in them. Names and aliases stand in the options; diacritics, signs and case do not matter, the order of words neither.

import { lend, offered } from "./lists.mjs";

const MOST = 12;
const HEAVY = 1000;

let lists = 0;

/** Makes the search fields of a form work, also those of rows that come later. */
export class Finder {
  constructor(form) {
    this.element = form.element;
    this.indexes = new WeakMap(); // list of the form -> its options, ready to be searched
    for (const field of this.element.querySelectorAll("[data-we-find]")) field.hidden = false;
    const on = (kind, act) =>
      this.element.addEventListener(kind, (event) => {
        const field = event.target.closest?.("[data-we-find]");
        if (field) act.call(this, field, event);
      });
    on("input", this.typed);
    on("keydown", this.pressed);
    on("focusout", (field) => setTimeout(() => document.activeElement !== field && this.close(field), 0));
    this.element.addEventListener("pointerdown", (event) => this.pointed(event));
    // somebody may have been quicker than this module
    const { activeElement: early } = document;
    if (early.matches("[data-we-find]") && this.element.contains(early) && early.value.trim()) this.typed(early);
  }

  typed(field) {
    const found = this.search(this.listOf(field), field.value);
    const box = this.box(field);
    box.replaceChildren(...found.map((one, index) => item(box.id, one, index)));
    if (!found.length && field.value.trim()) {
      box.append(Object.assign(document.createElement("li"), { textContent: field.dataset.none, className: "wf-none" }));
    }
    this.open(field, box.children.length > 0);
    this.mark(field, found.length ? 0 : -1);
  }

  pressed(field, event) {
    const options = [...this.box(field).querySelectorAll("[role=option]")];
    const at = options.findIndex((one) => one.ariaSelected === "true");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!options.length) this.typed(field);
      else this.mark(field, (at + (event.key === "ArrowDown" ? 1 : -1) + options.length) % options.length);
    } else if (event.key === "Enter" && field.value.trim()) {
      event.preventDefault();
      if (options[at]) this.choose(field, options[at].dataset.value);
    } else if (event.key === "Escape" && field.ariaExpanded === "true") {
      event.preventDefault();
      this.close(field);
    }
  }

  pointed(event) {
    const option = event.target.closest?.(".wf-finds [role=option]");
    if (!option) return;
    event.preventDefault();
    this.choose(option.closest(".wf-finds").previousElementSibling, option.dataset.value);
  }

  choose(field, value) {
    const list = this.listOf(field);
    lend(list, value);
    list.value = value;
    field.value = "";
    this.close(field);
    list.dispatchEvent(new Event("input", { bubbles: true }));
    list.focus();
  }

  /** Options in which every word of the query occurs: exact names first, then beginnings of words, shorter first. */
  search(list, query) {
    const words = fold(query).split(" ").filter(Boolean);
    if (!words.length) return [];
    const whole = words.join("");
    return this.index(list)
      .map((one) => ({ ...one, rank: rank(one, words, whole) }))
      .filter((one) => one.rank < HEAVY)
      .sort((a, b) => a.rank - b.rank || a.place - b.place)
      .slice(0, MOST);
  }

  index(list) {
    let known = this.indexes.get(list);
    if (!known) {
      const also = new Map(); // aliases stand with the first size of a device
      known = offered(list).filter((option) => option.value).map((option, place) => {
        const [id] = option.value.split(":");
        if (option.dataset.find) also.set(id, option.dataset.find.split("|"));
        const names = [option.textContent.split("·")[0], id, ...(also.get(id) ?? [])];
        const folded = names.map((name) => fold(name));
        return {
          place,
          value: option.value,
          text: option.textContent,
          group: option.parentElement.label ?? "",
          exact: folded.map((name) => name.replaceAll(" ", "")),
          words: ` ${folded.join(" ")} `,
          own: ` ${fold(option.textContent)} `,
        };
      });
      this.indexes.set(list, known);
    }
    return known;
  }

  listOf(field) {
    return field.closest("[data-device-row], [data-field]").querySelector("select");
  }

  /** The list of what was found, right behind its field. */
  box(field) {
    let box = field.nextElementSibling;
    if (!box?.classList.contains("wf-finds")) {
      box = Object.assign(document.createElement("ul"), { className: "wf-finds", hidden: true });
      box.role = "listbox";
      field.after(box);
    }
    if (!box.id || field.getAttribute("aria-controls") !== box.id) {
      box.id = `wf-finds-${(lists += 1)}`;
      box.ariaLabel = field.ariaLabel;
      field.setAttribute("aria-controls", box.id);
    }
    return box;
  }

  open(field, on) {
    this.box(field).hidden = !on;
    field.ariaExpanded = String(on);
  }

  close(field) {
    this.open(field, false);
    this.mark(field, -1);
  }

  mark(field, index) {
    const options = [...this.box(field).querySelectorAll("[role=option]")];
    options.forEach((one, place) => (one.ariaSelected = String(place === index)));
    const active = options[index];
    if (active) {
      field.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  }
}

function rank({ exact, words, own }, asked, whole) {
  let sum = exact.includes(whole) ? 0 : 1;
  for (const word of asked) {
    if (own.includes(` ${word} `)) sum -= 0.5; // "64" of "m4 max 64" is the size of one option
    else if (words.includes(` ${word} `)) sum += 0;
    else if (words.includes(` ${word}`) || own.includes(` ${word}`)) sum += 1;
    else if (words.includes(word)) sum += 3;
    else return exact.some((name) => name.startsWith(whole)) ? 20 : HEAVY;
  }
  return sum + exact[0].length / 100;
}

/** Lower case letters and digits, accents removed, signs as one space. */
export function fold(text) {
  const plain = text.toLowerCase().replaceAll("đ", "d").normalize("NFD").replace(/\p{M}/gu, "");
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function item(box, { value, text, group }, index) {
  const found = Object.assign(document.createElement("li"), { id: `${box}-${index}`, textContent: text });
  found.role = "option";
  found.dataset.value = value;
  if (group) found.append(Object.assign(document.createElement("small"), { textContent: group }));
  return found;
}
