"""Aristotle, the proving service for Lean: jobs that survive, and proofs that are not taken on trust.

Specification: lean-and-corpus.md §1.6, §2, §6.6; servers.md, group `lean`; ADR 019.

| module | what it holds |
|---|---|
| `service` | what is asked of a proving service: our own small protocol, and its failures |
| `library` | the real service through `aristotlelib`, imported only when a key is set |
| `stand_in`, `stand_in_http` | a scripted service of ours, in process (`ARISTOTLE_MOCK`) and over HTTP on loopback |
| `choice` | which of them the environment asks for |
| `jobs` | the record of a job, and the directory that keeps it |
| `judgement` | what a finished run means: pure |
| `desk` | submitting, polling, cancelling: every step of a job's life; what to call first |
| `folders` | which files may be read and written, and how |
| `escalation` | a Kleis proposition: portfolio, Lean export, service |

Invariants: a job is written down before the service hears of it; its id is random; what the service says is stored as
it was said and judged by our own rules.  No key is ever written, logged or answered.
"""
