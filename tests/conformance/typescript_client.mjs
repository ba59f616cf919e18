// The tasks of `clients.TASKS` by a client of a TypeScript SDK: node typescript_client.mjs sdk|client stdio|http TARGET…
// Prints one JSON object: task → what came of it.

const [, , which, transportName, ...target] = process.argv;
const info = { name: "conformance", version: "1.0.0" };

async function connected() {
  if (which === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client(info);
    if (transportName === "http") {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
    } else {
      const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
      await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "ignore" }));
    }
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client(info, { versionNegotiation: { mode: "auto" } });
  if (transportName === "http") {
    await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
  } else {
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1), stderr: "ignore" }));
  }
  return client;
}

const client = await connected();
const listed = await client.listTools();
const call = (name, given) => client.callTool({ name, arguments: given });
const twice = { mul: [{ var: "x" }, 2] };
const evolved = await call("evolve", { name: "double", description: "Doubles", code: twice });
const run = await call("run", { code: "double", input: 21 });
const wrong = await call("run", { cod: 1 });
const claim = await call("evaluate", { expression: "∀(x : ℤ). x + 0 = x" });
const big = await call("run", { code: { add: ["x", "y"] } });
const resource = await client.readResource({ uri: "pif://tools/double" });
const prompt = await client.getPrompt({ name: "evolve_tool", arguments: { purpose: "to double" } });
const completion = await client.complete({
  ref: { type: "ref/resource", uri: "pif://tools/{name}" },
  argument: { name: "name", value: "dou" },
});
const outcomes = {
  list: listed.tools.some((each) => each.name === "run"),
  evolve: evolved.structuredContent.name === "double",
  run: run.structuredContent.value === 42 && run.isError === false,
  error: wrong.isError === true && wrong.content[0].text.includes("did you mean `code`"),
  refused: big.isError === true,
  verdict: claim.structuredContent.verified === true,
  resource: resource.contents[0].text.includes("mul"),
  prompt: prompt.messages[0].content.text.includes("to double"),
  completion: completion.completion.values.includes("double"),
};
await client.close();
console.log(JSON.stringify(outcomes));
process.exit(0);
