"""Many independent questions about one theory, answered by workers on any executor, a cluster among them.

    questions ── tasks of at least fifty ──> executor ──> certificates ── checked here ──> verdicts

Call `batch.Batch` first; a command that asks its own way has `ahead.Ahead`.  See docs/how-to/use-a-cluster.md and docs/adr/049-clusters.md.

- `questions`: what travels: declarations, tasks, answers; all of it data
- `engines_here`: the versions that have to be the same on both sides
- `work`: the task itself, as it runs on a worker
- `arrived`: certificates that came back, and which worker each came from
- `tasks`: questions cut into tasks
- `spread`: tasks over pools: lost ones asked again, late ones given up
- `cluster`: Dask as a pool, by address (extra `cluster`)
- `kept_cluster`: the same reached once by a process that asks again and again, and how long workers are busy for each caller
- `local_cluster`: workers on this machine for as long as a server runs
- `batch`: a batch decided here, with what workers found
- `ahead`: workers asked before a command comes to its questions

Nothing that comes back is believed: the prover of this process decides each question, and takes a certificate in place of
its search when the check of `kleis.prover.certificates.shared_verdicts` accepts it.
"""
