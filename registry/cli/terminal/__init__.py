"""What every command shares.

- `characters`: text made safe to show
- `layout`: JSON laid out
- `plain_output`: lines to the streams
- `screen`: standard output, styled
- `sources`: names, JSON, `@FILE`, `-`
- `error_report`: error, caret, hint
- `process`: streams, interrupts, status
- `commands`: click classes, `--timeout`
- `session`: home, answers, exit status
"""
