"""Source to goals: names resolved, operators chosen, coercions inserted.

- `subject`: structures a proposition is about
- `assemble_goal`: claim plus everything reached
- `elaborator`: the entry: goals of a theory
- `check_program`: what `kleis check` finds
"""
