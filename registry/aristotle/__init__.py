"""Jobs of Aristotle, the proving service for Lean: they survive the process, and their results are judged by our rules.

- `service`: the protocol of a proving service, and its failures
- `real_service`: the service through `aristotlelib`, imported only when a key is set
- `stand_in`: a scripted service, in process (`ARISTOTLE_MOCK`) and over HTTP on loopback
- `choose_service`: which of them the environment asks for
- `job_store`: the record of a job, and the directory that keeps it
- `job_rows`: the same in a database that several machines share
- `job_requests`: what a call asks for, as a job
- `judgement`: what a run that has ended means
- `job_runner`: every step of a job's life: what to call first
- `escalation`: a Kleis proposition: the provers here, Lean text, the service
- `allowed_folders`: which files may be read and written, and how

Invariants: a job is written down before the service hears of it; its id is random; what the service says is stored as
it was said and judged here.  No key is ever written, logged or answered.

A change here usually touches `registry.server.groups.lean`, and `kleis.lean.acceptance` for what counts as a proof.
See docs/reference/lean.md §8, docs/adr/019-aristotle-and-corpus.md.
"""
