"""Attempts in killable processes.

- `deadline`: how long somebody waits
- `pipe_messages`: length-prefixed pickles
- `attempt`: one child, confined
- `worker`: forks a child per attempt
- `broker`: attempts for callers
- `cancellable_broker`: a view: stop, cut, near
"""
