"""The commands `pif` and `kleis`.

- `pif/`: `pif`: tools, runs, laws, the home, the server
- `kleis/`: `kleis`: files, questions to the prover, policies, output for others
- `terminal/`: what every command shares: sources, output, errors, exit statuses
- `demo/`: `pif demo`

Specification: docs/reference/serving.md §9.
"""
