// The grammar by VS Code's own engine: what the pieces of a text are called.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const FILE = path.join(__dirname, "..", "syntaxes", "kleis.tmLanguage.json");

async function loaded() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === "source.kleis" ? textmate.parseRawGrammar(fs.readFileSync(FILE, "utf8"), FILE) : null,
  });
  return registry.loadGrammar("source.kleis");
}

/** The pieces of a text that have a scope of their own: [text, scope] pairs. */
function pieces(grammar, text) {
  let stack = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const scope = token.scopes[token.scopes.length - 1];
      if (scope !== "source.kleis") found.push([line.slice(token.startIndex, token.endIndex), scope]);
    }
  }
  return found;
}

// Asked by the tests in Python: the pieces of a file, as JSON.
if (process.env.KLEIS_FILE) {
  loaded().then((grammar) => {
    process.stdout.write(JSON.stringify(pieces(grammar, fs.readFileSync(process.env.KLEIS_FILE, "utf8"))));
  });
} else {
  const CASES = [
    ["// a comment", [["// a comment", "comment.line.double-slash.kleis"]]],
    [
      "structure Group(G) {",
      [
        ["structure", "keyword.control.declaration.kleis"],
        ["Group", "entity.name.type.kleis"],
        ["(", "punctuation.kleis"],
        ["G", "variable.other.kleis"],
        [")", "punctuation.kleis"],
        ["{", "punctuation.kleis"],
      ],
    ],
    [
      "operation (•) : G × G → G",
      [
        ["operation", "keyword.control.declaration.kleis"],
        ["(•)", "entity.name.function.kleis"],
        [":", "punctuation.kleis"],
        ["G", "variable.other.kleis"],
        ["×", "keyword.operator.kleis"],
        ["G", "variable.other.kleis"],
        ["→", "keyword.operator.kleis"],
        ["G", "variable.other.kleis"],
      ],
    ],
    [
      "axiom a : ∀(x : ℝ). f(x) ≥ 10",
      [
        ["axiom", "keyword.control.declaration.kleis"],
        ["a", "entity.name.function.proof.kleis"],
        [":", "punctuation.kleis"],
        ["∀", "keyword.control.symbol.kleis"],
        ["(", "punctuation.kleis"],
        ["x", "variable.other.kleis"],
        [":", "punctuation.kleis"],
        ["ℝ", "support.type.kleis"],
        [")", "punctuation.kleis"],
        [".", "punctuation.kleis"],
        ["f", "entity.name.function.call.kleis"],
        ["(", "punctuation.kleis"],
        ["x", "variable.other.kleis"],
        [")", "punctuation.kleis"],
        ["≥", "keyword.operator.kleis"],
        ["10", "constant.numeric.kleis"],
      ],
    ],
    ["definex", [["definex", "variable.other.kleis"]]],
    ["/* two", [["/*", "comment.block.kleis"], [" two", "comment.block.kleis"]]],
  ];

  test("pieces have their scopes", async () => {
    const grammar = await loaded();
    for (const [text, expected] of CASES) assert.deepStrictEqual(pieces(grammar, text), expected, text);
  });
}
