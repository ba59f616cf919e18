"""Jobs in killable processes.

Call `broker.Broker` first.  Knows no engine and no solver: what the worker has ready is named by its callers.

- `deadline`: how long a caller waits
- `pipe_messages`: length-prefixed pickles
- `attempt`: one job in a confined child
- `worker`: the process that forks a child per attempt
- `broker`: starts the worker, submits jobs, cancels them
- `cancellable_broker`: one question's view of a shared broker: stop, deadline, limits met
"""
