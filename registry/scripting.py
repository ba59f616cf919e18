"""The tools of a home for people who script: `registry.open` (docs/reference/python.md §4).

    with registry.open("~/tools") as tools:
        tools.evolve("double", "Doubles a number", {"mul": [{"var": "x"}, 2]})
        tools.run("double", 21)["value"]

Answers are those of the commands and of the server, as dictionaries. What would be an error there is raised: `PifError`
where a run or a term is at fault, `RegistryError` where the registry refuses; both with `kind`, `hint` and `warnings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import msgspec

from kleis.decoding import converted
from pif.language.errors import PifError
from pif.language.terms import Json
from pif.language.warnings import Fractions
from pif.run.answer_shapes import ContinuationAnswer, ValueAnswer
from pif.run.evaluate import Answer, Request
from pif.run.scripting import FUEL, Language, checked_json
from registry.access.principals import OWNER_NAME
from registry.access.teams import TeamFile
from registry.errors import RegistryError
from registry.home import find_home
from registry.store.open_store import find_url, is_url, open_store
from registry.teams.member import Member
from registry.teams.team_stores import TeamStores
from registry.tools.code_and_examples import Example
from registry.workspace import requests
from registry.workspace.answer_shapes import EvolvedAnswer, ToolListAnswer
from registry.workspace.workspace import Workspace

__all__ = ["Registry", "open"]


def open(path: Path | str | None = None, *, fractions: Fractions = "round") -> Registry:
    """The tools of a home, which is made where it is not there, over those of the library.

    Without `path` it is the store of the commands: that of PIF_STORE, else the home of PIF_HOME, else the platform's.
    `path` may be the URL of a PostgreSQL too. `fractions` says what becomes of
    numbers like 19.99. Raises `RegistryError` (`store_error`) where the home cannot be used. Close it, or use `with`.
    """
    url = str(path) if is_url(str(path)) else ""
    home = find_home(None if path is None or url else Path(path))
    at = url or ("" if path else find_url())
    store = open_store(home.path, at)
    teams = TeamStores(home.path, at)
    member = Member(OWNER_NAME, TeamFile(home.path), teams)
    return Registry(Workspace(store, fractions=fractions, member=member), teams.close)


class Registry:
    """A home that is open. Other processes may use it at the same time."""

    def __init__(self, workspace: Workspace, ending: Callable[[], None] = lambda: None) -> None:
        """`ending` is called after the workspace is closed."""
        self._workspace = workspace
        self._ending = ending

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the home, and end the prover if laws were asked about."""
        self._workspace.close()
        self._ending()

    def evolve(
        self,
        name: str,
        description: str,
        code: Json,
        *,
        language: Language = "json",
        examples: Sequence[Mapping[str, Any]] = (),
        laws: Sequence[str] = (),
        drop_laws: Sequence[str] = (),
        expect_version: int | None = None,
        force: bool = False,
        dry_run: bool = False,
        timeout: float | None = None,
    ) -> EvolvedAnswer:
        """Keep a tool, or a new version of one, if its examples and laws hold, and the examples of the tools that use it.

        Arguments are those of the server's tool `evolve`; an example is `{"input": …, "output": …}`. Proofs of laws end
        after `timeout` seconds; what is not decided then is tested.
        """
        request = requests.Evolve(
            name,
            description,
            _checked(code, "code"),
            language=language,
            examples=_examples(examples),
            laws=tuple(laws),
            drop_laws=tuple(drop_laws),
            expect_version=expect_version,
            force=force,
            dry_run=dry_run,
        )
        deadline = None
        if timeout is not None:
            from kleis.prover.process.deadline import Deadline

            deadline = Deadline(timeout)
        return cast(EvolvedAnswer, _raised(self._workspace.evolve(request, deadline=deadline)))

    def run(
        self,
        code: Json,
        input: Json = None,
        *,
        arguments: Sequence[Json] | None = None,
        fuel: int | None = None,
        raw: bool = False,
        data: bool = False,
        step: int = 0,
        drive: int = 0,
    ) -> ValueAnswer | ContinuationAnswer:
        """Run a tool by its name (`name@version` for an older one), or a term, on an input.

        With `arguments` instead of `input` a curried tool is called on one after another. `fuel` is at most the
        registry's maximum. The rest is as for `pif.run`.
        """
        request = Request(
            code=_checked(code, "code"),
            input=_checked(input, "input"),
            raw=raw,
            data=data,
            step=step,
            drive=drive,
        )
        allowed = min(FUEL, self._workspace.maximum_fuel) if fuel is None else fuel
        if arguments is None:
            answer = self._workspace.run(request, fuel=allowed)
        elif not isinstance(code, str) or input is not None or not arguments:
            raise RegistryError(
                "invalid_argument", "`arguments` are for a tool's name, and instead of `input`", place="arguments",
                hint='run("std.gcd", arguments=[12, 18])',
            ).noted()  # fmt: skip
        else:
            given = [_checked(each, f"arguments/{place}") for place, each in enumerate(arguments)]
            answer = self._workspace.run_on(code, given, request, fuel=allowed)
        return cast("ValueAnswer | ContinuationAnswer", _raised(answer))

    def laws(self, name: str) -> Sequence[dict[str, Json]]:
        """The laws of a tool: each with its `law` and `status` (`proved`, `tested`, `claimed`), as `pif show` has them."""
        shown = _raised(self._workspace.show(name))
        return cast("Sequence[dict[str, Json]]", shown.get("laws", []))

    def list(
        self, query: str = "", *, library: bool = False, offset: int = 0, limit: int = requests.PAGE
    ) -> ToolListAnswer:
        """The tools of the home whose name or description holds every word of the query; with `library` those of the
        library instead."""
        request = requests.List(query, offset, limit, library)
        return cast(ToolListAnswer, _raised(self._workspace.list(request)))


def _raised(answer: Answer) -> Answer:
    """An answer; where it is an error, it is raised."""
    if answer["type"] != "error":
        return answer
    is_run = "fuel_used" in answer["error"]
    raise PifError.of(answer) if is_run else RegistryError.of(answer)


def _checked(data: Any, place: str) -> Json:
    return checked_json(data, "" if place == "code" else f"/{place}")


def _examples(given: Sequence[Mapping[str, Any]]) -> tuple[Example, ...]:
    try:
        return converted([dict(each) for each in given], tuple[Example, ...])
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise RegistryError(
            "invalid_argument", f"these are no examples: {error}", place="examples",
            expected="a list of dictionaries", hint='[{"input": 7, "output": 49}]',
        ).noted() from None  # fmt: skip
