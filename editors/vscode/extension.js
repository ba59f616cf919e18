// The client: it starts `kleis lsp` and leaves everything else to it.
// @ts-check
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** Start the server that the user's settings name. */
async function start() {
  const settings = vscode.workspace.getConfiguration("kleis.server");
  const command = settings.get("command", "kleis");
  const args = settings.get("arguments", ["lsp"]);
  client = new LanguageClient(
    "kleis",
    "Kleis",
    { command, args },
    {
      documentSelector: [{ language: "kleis" }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.kleis") },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `Kleis: ${command} ${args.join(" ")} did not start (${reason}). ` +
        "Install it with pip install 'pif-kleis[lsp]', or set kleis.server.command.",
    );
  }
}

/** End the server; it ends its provers. */
async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** @param {import("vscode").ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("kleis.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("kleis.server")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
