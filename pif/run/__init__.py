"""From a request to an answer.

- `read_input`: input as callers write it, leniently, as a value or a term
- `plain_input`: input that is plain data, as a value without a term between
- `stepping`: one step on either evaluator
- `answer_shapes`: the fields of answers
- `evaluate`: runs: what to call first
- `scripting`: `pif.run` and `pif.Tool`, for people who script
- `stack_room`: room for Python's frames

The function `pif.run` has the name of this folder. Whichever of the two a program has got hold of, it can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pif.run.answer_shapes import ContinuationAnswer, ValueAnswer


class _CallableFolder(ModuleType):
    """This module, called as the function `pif.run.scripting.run`."""

    def __call__(self, *arguments: Any, **options: Any) -> ValueAnswer | ContinuationAnswer:
        from pif.run.scripting import run

        return run(*arguments, **options)


sys.modules[__name__].__class__ = _CallableFolder
