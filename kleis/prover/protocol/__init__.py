"""What task, answer, witness and verdict are.

- `verdict`: the one type of answers
- `engine`: task, answer, engine protocol
- `witness`: witness records, their JSON
"""
