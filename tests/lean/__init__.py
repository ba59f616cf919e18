"""A real Lean reads what `kleis export --lean` writes: `make lean`, and the page docs/lean-check.md.

- `installation`: a Lean 4 as WebAssembly in `.lean`, or the one on the PATH
- `texts`: what is exported
- `bundle`: files joined to what one run of Lean reads, with `stub.lean` for the names of Mathlib
- `reading`: what Lean says of each file
- `report`: the page, and the record of what Lean has read
- `meaning/`: statements whose meaning was compared by hand

A run takes gigabytes and minutes, so it is no part of CI.  `test_readings` compares every file with the text that Lean
has read last, so that a change of the export asks for another run.
"""
