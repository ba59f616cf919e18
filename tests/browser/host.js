// A host of MCP Apps, made with the official library: it calls a tool of a server and shows its view in a frame.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const INFO = { name: "host-of-tests", version: "1.0.0" };
const EXTENSION = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

let client;
let bridge;
let tools = [];
const documents = new Map();
window.sizes = [];

window.connected = async (endpoint) => {
  client = new Client(INFO, { capabilities: { extensions: EXTENSION } });
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
  tools = (await client.listTools()).tools;
  return tools.map((each) => ({ name: each.name, uri: each._meta?.ui?.resourceUri ?? null }));
};

window.called = async (name, given, theme) => {
  let tool = tools.find((each) => each.name === name);
  if (!tool) {
    tools = (await client.listTools()).tools;
    tool = tools.find((each) => each.name === name);
  }
  const uri = tool._meta.ui.resourceUri;
  if (!documents.has(uri)) documents.set(uri, (await client.readResource({ uri })).contents);
  const contents = documents.get(uri);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width: 900px; height: 700px; border: 0";
  document.body.replaceChildren(frame);
  bridge = new AppBridge(client, INFO, { serverTools: {}, serverResources: {}, logging: {} }, {
    hostContext: { theme, displayMode: "inline", toolInfo: { tool } },
  });
  bridge.onsizechange = (size) => {
    window.sizes.push(size);
    if (size.height) frame.style.height = `${size.height}px`;
  };
  const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = contents[0].text;
  await ready;
  await bridge.sendToolInput({ arguments: given });
  const result = await client.callTool({ name, arguments: given });
  await bridge.sendToolResult(result);
  return { mimeType: contents[0].mimeType, structured: result.structuredContent, isError: result.isError ?? false };
};

window.themed = (theme) => bridge.setHostContext({ theme });
window.cancelled = (reason) => bridge.sendToolCancelled({ reason });
window.isReady = true;
