// The bridge to an MCP host (the extension io.modelcontextprotocol/ui): the view that the server made of a result comes
// in the result's `_meta`, and takes the place of what is shown. Messages count only where the host sent them.

import { began, complain, connect, say, show } from "./calls.js";

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
function askHost(method, params) {
  number += 1;
  const id = number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

/** @type {string | undefined} */
let tool;

/** @param {any} context */
function follow(context) {
  const root = document.documentElement;
  tool = context?.toolInfo?.tool?.name ?? tool;
  if (context?.theme === "light" || context?.theme === "dark") root.setAttribute("data-theme", context.theme);
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
  const insets = context?.safeAreaInsets;
  for (const side of insets ? ["top", "right", "bottom", "left"] : []) {
    if (Number.isFinite(insets[side])) document.body.style.setProperty(`padding-${side}`, `${insets[side]}px`);
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
    began({ name: tool, arguments: params?.arguments });
    say("Working …");
  } else if (method === "ui/notifications/tool-result") {
    show(params);
  } else if (method === "ui/notifications/tool-cancelled") {
    complain(`Cancelled. ${params?.reason ?? ""}`);
  } else if (method === "ui/notifications/host-context-changed") {
    follow(params);
  } else if (id !== undefined && (method === "ui/resource-teardown" || method === "ping")) {
    send({ id, result: {} });
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: `this view has no method ${String(method).slice(0, 100)}` } });
  }
});

let told = "";

new ResizeObserver(() => {
  const { scrollWidth: width } = document.documentElement;
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (told === `${width} ${height}`) return;
  told = `${width} ${height}`;
  send({ method: "ui/notifications/size-changed", params: { width, height } });
}).observe(document.body);

askHost("ui/initialize", {
  appInfo: { name: "pif-kleis", version: "1" },
  appCapabilities: {},
  protocolVersion: "2026-01-26",
}).then((answer) => {
  if (answer?.hostCapabilities?.serverTools) connect(askHost);
  follow(answer?.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
}, (error) => say(`The host refused this view: ${error.message}`));
