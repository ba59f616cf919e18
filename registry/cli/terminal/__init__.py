"""What every command of `pif` and `kleis` shares.

- `characters`: text made safe to show
- `usage`: what is wrong with a command line
- `sources`: what an argument stands for: a name, JSON, `@FILE`, `-`
- `tokens`: the options that name a token for a server
- `shared_commands`: `completion` and `--version`
- `commands`: click classes and the option `--timeout`
- `layout`: JSON on lines, with the place of one part known
- `screen`: standard output and error of `pif`, styled on a terminal
- `plain_output`: standard output and error of `kleis`
- `kleis_source`: Kleis in colour
- `pages`: a view written to a file
- `pictures`: a drawing as SVG, PNG, Mermaid, DOT or a page
- `live_line`: what is being done, on one line of a terminal
- `proof_time`: the time of proofs, and the line that a terminal shows meanwhile
- `error_report`: an error with the place it is about, a caret and a hint
- `prompt/`: statements read from a terminal or a script
- `command_context`: the home, the form of an answer, where it is written
- `session`: commands of `pif` as click has them
- `process`: standard streams, interrupts, exit statuses

`process` is imported first and imports nothing of ours, so that an interrupt during start-up is caught.
"""
