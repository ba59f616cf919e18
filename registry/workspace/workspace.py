"""Operations on PIF tools, for the server's tools and the `pif` commands alike: one method an operation.

Each method answers one JSON object: the `structuredContent` over MCP, and what `--json` prints. Errors are answers too
(`{"type": "error", "error": …}`): no request makes a method raise. Operations with options take their request type of
`registry.workspace.requests`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, cast

import msgspec

from pif.analysis.types.tool_types import typing_of
from pif.analysis.work import Work
from pif.language.budget import RETAINED_BYTES
from pif.language.decode import decode_term
from pif.language.errors import PifError
from pif.language.host import Tool
from pif.language.terms import Json, Term
from pif.language.warnings import PifWarning, Rounding, warned
from pif.run.evaluate import Answer
from registry.diagrams import mermaid, svg
from registry.errors import RegistryError
from registry.records import (
    LIBRARY_PREFIX,
    NO_LAWS,
    own_name,
    parse_reference,
    team_of,
)
from registry.store.following import Following
from registry.store.protocol import Lineage
from registry.teams.team_store import TeamStore
from registry.tools.analysis import analysis, invalid
from registry.tools.code_and_examples import read_code, read_text, verified
from registry.tools.difference import difference, earlier_version
from registry.tools.library import unchangeable
from registry.tools.snapshot_tools import Overlay, TeamTools
from registry.workspace.dependants import (
    USERS_STEPS,
    check_users,
    drawing_of,
    graph_of,
    reject_broken,
    unchecked_readers,
    users_of,
)
from registry.workspace.tool_runner import ToolRunner

if TYPE_CHECKING:
    from kleis.prover.process.deadline import Deadline
    from registry.laws.law_prover import LawProver
    from registry.laws.law_workers import LawWorkers
    from registry.store.exchange.export_import import Imported
    from registry.workspace import requests
    from registry.workspace.answer_shapes import (
        ExportAnswer,
        ForgottenAnswer,
        HistoryAnswer,
        ImportAnswer,
        RolledBackAnswer,
    )

__all__ = ["Workspace"]

P = ParamSpec("P")
Method: TypeAlias = Callable[Concatenate["Workspace", P], Answer]


def _answering(
    method: Callable[Concatenate[Workspace, P], Answer],
) -> Callable[Concatenate[Workspace, P], Answer]:
    """Turn the errors of a method into answers."""

    def answer(self: Workspace, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return method(self, *args, **kwargs)
        except PifError as error:
            return {"type": "error", "error": error.advised(self.advice).as_json()}
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}

    answer.__name__ = method.__name__
    answer.__doc__ = method.__doc__
    return answer


def _in_its_namespace(
    name_of: Callable[[Any], str], *, writing: bool = False
) -> Callable[[Method[P]], Method[P]]:
    """Let a method work on the store of the name that `name_of` finds in its first argument. `writing`: it changes that store."""

    def decorated(method: Method[P]) -> Method[P]:
        def work(self: Workspace, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
            given = args[0] if args else next(iter(kwargs.values()))
            return method(self.namespace_of(name_of(given), writing=writing), *args, **kwargs)

        work.__name__ = method.__name__
        work.__doc__ = method.__doc__
        return work

    return decorated


def _itself(name: str) -> str:
    return name


def _stop(deadline: Deadline | None) -> Callable[[], bool] | None:
    """The stop flag of analyses: whether the caller has left."""
    return None if deadline is None else lambda: deadline.abandoned


class Workspace(ToolRunner):
    """Everything one can do with the tools of a store; what it runs and under which limits is `ToolRunner`'s."""

    _beside: Workspace | None = None
    """The workspace of the member, for one over the store of a team."""

    @cached_property
    def prover(self) -> LawProver:
        """The prover of laws, made when it is first needed."""
        if self._beside is not None:
            return self._beside.prover
        from registry.laws.law_prover import LawProver  # loads the prover

        return LawProver()

    def namespace_of(self, name: str, *, writing: bool = False) -> Workspace:
        """The workspace over the store in which a name lives: this one, or that of a team.

        Raises `unknown_team` where the name is that of a team which is not among one's own, and `not_allowed` where it may be
        read and not written.
        """
        team = team_of(name)
        return (
            self._of_team(team, writing=writing) if team and not isinstance(self.store, TeamStore) else self
        )

    def _of_team(self, team: str, *, writing: bool = False) -> Workspace:
        if self.member is None:
            raise RegistryError(
                "unknown_team", f"you are in no team {team[:60]!r}", place="name", found=team[:60],
                expected="a team: you are in none",
            )  # fmt: skip
        store = self.member.store_for(team, writing=writing)
        known = self._of_teams.get(team)
        if known is None or known.store is not store:
            known = self._of_teams[team] = self._over(store)
        return known

    def _over(self, store: TeamStore) -> Workspace:
        """This workspace over the tools of a team: limits, caches and the prover stay."""
        made = Workspace(
            store, maximum_fuel=self.maximum_fuel, default_fuel=self.default_fuel, library=self.library,
            fractions=self.fractions, admission=self.admission,
        )  # fmt: skip
        made._beside = self
        made._terms, made._types = self._terms, self._types
        return made

    @cached_property
    def _of_teams(self) -> dict[str, Workspace]:
        return {}

    def follow(self, told: Callable[[], None]) -> Sequence[Following]:
        """Have `told` called, from some thread, after each change of the tools, those of the teams included; empty where nobody tells."""
        followings = [self.store.follow(told)]
        if self.member is not None:
            followings.append(self.member.follow(told))
        return tuple(each for each in followings if each is not None)

    def close(self) -> None:
        """Close the store and the prover."""
        if "prover" in self.__dict__:
            self.prover.close()
        self.store.close()

    @contextmanager
    def _asking(self, deadline: Deadline | None) -> Iterator[Callable[[], LawProver]]:
        """A function that gives the prover of laws, bounded by the deadline; the prover is begun at its first call."""
        with ExitStack() as begun:
            made: list[LawProver] = []

            def prover() -> LawProver:
                if not made:
                    known = self.prover
                    made.append(known if deadline is None else begun.enter_context(known.within(deadline)))
                return made[0]

            yield prover

    # Evolving.

    @_answering
    @_in_its_namespace(attrgetter("name"), writing=True)
    def evolve(self, request: requests.Evolve, *, deadline: Deadline | None = None) -> Answer:
        """Make a tool, or a new version of one; with examples, only if they hold, and those of the tools that use it.

        `deadline` limits the time for proofs of laws; what is not decided by then is tested, and asked by the next
        evolve. The request's own `timeout_ms` is for the caller, who makes the deadline.
        """
        from registry.workspace.evolve import evolve  # not needed to run a tool

        with self._asking(deadline) as prover:
            return evolve(
                request, self.store, self.tools(), self.maximum_fuel, prover, _stop(deadline), self.fractions
            )

    @_answering
    def fuzz(
        self,
        request: requests.Fuzz,
        *,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[int], None] | None = None,
    ) -> Answer:
        """Try a tool on made-up inputs of its type, or of the type given."""
        from registry.tools.fuzzing import Fuzzing, fuzz, fuzzed_type  # not needed to run a tool

        record = self.record(request.name)
        tools = self.tools()
        tool = tools.tool(record.reference)
        assert tool is not None
        plan = Fuzzing(
            input_type=fuzzed_type(self._types.typing(record, tools), request.type),
            seed=request.seed,
            examples=request.examples,
            fuel=self.fuel(request.fuel),
        )
        with self.admission.of(plan.fuel * RETAINED_BYTES):
            return fuzz(tool, tools, plan, stop=stop, progress=progress)

    # Looking.

    @_answering
    def list(self, request: requests.List, *, types: bool = True) -> Answer:
        """The tools whose name or description holds every word of the query; with their types unless `types` is false.

        These are the home's tools. Where something is looked for, `library` in the answer names the standard library's
        that match, and `shared` those of teams; by `library` or `team` in the request these are listed instead of the home's.
        """
        if request.team:
            if request.library:
                raise RegistryError(
                    "invalid_argument", "one of `library` and `team` is listed", place="team", found="both"
                )
            request, there = msgspec.structs.replace(request, team=""), self._of_team(request.team)
            return there.list(request, types=types)
        from registry.workspace.tool_list import ToolList

        return ToolList(self.store, self.tools(), self._types, types=types).answer(request, self.member)

    @_answering
    @_in_its_namespace(_itself)
    def show(self, reference: str, *, python: bool = False, kleis: bool = False) -> Answer:
        """One tool: its record, its term, its laws and versions; its code as Python and as Kleis where asked."""
        from registry.workspace.show_tool import shown

        record, tools = self.record(reference), self.tools()
        tool, typing = self._terms.tool(record, record.reference), self._types.typing(record, tools)
        lineage = tools.lineage(record.name)
        return shown(record, tool, lineage, tools, typing, python=python, kleis=kleis)

    @_answering
    def verify(
        self, proposition: str, *, lemmas: Sequence[str] = (), deadline: Deadline | None = None
    ) -> Answer:
        """What becomes of a proposition about tools; nothing is kept."""
        from registry.laws.requests import verified_law

        with self._asking(deadline) as prover:
            return verified_law(proposition, lemmas, self.tools(), prover())

    @_answering
    @_in_its_namespace(_itself)
    def check_laws(
        self,
        reference: str,
        *,
        progress: Callable[[float, float | None, str], None] = lambda done, total, law: None,
    ) -> Answer:
        """Check the laws of a tool again from nothing; `progress` is told of each before and after."""
        from registry.laws.requests import rechecked

        return rechecked(self.record(reference), self.tools(), self.store, self.prover, progress)

    def term(self, code: Json) -> Tool | Term:
        """The tool that `code` names, or the term that it is; as `run` reads it."""
        tools = self.tools()
        tool = tools.tool(code) if isinstance(code, str) else None
        return tool or read_code(code, tools.nearest)

    @_answering
    def analyze(self, request: requests.Analyze, *, deadline: Deadline | None = None) -> Answer:
        """What can be said of a tool or a term without running it; with `against`, whether that does the same.

        `deadline` limits the time for proofs, as in `evolve`.
        """
        tools = self.tools()
        code, aspects, stop = request.code, request.aspects, _stop(deadline)
        if request.against is not msgspec.UNSET:
            from registry.laws.requests import compared

            with self._asking(deadline) as prover:
                return compared(self.term(code), request.against, tools, prover())
        tool = tools.tool(code) if isinstance(code, str) else None
        if tool is not None:
            told = analysis(
                tool.term, tool.label, tool.name, tools, partial(typing_of, tool, tools), aspects, stop
            )
            if "users" in aspects:
                self._tell_users(told, tool.name, stop)
            if "graph" in aspects:
                there = self.namespace_of(tool.name)
                told["graph"] = mermaid(drawing_of(graph_of([tool.name], there.store, there.tools())))
            return told
        data = read_text(code, tools.nearest) if isinstance(code, str) else code
        errors = invalid(data)
        if errors is not None:
            return errors
        rounding = Rounding(self.fractions)
        term = decode_term(data, rounding=rounding)
        answer = analysis(term, None, None, tools, partial(typing_of, term, tools), aspects, stop)
        return warned(answer, rounding.warnings())

    # Versions.

    @_answering
    @_in_its_namespace(_itself)
    def history(self, name: str) -> Answer:
        """Everything that happened to a name, oldest first."""
        events = self.store.history(self._own(check_spelling(name)))
        if not events:
            self.record(name)
        listed = [
            {
                key: value
                for key, value in msgspec.to_builtins(event).items()
                if value is not None and key != "name"
            }
            for event in events
        ]
        answer: HistoryAnswer = {"type": "history", "name": name, "events": listed}
        return cast(Answer, answer)

    @_answering
    def diff(self, left: str, right: str | None = None) -> Answer:
        """How two tools, or two versions of one, differ. Without `right`: a version and the one before it."""
        older = newer = self.record(left)
        if right is None:
            older = self.record(earlier_version(newer, self.tools().lineage(newer.name)))
        else:
            newer = self.record(right)
        return difference(
            older, newer, *(self._terms.tool(each, each.reference).term for each in (older, newer))
        )

    @_answering
    @_in_its_namespace(attrgetter("name"), writing=True)
    def rollback(self, request: requests.Rollback) -> Answer:
        """Make an older version the current one, if the examples of the tools that use it hold then (or by `force`)."""
        tools = self.tools()
        name, version = request.name, request.version
        older = tools.tool(f"{self._own(name)}@{version}") if version > 0 else None
        if older is not None and not request.force:
            view = Overlay(tools, name, version, older.term)
            reject_broken(name, check_users([name], self.store, tools, view))
        record = self.store.rollback(name, version, expect_version=request.expect_version)
        answer: RolledBackAnswer = {"type": "tool", "name": record.name, "version": record.version, "hash": record.hash,
                          "description": record.description, "capabilities": [*record.capabilities],
                          "outcome": "rolled_back"}  # fmt: skip
        warnings = unchecked_readers(name, self.store)
        return warned(cast(Answer, answer), warnings)

    @_answering
    @_in_its_namespace(_itself, writing=True)
    def forget(self, reference: str) -> Answer:
        """Drop a tool, or one version of it, from the registry."""
        wanted = parse_reference(reference)
        users = users_of([self._own(wanted.name)], self.store, self.tools())
        forgotten = self.store.forget(wanted.name, wanted.version)
        answer: ForgottenAnswer = {"type": "forgotten", "name": forgotten.name, "versions": [*forgotten.versions],
                          "current": forgotten.current}  # fmt: skip
        if users.found:
            names = ", ".join(user.record.name for user in users.found[:8])
            more = f" and {len(users.found) - 8} more" if len(users.found) > 8 else ""
            told = f"these tools use {wanted.name}: {names}{more}"
            hint = f"They fail where they call it. Evolve {wanted.name} again, or change them."
            return warned(cast(Answer, answer), [PifWarning(code="used_by_others", message=told, hint=hint)])
        return cast(Answer, answer)

    def _own(self, name: str) -> str:
        """`name`, unless it is one of the library's that the home has none of."""
        record = self.tools().find(name)
        if record is None or not record.name.startswith(LIBRARY_PREFIX):
            return name
        raise unchangeable(record, name)

    # Who uses what.

    @_answering
    def users(self, name: str) -> Answer:
        """The tools of the home that use a tool, themselves or through others; of a team's tool those of the team too."""
        record = self.record(name)
        answer: Answer = {"type": "users", "name": record.name}
        self._tell_users(answer, record.name)
        return answer

    def _tell_users(self, answer: Answer, name: str, stop: Callable[[], bool] | None = None) -> None:
        """Add the users of a tool to an answer, and what is missing of them to what is `unfinished` there."""
        rows: list[Json] = []
        for each in dict.fromkeys([self.namespace_of(name), self]):
            users = users_of([name], each.store, each.tools(), Work(USERS_STEPS, stop))
            rows += users.rows()
            if missing := users.missing():
                answer["unfinished"] = [*answer.get("unfinished", ()), *missing]
        answer["users"] = rows

    @_answering
    def graph(self, names: Sequence[str] = (), *, library: bool = False, picture: bool = False) -> Answer:
        """Which tools use which: those named with all they use and all that use them, or the whole home.

        The library's tools are left out unless `library` asks for them or one is named. `picture` adds it as SVG.
        """
        chosen = [self.record(name).name for name in names]
        spaces = [*dict.fromkeys(self.namespace_of(name) for name in chosen)] or [self]
        if len(spaces) > 1:
            raise RegistryError(
                "invalid_argument", "a graph is of one's own tools, or of one team's", place="names", found=", ".join(chosen[:8]),
                hint="Ask for them one after another.",
            )  # fmt: skip
        (there,) = spaces
        found = graph_of(chosen, there.store, there.tools(), library=library)
        drawing = drawing_of(found)
        answer: Answer = {
            "type": "graph",
            **msgspec.json.decode(msgspec.json.encode(found)),
            "mermaid": mermaid(drawing),
        }
        return {**answer, "svg": svg(drawing)} if picture else answer

    # Exchange.

    @_answering
    def export(
        self,
        directory: Path,
        *,
        names: Sequence[str] | None = None,
        overwrite: bool = False,
        team: str = "",
    ) -> Answer:
        """Write tools (all, or those named) with their versions to a directory of JSON files; those of a team by plain names."""
        from registry.store.exchange.export_import import export_tools

        store, team = self.store, team or self._team_of_all(names or ())
        if team:
            shared = self._of_team(team).store
            assert isinstance(shared, TeamStore)
            store, names = shared.inner, names if names is None else [own_name(each) for each in names]
        exported = export_tools(store, directory, names=names, overwrite=overwrite)
        answer: ExportAnswer = {
            "type": "exported",
            "tools": exported.tools,
            "versions": exported.versions,
            "directory": exported.directory,
        }
        return cast(Answer, answer)

    @_answering
    def import_(
        self,
        directory: Path,
        *,
        renumber: bool = False,
        trust_nothing: bool = False,
        force: bool = False,
        team: str = "",
        deadline: Deadline | None = None,
    ) -> Answer:
        """Take in the tools of such a directory, all of them or none; every code is decoded and hashed anew, and the
        examples of the current versions are run, and those of the home's tools that use what changes (unless `force`).

        Then their laws, which come in as claimed, are tried and their certificates checked; with `trust_nothing` they are
        proved anew. A law that is false is dropped. What the `deadline` leaves open stays claimed.

        Into a team the tools come with the names in their code spelled in full; the laws of what is other code by that are
        proved anew.
        """
        from registry.store.exchange.export_import import import_tools  # not needed to run a tool
        from registry.workspace.import_check import check_imported, spelled_for_team

        if team:
            there = self._of_team(team, writing=True)
            return there.import_(
                directory, renumber=renumber, trust_nothing=trust_nothing, force=force, deadline=deadline
            )
        respelled: list[str] = []

        def check(lineages: Sequence[Lineage]) -> Sequence[Lineage]:
            store, tools = None if force else self.store, self.tools()
            if isinstance(tools, TeamTools):
                lineages, changed = spelled_for_team(lineages, tools)
                respelled.extend(changed)
            check_imported(lineages, tools, self._terms, store, _stop(deadline))
            return lineages

        imported = import_tools(self.store, directory, verify=verified, renumber=renumber, check=check)
        return self._taken_in(imported, deadline, again=trust_nothing or bool(respelled))

    @_answering
    def take_in(
        self,
        lineages: Sequence[Lineage],
        certificates: Mapping[str, str],
        *,
        expect: Mapping[str, int | None] = MappingProxyType({}),
        deadline: Deadline | None = None,
    ) -> Answer:
        """Take in versions of tools that came from elsewhere and whose codes were decoded and hashed here, all of them or none.

        `expect`: what names must stand for while that is done, as they were looked at. Examples, those of the home's tools that use what changes, laws and certificates are as with `import_`.
        """
        from registry.store.exchange.export_import import Imported
        from registry.workspace.import_check import check_imported

        check_imported(lineages, self.tools(), self._terms, self.store, _stop(deadline))
        adopted = self.store.adopt(lineages, certificates=certificates, expect=expect)
        return self._taken_in(Imported(adopted, ()), deadline)

    def _taken_in(self, imported: Imported, deadline: Deadline | None, *, again: bool = False) -> Answer:
        """The answer for tools that were taken in, once their claimed laws were checked, or with `again` proved anew."""
        answer: ImportAnswer = {
            "type": "imported",
            "added": imported.added,
            "tools": msgspec.to_builtins(imported.tools),
            "ignored": [*imported.ignored],
        }
        new = [
            f"{each.name}@{version}"
            for each in imported.tools
            for version in sorted(each.added, key=lambda version: version != each.current)
        ]
        tools = self.tools()
        if any(record is not None and record.laws != NO_LAWS for record in map(tools.find, new)):
            from registry.laws.imported import settled  # not needed where there are no laws

            with self._asking(deadline) as prover:
                answer["laws"] = settled(new, tools, self.store, prover, again=again)
        return cast(Answer, answer)

    @_answering
    def renew_laws(
        self,
        references: Sequence[str],
        *,
        deadline: Deadline | None = None,
        jobs: int = 1,
        workers: LawWorkers | None = None,
    ) -> Answer:
        """Believe the claimed laws of versions, those of all tools without `references`: by their certificates, else by
        proving them anew; of `jobs` versions at a time, with certificates of `workers`, which are checked."""
        from registry.laws.imported import renewed

        records = [self.record(each) for each in references]
        for record, name in zip(records, references, strict=True):
            if record.name.startswith(LIBRARY_PREFIX):
                raise unchangeable(record, name)
        team = self._team_of_all([each.name for each in records])
        there = self._of_team(team, writing=True) if team else self
        with self._asking(deadline) as prover:
            return renewed(
                [each.reference for each in records], there.tools, there.store, prover, jobs, workers
            )

    @staticmethod
    def _team_of_all(names: Sequence[str]) -> str:
        """The team whose tools all these names are; empty where they are one's own. Raises `invalid_argument` for some of both."""
        teams = {*map(team_of, names)}
        if len(teams) > 1:
            raise RegistryError(
                "invalid_argument", "the tools are those of one namespace: one's own, or one team's", place="names",
                found=", ".join(names[:8]), hint="Ask for them one after another.",
            )  # fmt: skip
        return next(iter(teams), "")

    @_answering
    def backup(self, path: Path, *, overwrite: bool = False) -> Answer:
        """Write a complete copy of the home to one file, while others go on reading and writing."""
        self.store.backup(path, overwrite=overwrite)
        return {"type": "backup", "path": str(path)}


def check_spelling(name: str) -> str:
    """`name` if it can be a tool's name."""
    reference = parse_reference(name)
    if reference.version is not None:
        raise RegistryError("invalid_name", "a name without a version is wanted", found=name, expected="NAME")
    return reference.name
