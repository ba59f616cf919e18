"""The store as a state machine: two handles on one home, crashes, against a model that fits on a page.

Property: whatever is done, by whichever handle, with handles dropped and reopened in between, the store answers as
the model does; every snapshot ever taken goes on answering as it did; and `check` finds nothing wrong.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.protocol import Snapshot
from registry.store.sqlite.sqlite_store import FILE_NAME, SqliteStore

NAMES = st.sampled_from(["f", "F", "g.h"])
CODES = st.sampled_from(["1", "2", "[3]"])
TEXTS = st.sampled_from(["", "adds", "Adds more"])
VERSIONS = st.integers(1, 6)
HANDLES = st.integers(0, 1)

Shown = dict[str, tuple[int, dict[int, tuple[str, str]]]]


class Tool:
    """The model of a name: versions that resolve, the current one, and the last number given out."""

    def __init__(self) -> None:
        self.versions: dict[int, tuple[str, str]] = {}
        self.current: int | None = None
        self.latest = 0


class StoreMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp(prefix="pif-store-"))
        self.now = 1_000_000.0
        self.stores = [self.opened(), self.opened()]
        self.tools: dict[str, Tool] = {}
        self.snapshots: list[tuple[Snapshot, Shown]] = []

    def opened(self) -> SqliteStore:
        return SqliteStore(self.home, grace=100.0, clock=lambda: self.now)

    def shown(self) -> Shown:
        return {
            name: (tool.current, dict(tool.versions))
            for name, tool in self.tools.items()
            if tool.current is not None
        }

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.home)

    @rule(
        handle=HANDLES,
        name=NAMES,
        code=CODES,
        text=TEXTS,
        expect=st.none() | st.integers(0, 4),
        dry_run=st.booleans(),
    )
    def evolve(self, handle: int, name: str, code: str, text: str, expect: int | None, dry_run: bool) -> None:
        tool = self.tools.setdefault(name, Tool())

        def evolve() -> tuple[str, int]:
            answer = self.stores[handle].evolve(
                name,
                code=code,
                hash=content_hash(code),
                description=text,
                capabilities=[],
                expect_version=expect,
                dry_run=dry_run,
            )
            assert (answer.record.code, answer.record.description) == (code, text)
            return answer.outcome, answer.record.version

        if expect is not None and expect != (tool.current or 0):
            with pytest.raises(RegistryError) as refused:
                evolve()
            assert refused.value.kind == "version_conflict"
            return
        if tool.current is not None and tool.versions[tool.current][0] == code:
            same = tool.versions[tool.current][1] == text
            wanted = ("unchanged" if same else "description", tool.current)
        else:
            wanted = ("created" if tool.current is None else "new_version", tool.latest + 1)
        assert evolve() == wanted
        if not dry_run:
            tool.versions[wanted[1]] = (code, text)
            tool.current = wanted[1]
            tool.latest = max(tool.latest, wanted[1])

    @rule(handle=HANDLES, name=NAMES, version=VERSIONS)
    def rollback(self, handle: int, name: str, version: int) -> None:
        tool = self.tools.get(name, Tool())
        if version in tool.versions:
            assert self.stores[handle].rollback(name, version).code == tool.versions[version][0]
            tool.current = version
            return
        with pytest.raises(RegistryError) as refused:
            self.stores[handle].rollback(name, version)
        assert refused.value.kind == "unknown_tool"

    @rule(handle=HANDLES, name=NAMES, version=st.none() | VERSIONS)
    def forget(self, handle: int, name: str, version: int | None) -> None:
        tool = self.tools.get(name, Tool())
        gone = set(tool.versions) if version is None else {version} & set(tool.versions)
        if not gone:
            with pytest.raises(RegistryError) as refused:
                self.stores[handle].forget(name, version)
            assert refused.value.kind == "unknown_tool"
            return
        answer = self.stores[handle].forget(name, version)
        for number in gone:
            del tool.versions[number]
        if tool.current not in tool.versions:
            tool.current = max(tool.versions, default=None)
        assert (set(answer.versions), answer.current) == (gone, tool.current)

    @rule(handle=HANDLES)
    def remember_a_snapshot(self, handle: int) -> None:
        self.snapshots.append((self.stores[handle].snapshot(), self.shown()))

    @rule(handle=HANDLES, kill=st.booleans())
    def reopen(self, handle: int, kill: bool) -> None:
        """Close and open again; or copy what is on disk as a killed process leaves it, and go on with the copy."""
        if kill:
            left = Path(tempfile.mkdtemp(prefix="pif-store-"))
            for path in self.home.iterdir():
                shutil.copyfile(path, left / path.name)
            old, self.home = self.home, left
            for store in self.stores:
                store.close()
            shutil.rmtree(old)
            self.stores = [self.opened(), self.opened()]
            self.snapshots = []
            return
        before = self.stores[handle]
        before.close()
        self.snapshots = [pair for pair in self.snapshots if pair[0]._reading.__self__ is not before._readers]
        self.stores[handle] = self.opened()

    @precondition(lambda self: self.tools)
    @rule()
    def let_the_grace_period_pass(self) -> None:
        self.now += 101.0
        self.snapshots = []

    @rule(handle=HANDLES)
    def write_half(self, handle: int) -> None:
        """A transaction that is never committed leaves nothing."""

        def interrupted() -> None:
            with self.stores[handle]._change() as change:
                change._event("f", "forget", None, None)
                raise KeyboardInterrupt

        before = self.stores[1 - handle].snapshot().sequence
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert self.stores[1 - handle].snapshot().sequence == before

    @invariant()
    def answers_as_the_model_does(self) -> None:
        wanted = self.shown()
        for store in self.stores:
            self.agrees(store.snapshot(), wanted)
            total, records = store.page("ADDS")
            found = sorted(name for name, (now, versions) in wanted.items() if "dds" in versions[now][1])
            assert (total, sorted(record.name for record in records)) == (len(found), found)
        for snapshot, then in self.snapshots[-4:]:
            self.agrees(snapshot, then)

    @invariant()
    def nothing_is_wrong(self) -> None:
        assert self.stores[0].check() == ()
        assert (self.home / FILE_NAME).is_file()

    def agrees(self, snapshot: Snapshot, wanted: Shown) -> None:
        assert snapshot.names() == tuple(sorted(wanted))
        for name in ("f", "F", "g.h"):
            lineage = snapshot.lineage(name)
            if name not in wanted:
                assert lineage is None
                assert snapshot.record(name) is None
                continue
            now, versions = wanted[name]
            assert lineage is not None
            assert lineage.current == now
            assert {one.version: (one.code, one.description) for one in lineage.versions} == versions
            assert snapshot.record(name) == snapshot.record(name, now)
            for version in range(1, 7):
                record = snapshot.record(name, version)
                assert (record and (record.code, record.description)) == versions.get(version)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
