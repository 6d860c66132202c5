// Hardware by its numbers: the fields in a row of the form, and the text that an address has for them,
// custom(bandwidth_gbs=900;memory_gib=24). What the numbers may be is decided in Python.

const CHIP = ["vendor", "kind", "arch"];

/** Put the fields into a row whose list says "custom(…)"; row.own() is their text from then on. */
export function show(form, row) {
  const text = row.querySelector("[data-device]").value;
  if (!text.startsWith("custom(")) return;
  let box = row.querySelector("[data-own]");
  if (!box) {
    box = form.querySelector("template[data-we-own]").content.firstElementChild.cloneNode(true);
    row.append(box);
  }
  const known = read(text);
  const chip = CHIP.map((key) => known[key] ?? "").join(":");
  for (const control of box.querySelectorAll("[data-part]")) {
    const { part } = control.dataset;
    if (part !== "chip") control.value = known[part] ?? "";
    else if ([...control.options].some((option) => option.value === chip)) control.value = chip;
    else control.value = "";
  }
  // what has no field here is kept, as long as no chip is chosen that says the same
  row.own = () => write(box, known);
}

function read(text) {
  const pairs = text.slice(7, -1).split(";").filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), decoded(pair.slice(at + 1))];
    }),
  );
}

function write(box, known) {
  const parts = { ...known };
  for (const { dataset, value } of box.querySelectorAll("[data-part]")) {
    if (dataset.part !== "chip") parts[dataset.part] = value.trim();
    else if (value) CHIP.forEach((key, place) => (parts[key] = value.split(":")[place]));
    else if (CHIP.every((key) => key in known)) for (const key of CHIP) delete parts[key];
  }
  const said = Object.entries(parts).filter(([key, value]) => value || key === "memory_gib");
  return `custom(${said.map(([key, value]) => `${key}=${encoded(value)}`).join(";")})`;
}

// commas part devices, brackets and stars stand around them
const encoded = (text) => encodeURIComponent(text).replace(/[()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
