"""Theories that runs ask.

- `answer_records`: answers and listings as values
- `quoted_terms`: quoted terms and Kleis, both ways
- `theory_oracle`: `pif` host over a theory
"""
