"""The bridge between the two languages: PIF tools that ask theories, theories that speak of PIF tools.

| module | what it holds |
|---|---|
| `kleis_terms` | quoted PIF terms as Kleis expressions, and back |
| `oracles` | the theory that a run may ask (`pif.oracle.Theory`), over `kleis.theory` and the prover |
| `attempts` | a broker's attempts that can be stopped together |
"""
