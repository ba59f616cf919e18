"""PIF tools as Kleis definitions (docs/reference/registry.md §8).

- `kleis_syntax`: short ways to make nodes of the syntax tree
- `kleis_names`: names of tools, helpers and variables in Kleis
- `node_types`: inferred PIF types, node by node, and the Kleis types for them
- `inline_higher_order`: tools that take or give functions, inlined before inference
- `symbolic_values`: what a part of the code is during translation, and the protocol `Translation`
- `known_folds`: folds that are built-in operations of Kleis
- `applications`: calls of lambdas and tools
- `folds`: other folds, `range`, `chars` and `join` as recursive helpers
- `operations`: the other operations of the table, and conditions
- `translator`: the definition of one tool
- `value_conversion`: values of one language as values of the other
- `tool_theory`: a set of tools as a theory, with their signatures

Call `tool_theory.ToolTheory` first; it raises `Untranslatable` with reason and place for a tool that has no definition.
A definition is about the calculus without its limits on fuel, depth and size. A new operation of
`pif.language.primitives` needs a rule in `operations`, or an entry in its table of operations that Kleis does not have.
`registry.laws` uses the definitions and adds where they have values.
"""
