"""Kleis: a mathematical language of structures, axioms, definitions and data types.

One phase, one module, in reading order:

    text ──parser──▶ Program ──loader──▶ Theory ──resolution──▶ problems
                                            │
                                            └──evaluation──▶ values, results of example blocks

    syntax, parser, printer, formatter     source ⇄ tree;  parse(print(tree)) == tree
    problems, names                        what is wrong with a program as a whole, nearest spellings
    import_search, parse_cache, loader     files and their imports, every file once
    theory                                 the declarations in force: immutable, grows one by one
    resolution                             unknown names, wrong arities, surprising readings
    values, budget, builtins, evaluation   exact concrete evaluation under a budget
    corpus                                 papers whose claims are linked to declarations; theories as papers
    errors                                 the refusals: code, place, found, expected, hint

What to call first::

    from kleis import Loader, search_from, parse_source, check_names
    loading = Loader(search_from(os.environ)).load("policy.kleis")    # theory, errors, problems
    result = parse_source("define f(x) = x + 1")                      # never raises on bad text

Not promised: that a program without problems here has a meaning.  That is decided by elaboration and by provers.
Modules are imported when a name is first used, so ``import kleis`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kleis.errors import BudgetError, EvaluationError, KleisError, LoadError, ParseError
    from kleis.problems import Place, Problem
    from kleis.syntax.parser.parser import parse_expression, parse_program, parse_source, parse_type
    from kleis.syntax.printer.formatter import format_source
    from kleis.syntax.printer.program import print_expression, print_program, print_type
    from kleis.theory.import_search import ImportSearch, search_from
    from kleis.theory.loader import Loader, Loading
    from kleis.theory.name_check.check_names import check_names
    from kleis.theory.theory import Theory

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
    "format_source",
    "parse_expression",
    "parse_program",
    "parse_source",
    "parse_type",
    "print_expression",
    "print_program",
    "print_type",
    "search_from",
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
    "theory.theory": ("Theory",),
}


def __getattr__(name: str) -> object:
    """A public name, from the module where it lives."""
    for module, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            return getattr(import_module(f"kleis.{module}"), name)
    raise AttributeError(f"module kleis has no attribute {name}")
