// Copy buttons of answers, on every page: the command that stands beside the button.

const SHOWN_MS = 2000;

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (button) copy(button, commandBeside(button));
});

/** Copy a text and say so on the button for two seconds; the word comes from the button or the page. */
export async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return; // the text can still be selected by hand
  }
  if (button.dataset.label) return; // it says so already
  const done = button.dataset.copied ?? document.querySelector("[data-copied]")?.dataset.copied;
  button.dataset.label = button.textContent;
  if (done) button.textContent = done;
  button.classList.add("we-copied");
  const live = document.querySelector("[data-we-live]");
  if (live && done) live.textContent = done;
  setTimeout(() => {
    button.textContent = button.dataset.label;
    delete button.dataset.label;
    button.classList.remove("we-copied");
  }, SHOWN_MS);
}

function commandBeside(button) {
  return [...button.parentElement.querySelectorAll("code")].map((line) => line.textContent).join("\n");
}
