// The bridge to an MCP host (the extension io.modelcontextprotocol/ui): the view that the server made of a result comes
// in the result's `_meta`, and takes the place of what is shown. Messages count only where the host sent them.

const VIEW = "pif/view";
const waiting = new Map();
let number = 0;

/** @param {Record<string, unknown>} message */
function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

/**
 * @param {string} method
 * @param {Record<string, unknown>} params
 * @returns {Promise<any>}
 */
function ask(method, params) {
  number += 1;
  const id = number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

/** @param {string} text */
function say(text) {
  const main = document.getElementById("view");
  const line = document.createElement("p");
  line.textContent = text;
  line.setAttribute("role", "status");
  main?.replaceChildren(line);
}

/** @param {any} result */
function show(result) {
  const main = document.getElementById("view");
  const view = result?._meta?.[VIEW];
  if (main && typeof view === "string") {
    // Our own server made it of escaped text; a parsed document runs no script, and the policy allows none.
    const parsed = new DOMParser().parseFromString(view, "text/html");
    main.replaceChildren(...parsed.body.childNodes);
  } else {
    const texts = (result?.content ?? []).filter((each) => each?.type === "text").map((each) => each.text);
    say(texts.join("\n") || "The answer is empty.");
  }
  for (const button of document.querySelectorAll("button[data-call]")) {
    if (button instanceof HTMLButtonElement) button.disabled = !canCall;
  }
}

let canCall = false;

/** @param {any} context */
function follow(context) {
  const root = document.documentElement;
  if (context?.theme === "light" || context?.theme === "dark") root.setAttribute("data-theme", context.theme);
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
}

addEventListener("message", (event) => {
  if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = event.data;
  if (method === undefined) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked && error) asked.reject(new Error(String(error.message)));
    else asked?.resolve(result);
  } else if (method === "ui/notifications/tool-input") {
    say("Working …");
  } else if (method === "ui/notifications/tool-result") {
    show(params);
  } else if (method === "ui/notifications/tool-cancelled") {
    say(`Cancelled. ${params?.reason ?? ""}`);
  } else if (method === "ui/notifications/host-context-changed") {
    follow(params);
  } else if (id !== undefined && (method === "ui/resource-teardown" || method === "ping")) {
    send({ id, result: {} });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `this view has no method ${String(method).slice(0, 100)}` } });
  }
});

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-call]") : null;
  if (!(button instanceof HTMLButtonElement) || button.disabled) return;
  button.disabled = true;
  try {
    const call = JSON.parse(button.getAttribute("data-call") ?? "{}");
    show(await ask("tools/call", { name: call.name, arguments: call.arguments }));
  } catch (error) {
    say(`The host did not answer: ${error instanceof Error ? error.message : ""}`);
  }
});

new ResizeObserver(() => {
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  send({ method: "ui/notifications/size-changed", params: { width, height } });
}).observe(document.body);

ask("ui/initialize", {
  appInfo: { name: "pif-kleis", version: "1" },
  appCapabilities: {},
  protocolVersion: "2026-01-26",
}).then((answer) => {
  canCall = Boolean(answer?.hostCapabilities?.serverTools);
  follow(answer?.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
}, (error) => say(`The host refused this view: ${error.message}`));
