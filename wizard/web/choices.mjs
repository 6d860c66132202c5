// Answers that cannot combine with the rest, as Python found them: each with the reason beside it. They stay open to
// choice, as what stands against them may be what has to change.

const marked = new WeakMap(); // form -> what undoes the marks of the last answer

/** Mark the options of a form. choices: {path: {value: reason}}; the value "" speaks of the whole question. */
export function mark(form, choices) {
  for (const undo of marked.get(form) ?? []) undo();
  const undo = [];
  marked.set(form, undo);
  for (const [path, reasons] of Object.entries(choices)) {
    const field = form.querySelector(`[data-field="${CSS.escape(path)}"]`);
    if (!field) continue;
    if (reasons[""]) undo.push(idle(field, reasons[""]));
    const groups = new Map(); // reason -> labels, for boxes that are all in sight
    for (const option of field.querySelectorAll("option, input[type=checkbox], input[type=radio]")) {
      const reason = option.value && reasons[option.value];
      if (!reason) continue;
      if (option.tagName === "OPTION") undo.push(named(option, reason));
      else {
        const label = option.closest("label");
        label.classList.add("wf-cannot");
        undo.push(() => label.classList.remove("wf-cannot"));
        groups.set(reason, [...(groups.get(reason) ?? []), label.textContent.trim()]);
      }
    }
    for (const [reason, labels] of groups) undo.push(note(field, `${labels.join(", ")}: ${reason}`));
  }
}

// A question without effect: the reason in the place of "assumed", or below an answer that somebody gave.
function idle(field, reason) {
  const mark = field.querySelector(".wf-mark");
  if (!mark || !field.classList.contains("wf-assumed")) return note(field, reason);
  const { textContent } = mark;
  mark.textContent = reason;
  return () => (mark.textContent = textContent);
}

function named(option, reason) {
  const { textContent } = option;
  option.dataset.name = textContent;
  option.textContent = `${textContent} (${reason})`;
  return () => {
    option.textContent = textContent;
    delete option.dataset.name;
  };
}

function note(field, text) {
  const line = Object.assign(document.createElement("p"), { className: "wf-why", textContent: text });
  field.append(line);
  return () => line.remove();
}
