"""What `kleis` does with files.

- `check`: `kleis check`: parsing, imports, names, elaboration
- `evaluate`: `kleis eval`: one expression
- `test`: `kleis test`: example blocks
- `open_assertions`: assertions that evaluation leaves open, asked of the prover
- `check_and_test_report`: what check and test print
- `format`: `kleis fmt`
- `show`: `kleis show`: syntax trees and goals
"""
