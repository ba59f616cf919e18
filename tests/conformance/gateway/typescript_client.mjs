// A client of a TypeScript SDK at a gateway with `everything` behind it: node typescript_client.mjs sdk|client stdio|http TARGET…
// Prints one JSON object: task → what came of it. The client checks every message by its own schemas.

const [, , which, transportName, ...target] = process.argv;
const info = { name: "conformance", version: "1.0.0" };
const isNewer = which === "client";

async function transport() {
  const at = isNewer ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client";
  if (transportName === "http") {
    const { StreamableHTTPClientTransport } = await import(isNewer ? at : `${at}/streamableHttp.js`);
    return new StreamableHTTPClientTransport(new URL(target[0]));
  }
  const { StdioClientTransport } = await import(isNewer ? `${at}/stdio` : `${at}/stdio.js`);
  return new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "ignore" });
}

const { Client } = await import(isNewer ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client/index.js");
const client = isNewer ? new Client(info, { versionNegotiation: { mode: "auto" } }) : new Client(info);
await client.connect(await transport());
const listed = await client.listTools();
const progress = [];
const call = (name, given) => client.callTool({ name: `everything__${name}`, arguments: given });
const echoed = await call("echo", { message: "ü 😀" });
const wrong = await call("echo", {});
const structured = await call("get-structured-content", { location: "Chicago" });
const image = await call("get-tiny-image", {});
const links = await call("get-resource-links", { count: 2 });
const linked = await client.readResource({ uri: links.content[1].uri });
const operation = { name: "everything__trigger-long-running-operation", arguments: { duration: 0.1, steps: 2 } };
const options = { onprogress: (each) => progress.push(each.progress) };
const long = isNewer ? await client.callTool(operation, options) : await client.callTool(operation, undefined, options);
const resources = await client.listResources();
const prompt = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Bern" } });
const completion = await client.complete({
  ref: { type: "ref/prompt", name: "everything__completable-prompt" },
  argument: { name: "department", value: "E" },
});
const outcomes = {
  list: listed.tools.some((each) => each.name === "everything__echo"),
  echo: echoed.content[0].text === "Echo: ü 😀",
  error: wrong.isError === true,
  structured: structured.structuredContent.temperature === 36,
  image: image.content[1].mimeType === "image/png",
  link: linked.contents[0].uri === links.content[1].uri,
  // What comes just before an answer the SDKs may drop, straight as well.
  progress: progress[0] === 1 && long.content[0].text.includes("completed"),
  resources: resources.resources.length > 5,
  prompt: prompt.messages[0].content.text.includes("Bern"),
  completion: completion.completion.values[0] === "Engineering",
};
await client.close();
console.log(JSON.stringify(outcomes));
process.exit(0);
