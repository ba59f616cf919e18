"""The group `lean`: jobs of the proving service for Lean. The work is in `registry.aristotle`.

- `requests`: the arguments of each tool
- `answer_shapes`: the fields of answers, as types
- `tool_specs`: the tools as clients see them
- `answers`: jobs as flat objects
- `kleis_route`: Kleis propositions, decided by the provers here before a job is made
- `group`: the handlers
"""
