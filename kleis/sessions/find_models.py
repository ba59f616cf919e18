"""Models of structures and of constraints, as answers of every entrance: command, MCP, Python.

See docs/reference/proving.md §5.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from kleis.prover.model_search.wanted import ISOMORPHISM, MOST_MODELS, Goodness, Models, Wanted
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_fields import evidence_fields, warned, witness_text
from kleis.sessions.answer_shapes import ModelsAnswer
from kleis.theory.theory import Theory

__all__ = ["find", "headline", "models_fields", "models_text", "remarks", "wanted_models"]


def wanted_models(
    about: str,
    *,
    where: Sequence[str] = (),
    size: int | None = None,
    skip: int = 0,
    every: bool = False,
    limit: int = 1_000,
    enumerated: Sequence[str] = (),
    minimise: str = "",
    maximise: str = "",
) -> Wanted:
    """What is asked for, from the options of an entrance.

    `every` asks for all models, at most `limit`; `enumerated` for all that differ in these names.  Raises `ValueError`
    where both a least and a greatest value are asked for.
    """
    if minimise and maximise:
        raise ValueError("a value cannot be least and greatest at once: give one of minimise and maximise")
    goodness: Goodness = "least" if minimise else "greatest" if maximise else ""
    return Wanted(
        about=about,
        where=tuple(where),
        size=size,
        skip=skip,
        count=min(limit, MOST_MODELS) if every or enumerated else 1,
        apart=tuple(enumerated),
        goodness=goodness,
        objective=minimise or maximise,
    )


def find(wanted: Wanted, theory: Theory, provers: Provers, deadline: Deadline, *, effort: int = 1) -> Models:
    """The models of what a theory declares, or of constraints over it."""
    from kleis.prover.model_search.search import find_models

    def told(count: int) -> None:
        deadline.report(count, wanted.skip + wanted.count if wanted.count > 1 else None, "models found")

    with provers.prover(theory, deadline, effort=effort) as prover:
        return find_models(prover, wanted, told=told)


def models_fields(models: Models) -> ModelsAnswer:
    """The answer as JSON fields, those that say something."""
    first: ModelsAnswer = {"type": "models", "status": models.status}
    fields = warned(models.warnings, first)
    fields["about"] = models.about
    if models.status in ("found", "none"):
        fields["count"] = len(models.models)
        fields["complete"] = models.complete
    if models.optimum:
        fields["optimum"], fields["proved"] = models.optimum, models.proved
    optional = {
        "differ_in": list(models.apart),
        "models": [evidence_fields(each) for each in models.models],
        "clash": list(models.core),
        "reason": models.reason or "",
        "message": models.message,
        "hint": models.advice,
        "problem": models.problem or {},
    }
    return cast(ModelsAnswer, {**fields, **{name: value for name, value in optional.items() if value}})


def headline(models: Models) -> str:
    """What the first line says after the status."""
    if models.status != "found":
        return models.about
    count = len(models.models)
    found = f"{count} model{'s' if count > 1 else ''}"
    if models.optimum:
        best = "proved that none is better" if models.proved else "best found, not proved to be best"
        found += f", objective = {models.optimum}: {best}"
    if models.complete and not models.apart:
        return "they hold as they are, and leave no value open to choose"
    if models.complete and models.apart == (ISOMORPHISM,):
        return f"{found}, all up to isomorphism"
    if models.complete:
        return f"{found}, all that differ in {', '.join(models.apart)}"
    return f"{found}; there may be others"


def remarks(models: Models) -> Iterator[tuple[str, str]]:
    """What an answer says besides, each with its title."""
    if models.message:
        yield "why", models.message
    if models.core:
        yield "clash", ", ".join(models.core)
    if models.advice:
        yield "try", models.advice


def models_text(models: Models) -> str:
    """The answer as text, a model on each line."""
    status = f"{models.status} ({models.reason})" if models.reason else models.status
    lines = [f"warning: {each}" for each in models.warnings]
    lines.append(f"{status.upper()}  {headline(models)}".rstrip())
    lines += [f"{title}: {text}" for title, text in remarks(models)]
    lines += [f"{place}. {witness_text(each)}" for place, each in enumerate(models.models, 1)]
    return "\n".join(lines)
