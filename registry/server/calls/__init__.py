"""A call from name to answer.

- `argument_check`: arguments against their type
- `contexts`: progress, workers, announcements
- `dispatch`: calls, defects contained
- `scoped_tools`: one tool, several groups
"""
