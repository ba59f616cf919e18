"""The libraries of the extra `numeric`: loaded on first use, called within limits, and never the end of the host.

Invariants
    * numpy, scipy and python-flint are imported by a call of a numeric name, and by nothing else.
    * A library that is missing is an `EvaluationError` with code ``needs_extra``; what a library cannot compute is one with
      code ``numeric``.  Neither says that the exact value does not exist, so neither is recoverable by ∨.
    * Work is charged before it is done, by the size of the arguments; nothing here reads a clock.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from kleis.budget import Meter
from kleis.errors import EvaluationError

__all__ = [
    "LARGEST_DIMENSION",
    "charge_cubic",
    "computing",
    "flint",
    "is_installed",
    "missing_extra",
    "needed_packages",
    "numeric_error",
    "numpy",
    "scipy",
    "shape_error",
]

LARGEST_DIMENSION = 512
"""Rows or columns of a matrix that a library decomposes."""

_OPERATIONS_A_STEP = 512
"""Multiplications of doubles that one step of the budget pays for."""

_PACKAGES = {"numpy": "numpy", "scipy": "scipy", "flint": "python-flint", "matplotlib": "matplotlib"}
"""Modules and the distributions that have them."""


def numpy(name: str) -> Any:
    """numpy, for a call of `name`."""
    return _library("numpy", name)


def scipy(name: str, module: str = "linalg") -> Any:
    """A module of scipy, for a call of `name`."""
    return _library(f"scipy.{module}", name)


def flint(name: str) -> Any:
    """python-flint, for a call of `name`."""
    return _library("flint", name)


def _library(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise missing_extra(name, (module.partition(".")[0],)) from None


def missing_extra(name: str, modules: tuple[str, ...]) -> EvaluationError:
    """The error of a name whose libraries are not installed."""
    packages = " and ".join(_PACKAGES[module] for module in modules)
    return EvaluationError(
        f"{name} is not computed here: it needs {packages}, which the extra numeric installs",
        code="needs_extra",
        found=name,
        expected=("pif-kleis[numeric]",),
        hint="pip install 'pif-kleis[numeric]', or define it in Kleis",
    )


@cache
def is_installed(module: str) -> bool:
    """Whether a library is there, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def needed_packages(modules: tuple[str, ...]) -> tuple[str, ...]:
    """Those of `modules` that are not installed."""
    return tuple(module for module in modules if not is_installed(module))


@contextmanager
def computing(name: str) -> Iterator[None]:
    """A call of a library: its floating-point warnings are silent, and its errors are ours."""
    library = numpy(name)
    try:
        with library.errstate(all="ignore"):
            yield
    except library.linalg.LinAlgError as error:
        raise numeric_error(f"{name}: {_sentence(error)}") from None
    except (ValueError, ArithmeticError) as error:
        raise numeric_error(f"{name} has no result: {_sentence(error)}") from None
    except MemoryError:
        raise numeric_error(f"{name} needs more memory than there is") from None


def _sentence(error: Exception) -> str:
    first = (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")
    return first[:1].lower() + first[1:200]


def numeric_error(message: str, hint: str = "") -> EvaluationError:
    """The error of a computation in doubles that came to nothing."""
    return EvaluationError(message, code="numeric", hint=hint)


def shape_error(name: str, what: str, *, found: str, expected: str) -> EvaluationError:
    """The error of an argument of a wrong shape: `what` it is, what was found and what is expected."""
    return EvaluationError(
        f"{name}: {what} is {found}, where {expected} is expected",
        code="shape",
        found=found,
        expected=(expected,),
        hint="rows are lists of equal length, [[1, 2], [3, 4]], or Matrix(rows, columns, [entries row by row])",
    )


def charge_cubic(meter: Meter, size: int, weight: int = 1) -> None:
    """Pay for `weight` times the cube of `size` multiplications of doubles."""
    meter.charge(1 + weight * size**3 // _OPERATIONS_A_STEP)
