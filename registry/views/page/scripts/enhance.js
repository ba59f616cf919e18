// Folding and search of what the document shows already. Without this script nothing is missing but the comfort.

document.documentElement.classList.add("live");

const UNFOLDED = 30;

/**
 * Unfold what holds rows that were found.
 * @param {Element} target
 */
function unfoldFound(target) {
  for (const each of target.querySelectorAll("[data-row]")) {
    const isFound = each instanceof SVGElement ? each.classList.contains("found") : !(/** @type {HTMLElement} */ (each).hidden);
    const folded = isFound ? each.closest("details") : null;
    if (folded instanceof HTMLDetailsElement && target.contains(folded)) folded.open = true;
  }
}

/**
 * Show the rows of a search's target whose text has every word that was typed.
 * @param {HTMLInputElement} input
 */
function filter(input) {
  const target = document.getElementById(input.getAttribute("aria-controls") ?? "");
  if (!target) return;
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const each of target.querySelectorAll("[data-row]")) {
    const text = (each.getAttribute("data-row") || each.textContent || "").toLowerCase();
    const fits = words.every((word) => text.includes(word));
    if (each instanceof SVGElement) {
      each.classList.toggle("found", fits && words.length > 0);
      each.classList.toggle("dim", !fits);
    } else if (each instanceof HTMLElement) {
      each.hidden = !fits;
    }
    shown += fits ? 1 : 0;
  }
  if (words.length && shown <= UNFOLDED) unfoldFound(target);
  const said = input.closest(".search")?.querySelector("output");
  if (said) said.textContent = words.length ? ` ${shown} found` : "";
}

document.addEventListener("input", (event) => {
  const input = event.target;
  if (input instanceof HTMLInputElement && input.type === "search") filter(input);
});

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-fold]") : null;
  if (!button) return;
  const open = button.getAttribute("data-fold") === "open";
  for (const each of document.querySelectorAll("#view details")) {
    if (each instanceof HTMLDetailsElement) each.open = open;
  }
});

addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("#view details")) {
    if (each instanceof HTMLDetailsElement) each.open = true;
  }
});
