"""The engines: budgeted searches, each a pure function of a task and a number of steps.

Specification: proving.md §3, provers.md §3.  What an engine is stands in kleis/prover/protocol/engine.py; which run when, and
what becomes of their answers, is the portfolio's.  None is trusted: a model is evaluated again, a proof is checked
again, by code that shares nothing with the search.
"""
