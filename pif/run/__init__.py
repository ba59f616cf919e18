"""From a request to an answer.

- `read_input`: input as callers write it, leniently, as a value or a term
- `stepping`: one step on either evaluator
- `answer_shapes`: the fields of answers
- `evaluate`: runs: what to call first
- `stack_room`: room for Python's frames
"""
