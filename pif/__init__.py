"""PIF: a fuel-bounded lambda calculus whose programs are JSON."""
