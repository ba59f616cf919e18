// The bridge of `pif ui`: data come from the server that served this page, through /mcp, with the token of the URL's fragment.

import { complain, connect, goBack, leave, open, say } from "./calls.js";

const PROTOCOL = "2026-07-28";
const TOKEN = "pif-token";
const LOOK_MS = 3000;
const CAPABILITIES = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

class Lost extends Error {}

/** The token of the fragment, which does not stay in the address; a tab keeps it while it is open. */
function takeToken() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(TOKEN, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

const token = takeToken();
let asked = 0;

/**
 * One request to the server.
 * @param {string} method
 * @param {Record<string, any>} params
 * @returns {Promise<any>}
 */
async function askServer(method, params) {
  asked += 1;
  const id = asked;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": { name: "pif-ui", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": CAPABILITIES,
  };
  /** @type {Record<string, string>} */
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": PROTOCOL,
    "Mcp-Method": method,
  };
  const name = params.name ?? params.uri;
  if (name !== undefined) headers["Mcp-Name"] = headerText(String(name));
  let response;
  try {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } });
    response = await fetch("/mcp", { method: "POST", headers, body, cache: "no-store", credentials: "omit" });
  } catch {
    lost();
    throw new Lost("the server does not answer");
  }
  found();
  const text = await response.text();
  const message = answerIn(text, response.headers.get("content-type") ?? "");
  if (response.status === 401) {
    throw new Error("this page has no valid token: open the address that `pif ui` printed when it was started");
  }
  if (message?.error) throw new Error(String(message.error.message));
  if (!response.ok || message?.result === undefined) throw new Error(`the server said ${response.status}`);
  return message.result;
}

/**
 * Text that may stand in a header; other text is encoded as the protocol asks.
 * @param {string} text
 */
function headerText(text) {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?")) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(String.fromCharCode(...bytes))}?=`;
}

/**
 * The answer in a body: JSON, or the last message of a stream of events.
 * @param {string} text
 * @param {string} type
 */
function answerIn(text, type) {
  try {
    if (!type.startsWith("text/event-stream")) return JSON.parse(text);
    const messages = text.split(/\r?\n\r?\n/).map((block) =>
      block.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n"));
    return messages.filter((data) => data.trim()).map((data) => JSON.parse(data)).findLast((each) => each.id !== undefined);
  } catch {
    return null;
  }
}

const status = document.getElementById("server");
let isLost = false;

function lost() {
  isLost = true;
  if (!status) return;
  status.hidden = false;
  status.textContent = "The server does not answer. This page looks for it, and goes on when it is there.";
}

function found() {
  if (!isLost) return;
  isLost = false;
  if (status) status.hidden = true;
  complain("");
  if (!hasBegun) void begin();
}

setInterval(async () => {
  if (document.hidden && !isLost) return;
  try {
    const answer = await fetch("/livez", { cache: "no-store", credentials: "omit" });
    if (answer.ok) found();
    else lost();
  } catch {
    lost();
  }
}, LOOK_MS);

let depth = 0;

connect(askServer, {
  moved: () => {
    depth += 1;
    history.pushState({ depth }, "");
  },
  back: () => history.back(),
});

addEventListener("popstate", (event) => {
  const wanted = event.state?.depth ?? 0;
  while (depth > wanted) {
    depth -= 1;
    goBack();
  }
});

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-show]") : null;
  if (!button) return;
  const template = document.getElementById(button.getAttribute("data-show") ?? "");
  const view = document.getElementById("view");
  if (!(template instanceof HTMLTemplateElement) || !view) return;
  leave();
  view.replaceChildren(template.content.cloneNode(true));
  view.focus();
});

let hasBegun = false;

/** Show what the server offers, and its first page. */
async function begin() {
  if (!token) {
    say("This page needs the token that `pif ui` prints: open the whole address.");
    return;
  }
  try {
    /** @type {Set<string>} */
    const offered = new Set();
    let cursor;
    do {
      const page = await askServer("tools/list", cursor === undefined ? {} : { cursor });
      for (const each of page.tools) offered.add(each.name);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    hasBegun = true;
    let first = null;
    for (const button of document.querySelectorAll("#places button")) {
      const isOffered = offered.has(button.getAttribute("data-needs") ?? "");
      if (button instanceof HTMLButtonElement) button.hidden = !isOffered;
      if (isOffered) first ??= button;
    }
    const call = first?.getAttribute("data-call");
    if (call) await open(JSON.parse(call));
  } catch (error) {
    say(error instanceof Lost ? "Waiting for the server …" : `There is no answer: ${error instanceof Error ? error.message : ""}`);
  }
}

void begin();
