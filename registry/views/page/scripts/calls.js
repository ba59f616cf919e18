// Buttons and forms that call tools, and the way back. Where the answer comes from is the business of `app` and `ui`.

const VIEW = "pif/view";

/** @typedef {{name?: string, arguments?: Record<string, unknown>, uri?: string}} Call */
/** @typedef {(method: string, params: Record<string, unknown>) => Promise<any>} Asking */

/** @type {Asking | null} */
let asking = null;
/** @type {{moved?: () => void, back?: () => void}} */
let hooks = {};
/** @type {Call} */
let current = {};
/** @type {{call: Call, nodes: ChildNode[], title: string}[]} */
const before = [];
let working = 0;

/**
 * Let buttons and forms work. `moved` is told of each new view, `back` takes the way back in place of this module.
 * @param {Asking} ask
 * @param {{moved?: () => void, back?: () => void}} told
 */
export function connect(ask, told = {}) {
  asking = ask;
  hooks = told;
  document.documentElement.classList.add("calls");
}

/** @returns {HTMLElement} */
function main() {
  const found = document.getElementById("view");
  if (!found) throw new Error("the document has no view");
  return found;
}

/**
 * Say something in place of the view.
 * @param {string} text
 */
export function say(text) {
  const line = document.createElement("p");
  line.textContent = text;
  line.setAttribute("role", "status");
  main().replaceChildren(line);
}

/**
 * Say what went wrong above the view, which stays.
 * @param {string} text
 */
export function complain(text) {
  main().querySelector(":scope > .complaint")?.remove();
  if (!text) return;
  const line = document.createElement("p");
  line.textContent = text;
  line.className = "notice complaint";
  line.setAttribute("role", "alert");
  main().prepend(line);
}

/** @param {Call} call */
export function began(call) {
  current = call;
}

/**
 * Show an answer of a tool or the contents of a resource: its view, else its text.
 * @param {any} result
 */
export function show(result) {
  const contents = result?.contents?.[0];
  const view = result?._meta?.[VIEW] ?? contents?._meta?.[VIEW];
  if (typeof view === "string") {
    // The server made it of escaped text; a parsed document runs no script, and the policy allows none.
    const parsed = new DOMParser().parseFromString(view, "text/html");
    main().replaceChildren(...parsed.body.childNodes);
  } else {
    const texts = (result?.content ?? []).filter((each) => each?.type === "text").map((each) => each.text);
    say(texts.join("\n") || contents?.text || "The answer is empty.");
  }
  const title = main().querySelector("h1")?.textContent;
  if (title) document.title = title.slice(0, 200);
  offerTheWayBack();
}

function offerTheWayBack() {
  if (before.length === 0) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Back";
  button.addEventListener("click", () => (hooks.back ? hooks.back() : goBack()));
  const line = document.createElement("p");
  line.className = "buttons back";
  line.append(button);
  main().prepend(line);
}

/** Show what was shown before. */
export function goBack() {
  const last = before.pop();
  if (!last) return;
  current = last.call;
  document.title = last.title;
  main().replaceChildren(...last.nodes);
  main().focus();
}

/** Keep what is shown, to be gone back to. */
export function leave() {
  complain("");
  before.push({ call: current, nodes: [...main().childNodes], title: document.title });
  hooks.moved?.();
}

/**
 * Ask for something and show it.
 * @param {Call} call
 */
export async function open(call) {
  if (!asking) return;
  working += 1;
  document.body.setAttribute("aria-busy", "true");
  try {
    const result = call.uri !== undefined
      ? await asking("resources/read", { uri: call.uri })
      : await asking("tools/call", { name: call.name, arguments: call.arguments ?? {} });
    leave();
    current = call;
    show(result);
    main().focus();
    window.scrollTo(0, 0);
  } finally {
    working -= 1;
    if (working === 0) document.body.removeAttribute("aria-busy");
  }
}

/**
 * The call that an element names, with what it takes over from the call that is shown.
 * @param {Element} element
 * @returns {Call}
 */
function callOf(element) {
  const call = JSON.parse(element.getAttribute("data-call") ?? "{}");
  if (call.uri !== undefined) return call;
  const taken = { ...call.arguments };
  for (const name of (element.getAttribute("data-inherit") ?? "").split(" ").filter(Boolean)) {
    if (taken[name] === undefined && current.arguments?.[name] !== undefined) {
      taken[name] = current.arguments[name];
    }
  }
  return { ...call, arguments: taken };
}

/**
 * JSON whose whole numbers keep all their digits, where the browser tells what they were written as.
 * @param {string} text
 * @returns {unknown}
 */
function exactly(text) {
  /** @type {any} */
  const reviver = (_key, value, context) =>
    typeof value === "number" && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  return JSON.parse(text, reviver);
}

/**
 * What stands in a control; undefined for what may be left out and is.
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @param {boolean} isTerm
 * @returns {unknown}
 */
function valueOf(control, isTerm) {
  const kind = control.getAttribute("data-kind");
  if (kind === "truth") return control instanceof HTMLInputElement && control.checked;
  const text = control.value;
  if (kind === "integer" && text.trim()) return BigInt(text.trim());
  if (kind === "lines") return text.split("\n").map((each) => each.trim()).filter(Boolean);
  if (kind === "names") return text.split(",").map((each) => each.trim()).filter(Boolean);
  if (kind === "json" && text.trim()) return exactly(text);
  return text === "" && !isTerm ? undefined : text;
}

/**
 * A value as a PIF term, in JSON text with all digits.
 * @param {unknown} value
 * @returns {string}
 */
function termOf(value) {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(termOf).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${termOf(each)}`);
    return `{"record":{${fields.join(",")}}}`;
  }
  return JSON.stringify(value ?? null);
}

/**
 * The arguments that a form's fields give.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 */
function argumentsOf(form) {
  const term = form.getAttribute("data-term");
  /** @type {Record<string, any>} */
  const given = {};
  for (const control of form.elements) {
    const isField = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
      || control instanceof HTMLSelectElement;
    if (!isField || !control.name) continue;
    const value = valueOf(control, term !== null);
    if (value === undefined) continue;
    const path = control.name.startsWith("[") ? namesIn(control.name) : [control.name];
    let inside = given;
    for (const name of path.slice(0, -1)) inside = inside[name] ??= {};
    inside[path[path.length - 1]] = term === null && typeof value === "bigint" ? Number(value) : value;
  }
  if (term === null) return given;
  const ordered = Object.keys(given).sort((a, b) => Number(a) - Number(b)).map((name) => termOf(given[name]));
  return { code: `{"app":[${[JSON.stringify(term), ...ordered].join(",")}]}` };
}

/**
 * A path of names within names: ["0", "a"] or [["0", "a"], "b"].
 * @param {string} written
 * @returns {string[]}
 */
function namesIn(written) {
  /** @type {any} */
  let path = JSON.parse(written);
  const names = [];
  while (Array.isArray(path)) {
    names.unshift(path[1]);
    path = typeof path[0] === "string" && path[0].startsWith("[") ? JSON.parse(path[0]) : path[0];
  }
  return [path, ...names];
}

/** @param {unknown} error */
function words(error) {
  return error instanceof Error ? error.message : String(error);
}

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-call]") : null;
  if (!(button instanceof HTMLButtonElement) || button.disabled || !asking) return;
  button.disabled = true;
  try {
    await open(callOf(button));
  } catch (error) {
    complain(`There is no answer: ${words(error)}`);
  } finally {
    button.disabled = false;
  }
});

/**
 * Ask what a form asks. Its button is listened to and no `submit`, which frames without leave for forms never see.
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement} submit
 */
async function ask(form, submit) {
  if (!asking || !form.reportValidity()) return;
  const said = form.querySelector("[role=alert]");
  if (said) said.textContent = "";
  submit.disabled = true;
  try {
    const call = callOf(form);
    await open({ ...call, arguments: { ...call.arguments, ...argumentsOf(form) } });
  } catch (error) {
    if (said) said.textContent = `There is no answer: ${words(error)}`;
  } finally {
    submit.disabled = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("form[data-call] button[type=submit]") : null;
  if (!(button instanceof HTMLButtonElement) || !button.form) return;
  event.preventDefault();
  void ask(button.form, button);
});
