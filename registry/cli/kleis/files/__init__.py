"""What `kleis` does with files.

- `check`: `kleis check`: parsing, imports, names, elaboration
- `evaluate`: `kleis eval`: one expression
- `plots`: pictures of example blocks drawn
- `test`: `kleis test`: example blocks
- `stated_lemmas`: lemmas proved in order, for the items after them
- `open_assertions`: assertions that evaluation leaves open, asked of the prover
- `check_and_test_report`: what check and test print
- `format`: `kleis fmt`
- `show`: `kleis show`: syntax trees and goals
"""
