// The long lists of the form. What they offer stands in a template beside them and is put in once somebody turns to
// the list: whenever a browser styles the page anew, it styles every option of every list.

/** Every option of a list, in their order, whether they are in it already or not. */
export function offered(list) {
  const here = [...list.options].filter((option) => !option.dataset.own && !option.dataset.lent);
  return [...here, ...(waiting(list)?.querySelectorAll("option") ?? [])];
}

/** Put one option into a list that is still short, so that it can be chosen. */
export function lend(list, value) {
  const rest = waiting(list);
  if (!rest) return;
  for (const old of list.querySelectorAll("[data-lent]")) if (old.value !== value) old.remove();
  if ([...list.options].some((option) => option.value === value)) return;
  const option = [...rest.querySelectorAll("option")].find((one) => one.value === value);
  if (!option) return;
  const copy = document.importNode(option, true);
  copy.dataset.lent = "1";
  list.add(copy);
}

/** Put everything into a list; what is chosen stays. */
export function complete(list) {
  const rest = waiting(list);
  if (!rest) return;
  list.dataset.whole = "1";
  const { value } = list;
  const lent = list.querySelector("[data-lent]");
  list.insertBefore(document.importNode(rest, true), list.querySelector("[data-own]"));
  lent?.remove();
  if (list.value !== value) list.value = value;
}

function waiting(list) {
  return list.dataset.whole ? null : list.closest("[data-field]")?.querySelector("template[data-we-list]")?.content;
}
