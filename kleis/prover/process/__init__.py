"""Jobs in killable processes.

Call `broker.Broker` first.  Knows no engine and no solver: what the worker has ready is named by its callers.

- `deadline`: how long a caller waits
- `pipe_messages`: length-prefixed pickles
- `request`: what a worker is asked, with its limits
- `attempt`: one job in a confined child; a limit on time or memory becomes its answer
- `worker`: the process that forks a child per attempt
- `tally`: what the provers of a process have done
- `connection`: a worker started and asked, and the futures of its answers
- `broker`: starts the worker, submits jobs, cancels them
- `cancellable_broker`: a broker for one question: it can be stopped, ends at a deadline, remembers whether a limit cut it
"""
