"""The group `conformance`: what the conformance suite of the protocol asks a server for by name (docs/conformance.md).

Its tools, resources and prompts do nothing of use. They go through the same server as those of every other group, so
that what the suite finds is true of the product. It is offered by `--groups conformance` only, never by default or `all`.

- `samples`: the contents that the suite expects: texts, an image, a sound
- `requests`: the arguments of each tool
- `answer_shapes`: what the tools answer
- `tool_specs`: the tools as clients see them
- `questions`: what the tools ask their clients, and what they make of the answers
- `group`: the handlers, resources and prompts

Names, texts and schemas are the suite's: they change when its pinned version changes (tests/conformance/package.json).
"""
