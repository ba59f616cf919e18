"""Kleis: a mathematical language of structures, axioms, definitions and data types, with a prover.

Data goes one way: text → tree → theory → goal → verdict, and text → tree → theory → value.  The map is in the order
of the layers, lowest first; a folder imports only from earlier lines of this list.

- `errors`: the exceptions, each with code, place, found, expected and hint
- `budget`: limits of evaluation, the meter of a run, room for recursion
- `problems`: errors and warnings about a whole program, as values
- `spelling`: the known names nearest to an unknown one, for "did you mean"
- `strongly_connected`: components of a graph, parts before wholes
- `decoding`: data into types with msgspec, safe in threads
- `installed_versions`: versions of packages, without a library for metadata
- `durable_files`: files replaced whole, so that a kill leaves the old or the new; locks between processes
- `syntax/`: source text to tree and back, formatting included
- `values/`: what evaluation gives; equality; values as text
- `typesetting/`: Typst text from text, prose, expressions and values
- `pictures/`: pictures as data: series, axes, options
- `core/`: the typed terms and goals that every engine reads
- `definedness/`: where a term has a value
- `builtins/`: the built-in operations, one row each
- `semantics/`: the reference semantics of core terms, by brute force
- `termination/`: why recursive definitions end
- `theory/`: files and imports to a theory; the check of its names
- `editing/`: what editors know of a text: colours, statements, completion
- `evaluator/`: exact evaluation under a budget, example blocks
- `delaborate/`: core terms and goals back to source
- `elaborate/`: propositions of a theory to goals
- `prover/`: goals to verdicts: engines, cache, certificates
- `lean/`: export to Lean 4, and proofs that come back
- `documents/`: pictures drawn, documents compiled, papers of theories
- `batches/`: many questions at once, on this machine or on a cluster
- `machines/`: state machines: invariants, traces, deadlock, variants
- `sessions/`: theories that grow by checked submissions
- `policy/`: what an agent may do, written in Kleis
- `corpus/`: papers whose claims are linked to declarations
- `explore/`: candidate laws of a structure, conjectured and decided
- `conversation/`: a session that is talked to, statement by statement
- `scripting`: `verify`, `evaluate` and `Theory`, for people who script

What to call first, in a script (docs/reference/python.md)::

    import kleis
    kleis.verify("∀(x : ℝ). x² ≥ 0").status                           # raises KleisError for what is no question
    kleis.Theory.load("groups.kleis").verify("∀(x : G). inv(inv(x)) = x")

and in a program::

    from kleis import Loader, check_names, parse_source, search_from
    loading = Loader(search_from(os.environ)).load("policy.kleis")    # theory, errors, problems
    result = parse_source("define f(x) = x + 1")                      # never raises on bad text

Then `kleis.evaluator.evaluate` for values, `kleis.elaborate.elaborator` and `kleis.prover.prover` for propositions.

Not promised: that a program without problems here has a meaning.  Elaboration and provers decide that.
The names below are imported when they are first used, so ``import kleis`` stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kleis.errors import BudgetError, EvaluationError, KleisError, LoadError, ParseError
    from kleis.problems import Place, Problem
    from kleis.scripting import Theory, evaluate, verify
    from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
    from kleis.syntax.printer.formatter import format_source
    from kleis.syntax.printer.program import print_expression, print_program, print_type
    from kleis.theory.import_search import ImportSearch, search_from
    from kleis.theory.loader import Loader, Loading
    from kleis.theory.name_check.check_names import check_names

__all__ = [
    "BudgetError",
    "EvaluationError",
    "ImportSearch",
    "KleisError",
    "LoadError",
    "Loader",
    "Loading",
    "ParseError",
    "Place",
    "Problem",
    "Theory",
    "check_names",
    "evaluate",
    "format_source",
    "parse_expression",
    "parse_program",
    "parse_source",
    "parse_type",
    "print_expression",
    "print_program",
    "print_type",
    "search_from",
    "verify",
]

_HOMES = {
    "errors": ("BudgetError", "EvaluationError", "KleisError", "LoadError", "ParseError"),
    "syntax.printer.formatter": ("format_source",),
    "theory.import_search": ("ImportSearch", "search_from"),
    "theory.loader": ("Loader", "Loading"),
    "syntax.parser.parser": ("parse_expression", "parse_program", "parse_source", "parse_type"),
    "syntax.printer.program": ("print_expression", "print_program", "print_type"),
    "problems": ("Place", "Problem"),
    "theory.name_check.check_names": ("check_names",),
    "scripting": ("Theory", "evaluate", "verify"),
}


def load_ipython_extension(shell: object) -> None:
    """``%load_ext kleis``: what the packages with an entry point in the group ``kleis_notebook`` give a notebook."""
    for each in _notebook_extensions():
        each.load(shell)


def unload_ipython_extension(shell: object) -> None:
    """``%unload_ext kleis``: take it back."""
    for each in _notebook_extensions():
        each.unload(shell)


def _notebook_extensions() -> list[Any]:
    from importlib.metadata import entry_points

    found = [each.load() for each in entry_points(group="kleis_notebook")]
    if not found:
        raise ImportError("no package gives kleis an entry point kleis_notebook: install pif-kleis again")
    return found


def __getattr__(name: str) -> object:
    """A public name, from the module where it lives."""
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"kleis.{module}"), name)
    raise AttributeError(f"module kleis has no attribute {name}")
