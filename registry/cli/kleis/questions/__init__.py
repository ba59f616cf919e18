"""What `kleis` asks of the prover.

- `verify`: `kleis verify` and `kleis consistent`
- `certificates`: certificates written and checked
- `explore`: `kleis explore`: the laws of a structure
"""
