"""The group `documents`: pictures drawn and papers of theory sessions. The work is in `kleis.documents`.

- `requests`: the arguments of each tool
- `answer_shapes`: the fields of answers
- `tool_specs`: the tools as clients see them
- `group`: the handlers and the resources
"""
