"""What a group of tools is, and what a server was asked for. No MCP library here.

- `advertised_schemas`: JSON Schemas of arguments and answers, from their types
- `content`: images, sounds and resources inside answers and prompts
- `questions`: what a tool may ask its client, and the client's log
- `group`: `Group`, `ToolSpec`, `Answer`, `CallContext`: read this to write a group
- `prompts`: the workflows of each group
- `page`: what a server over HTTP shows beside MCP
- `machine_memory`: the default of `--memory`
- `settings`: the options of `pif serve`, their checks, and the `Site` that groups share

A new option of `pif serve` is a field of `settings.Settings` and an option in `registry.cli.pif.home_commands`.
"""
