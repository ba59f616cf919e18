"""Proves and refutes goals: engines in killable processes, in a published order (`portfolio.ORDER`), and checks of whatever they find.

Call `prover.Prover` first: questions about a theory to verdicts.  `shared_provers.Provers` is for servers.  A verdict
depends on the goal, the published order and the budgets in steps, never on which process was faster; a time limit may
only turn a verdict into `unknown`.

- `protocol/`: what task, answer, witness and verdict are
- `process/`: jobs in killable processes
- `lowering/`: goals rewritten to what provers can express
- `smt/`: tasks as SMT-LIB scripts
- `problem_files`: TPTP and SMT-LIB files for other provers
- `checker/`: certificates judged, sharing nothing with what finds proofs
- `engines/`: the searches
- `counterexample_parts`: what the parts of a claim come to at a counterexample
- `evidence`: witnesses checked before they are shown
- `small_claims`: small claims about numbers, computed without a process
- `portfolio`: engines, their order and budgets
- `confirming`: that check, in a child process
- `find_witness`: the value that a proved ∃ speaks of
- `reasons`: why a verdict is as it is, in words, and what to try next
- `verdict_cache`: verdicts on disk, by digest
- `facts`: what is proved already, and where it may be used
- `known_laws`: which known laws settle a claim, by rewriting and matching
- `library_laws`: the proved laws of the library, and which of them serve
- `kept_certificates`: certificates of verdicts for other machines
- `obligations`: recursions that have to end, implementations that have to be models
- `axioms_alone`: whether axioms clash, and whether they have a model
- `verdict_of`: the verdict that an engine's answer is
- `consistency`: whether declarations have a model, and which of their axioms have none together
- `from_elsewhere`: what certificates of other machines show of questions
- `prover`: questions about a theory to verdicts; `unknown` and its reason are made here
- `clashes`: which axioms of a file have no model together
- `lemmas`: the lemmas of files and sessions: proved in order, or taken from kept verdicts
- `shared_provers`: provers kept per theory
- `certificates/`: verdicts that others can check again
- `model_search/`: models that one asks for, all of them, the best one

An engine is added in `engines/`, entered in `portfolio`, and described in docs/reference/proving.md §7; if it brings a
new kind of proof or witness, that is a rule in `checker/rules`, and `certificates.left_by_engines` writes its data.  A new built-in is encoded
in `smt.encode_builtins`, or in `lowering` if it is about lists.
"""
