"""Laws of tools: proved, refuted, tested, kept.

- `law_text`: laws read, hints
- `law_report`: outcome and what is kept
- `law_prover`: one broker for all laws
- `trials`: laws tried at assignments
- `goals`: what the prover is asked
- `counterexamples`: prover's points, run
- `check_laws`: laws labelled
- `equivalence`: do two tools agree
- `on_evolve`: what a version must keep
- `requests`: verify and analyze against
- `prove_library`: certificates of the library
"""
