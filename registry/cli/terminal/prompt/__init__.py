"""A prompt: statements read from a terminal, or from standard input as a script.

- `history`: what was typed before, in the home, private and bounded
- `language`: what a prompt reads
- `reader`: who reads: an editor of lines, plain lines, a script
- `line_editor`: the editor of lines: completion, abbreviations, several lines, colours
- `loop`: statements read and answered until the end

Only `line_editor` and `history` import prompt_toolkit, and only where a terminal is.
"""
