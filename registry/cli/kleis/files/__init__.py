"""What is done with files.

- `check`: does a file make sense
- `open_assertions`: assertions for the prover
- `test`: example blocks
- `check_and_test_report`: words of check and test
- `evaluate`: one expression
- `format`: one style
- `show`: trees and meanings
"""
