"""Which extra of the package a library belongs to, and the error where it is missing."""

from __future__ import annotations

from importlib.util import find_spec

from kleis.errors import EvaluationError

__all__ = ["require"]

_EXTRAS = {"matplotlib": "numeric", "typst": "documents"}


def require(library: str, purpose: str) -> None:
    """Raise an error of code ``needs_extra`` where a library is not installed.  `purpose` says what it is for."""
    if find_spec(library) is None:
        extra = _EXTRAS[library]
        raise EvaluationError(
            f"{purpose} needs the extra {extra}",
            code="needs_extra",
            found=f"no {library}",
            expected=(library,),
            hint=f"pip install 'pif-kleis[{extra}]'",
        )
