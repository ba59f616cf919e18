"""Export and import: what is exported can be imported again, and a directory is checked before it is used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pif.language.decode import decode_text
from pif.language.terms import identity, term_text
from registry.errors import RegistryError
from registry.records import content_hash
from registry.store.exchange.export_import import MANIFEST, Imported, export_tools, import_tools
from registry.store.exchange.file_format import Verified
from registry.store.protocol import Lineage
from registry.store.sqlite.sqlite_store import SqliteStore
from tests.support.stores import next_version

SQUARE = '{"body":{"mul":[{"var":"x"},{"var":"x"}]},"lam":"x"}'
DOUBLE = '{"body":{"mul":[{"var":"x"},2]},"lam":"x"}'


def verify(code: str) -> Verified:
    term = decode_text(code)
    return Verified(term_text(term), identity(term), ())


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[tuple[SqliteStore, SqliteStore]]:
    pair = SqliteStore(tmp_path / "one"), SqliteStore(tmp_path / "two")
    yield pair
    for store in pair:
        store.close()


def everything(store: SqliteStore) -> list[Lineage | None]:
    snapshot = store.snapshot()
    return [snapshot.lineage(name) for name in snapshot.names()]


def refused(store: SqliteStore, directory: Path) -> RegistryError:
    before = store.snapshot().sequence
    with pytest.raises(RegistryError) as error:
        import_tools(store, directory, verify=verify)
    assert store.snapshot().sequence == before
    return error.value


@pytest.fixture
def exported(stores: tuple[SqliteStore, SqliteStore], tmp_path: Path) -> Path:
    """An export of square (versions 1 and 3, 1 current), of Square and of double."""
    source = stores[0]
    for code in (SQUARE, "1", SQUARE.replace("x", "y")):
        next_version(source, "square", code, f"the square, é\U0001f600 {code}")
    source.forget("square", 2)
    source.rollback("square", 1)
    next_version(source, "Square", DOUBLE)
    next_version(source, "double", DOUBLE)
    export_tools(source, tmp_path / "out")
    return tmp_path / "out"


def test_what_is_exported_is_imported_alike(stores: tuple[SqliteStore, SqliteStore], exported: Path) -> None:
    source, target = stores
    first = import_tools(target, exported, verify=verify)
    sequence = target.snapshot().sequence
    again = import_tools(target, exported, verify=verify)

    assert everything(target) == everything(source)
    assert (first.added, again.added) == (4, 0)
    assert target.snapshot().sequence == sequence
    assert [event.kind for event in target.history("square")] == ["import", "import", "rollback"]
    assert target.check() == ()
    assert next_version(target, "square", "9") == 4


def test_an_export_can_be_read_by_people(exported: Path) -> None:
    files = sorted(path.relative_to(exported).as_posix() for path in exported.rglob("*.json"))
    square = json.loads((exported / "tools" / "square@1~2.json").read_text())
    manifest = json.loads((exported / MANIFEST).read_text())

    assert files == [
        MANIFEST,
        "tools/Square@1.json",
        "tools/double@1.json",
        "tools/square@1~2.json",
        "tools/square@3.json",
    ]
    assert manifest["format"] == "pif-export"
    assert manifest["tools"]["square"] == {"current": 1, "files": ["square@1~2.json", "square@3.json"]}
    assert list(square) == ["name", "version", "hash", "description", "created", "capabilities", "code"]
    assert square["code"] == json.loads(SQUARE)
    assert square["hash"] == content_hash(SQUARE)
    assert "\n  " in (exported / "tools" / "square@1~2.json").read_text()


def test_names_that_differ_in_case_only_get_files_that_do_not(exported: Path) -> None:
    names = [path.name.casefold() for path in (exported / "tools").iterdir()]

    assert len(set(names)) == len(names) == 4


def test_the_same_tools_give_the_same_bytes(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, tmp_path: Path
) -> None:
    import_tools(stores[1], exported, verify=verify)
    export_tools(stores[1], tmp_path / "again")

    for path in exported.rglob("*.json"):
        assert (tmp_path / "again" / path.relative_to(exported)).read_bytes() == path.read_bytes()


def test_an_export_is_replaced_only_when_that_is_asked_for(
    stores: tuple[SqliteStore, SqliteStore], exported: Path
) -> None:
    source = stores[0]
    source.forget("double")
    next_version(source, "triple", "3")
    with pytest.raises(RegistryError, match="holds an export already"):
        export_tools(source, exported)
    (exported / ".git").mkdir()
    (exported / "README").write_text("ours")
    result = export_tools(source, exported, overwrite=True)
    import_tools(stores[1], exported, verify=verify)

    assert (result.tools, result.versions) == (3, 4)
    assert everything(stores[1]) == everything(source)
    assert not (exported / "tools" / "double@1.json").exists()
    assert (exported / "README").read_text() == "ours"


def test_an_export_of_some_tools(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, tmp_path: Path
) -> None:
    export_tools(stores[0], tmp_path / "some", names=["double"])
    with pytest.raises(RegistryError, match="no tool named") as unknown:
        export_tools(stores[0], tmp_path / "none", names=["double", "duoble"])

    assert import_tools(stores[1], tmp_path / "some", verify=verify).added == 1
    assert unknown.value.hint == "did you mean 'double'?"
    assert not (tmp_path / "none").exists()


def test_a_directory_with_other_things_is_left_alone(
    stores: tuple[SqliteStore, SqliteStore], tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(RegistryError, match="not empty"):
            export_tools(stores[0], tmp_path / "mine", overwrite=overwrite)

    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_files_the_manifest_does_not_mention_are_reported(
    stores: tuple[SqliteStore, SqliteStore], exported: Path
) -> None:
    (exported / "tools" / "stray@1.json").write_text("{}")

    assert import_tools(stores[1], exported, verify=verify).ignored == ("tools/stray@1.json",)


def test_an_import_continues_a_history_that_is_a_prefix(
    stores: tuple[SqliteStore, SqliteStore], tmp_path: Path
) -> None:
    source, target = stores
    next_version(source, "f", "1")
    export_tools(source, tmp_path / "out")
    import_tools(target, tmp_path / "out", verify=verify)
    next_version(source, "f", "2")
    export_tools(source, tmp_path / "out", overwrite=True)
    imported = import_tools(target, tmp_path / "out", verify=verify)

    assert imported.tools[0].added == (2,)
    assert everything(target) == everything(source)


def test_a_number_that_stands_for_other_code_is_a_conflict_unless_renumbered(
    stores: tuple[SqliteStore, SqliteStore], exported: Path
) -> None:
    target = stores[1]
    next_version(target, "square", "7")
    conflict = refused(target, exported)

    def renumbered() -> Imported:
        return import_tools(target, exported, verify=verify, renumber=True)

    first, sequence = renumbered(), target.snapshot().sequence
    again = renumbered()
    numbers = {tool.name: (tool.numbers, tool.added, tool.current) for tool in first.tools}
    record = target.snapshot().record("square")

    assert conflict.kind == "version_conflict"
    assert conflict.found == "square@1"
    assert numbers["square"] == ({1: 2, 3: 3}, (2, 3), 2)
    assert record is not None
    assert record.code == SQUARE
    assert again.added == 0
    assert target.snapshot().sequence == sequence


def test_what_was_forgotten_is_not_raised_from_the_dead(
    stores: tuple[SqliteStore, SqliteStore], exported: Path
) -> None:
    target = stores[1]
    import_tools(target, exported, verify=verify)
    target.forget("double")
    conflict = refused(target, exported)
    import_tools(target, exported, verify=verify, renumber=True)
    lineage = target.snapshot().lineage("double")

    assert (conflict.kind, conflict.found) == ("version_conflict", "double@1")
    assert lineage is not None
    assert [record.version for record in lineage.versions] == [2]


def test_deep_and_long_codes_survive(stores: tuple[SqliteStore, SqliteStore], tmp_path: Path) -> None:
    deep = "1"
    for _ in range(398):
        deep = '{"not":' + deep + "}"
    big = str(2**8_192 - 1)
    for name, code in (("deep", deep), ("big", big), ("wide", "[" + ",".join(["1"] * 10_000) + "]")):
        assert verify(code).code == code
        next_version(stores[0], name, code)
    export_tools(stores[0], tmp_path / "out")
    import_tools(stores[1], tmp_path / "out", verify=verify)

    assert everything(stores[1]) == everything(stores[0])
    assert sum(path.stat().st_size for path in (tmp_path / "out").rglob("*.json")) < 300_000


def changed(field: str, value: object) -> Callable[[dict[str, object]], dict[str, object]]:
    return lambda data: {**data, field: value}


@pytest.mark.parametrize(
    "change",
    [
        changed("code", 43),
        changed("code", {"mul": [1]}),
        changed("code", {"no_such_operation": 1}),
        changed("hash", "pif1:" + "0" * 64),
        changed("hash", 5),
        changed("version", 2),
        changed("version", 0),
        changed("version", -1),
        changed("version", 2**31),
        changed("version", "1"),
        changed("version", True),
        changed("name", "other"),
        changed("name", "run"),
        changed("name", "../../etc"),
        changed("description", "x" * 9_000),
        changed("description", None),
        changed("created", "yesterday"),
        changed("created", "2026-01-01T00:00:00"),
        changed("capabilities", "self"),
        changed("surprise", 1),
    ],
)
def test_a_changed_file_is_refused_by_its_name(
    stores: tuple[SqliteStore, SqliteStore],
    exported: Path,
    change: Callable[[dict[str, object]], dict[str, object]],
) -> None:
    path = exported / "tools" / "double@1.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    error = refused(stores[1], exported)

    assert error.kind == "invalid_argument"
    assert error.hint
    # A version that is right by itself and missing from the manifest is the manifest's fault.
    wrong = exported / MANIFEST if "current version" in error.message else path
    assert str(error.file).partition("#")[0] == str(wrong)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"name": "\xc3"}',
        b"[" * 1_000_000,
        b'{"code":' * 100_000,
        b'{"name": "double"}',
        b'"' + b"x" * 1_000_000,
        b"1e999999",
    ],
    ids=lambda content: repr(content[:12]),
)
@pytest.mark.parametrize("file", [MANIFEST, "tools/double@1.json"])
def test_a_malformed_file_is_refused_by_its_name(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, file: str, content: bytes
) -> None:
    (exported / file).write_bytes(content)
    error = refused(stores[1], exported)

    assert error.kind == "invalid_argument"
    assert error.file == str(exported / file)
    assert len(str(error.as_json())) < 2_000


@pytest.mark.parametrize(
    "entry",
    [
        {"current": 1, "files": ["../secret.json"]},
        {"current": 1, "files": ["/etc/passwd"]},
        {"current": 1, "files": ["double@1.json/../double@1.json"]},
        {"current": 1, "files": ["."]},
        {"current": 1, "files": ["double@1.json\0"]},
        {"current": 1, "files": ["double@9.json"]},
        {"current": 1, "files": ["double@1.json", "double@1.json"]},
        {"current": 1, "files": ["Square@1.json"]},
        {"current": 2, "files": ["double@1.json"]},
        {"current": 1, "files": []},
        {"files": ["double@1.json"]},
        [],
    ],
    ids=str,
)
def test_a_manifest_that_points_elsewhere_is_refused(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, entry: object
) -> None:
    (exported.parent / "secret.json").write_text((exported / "tools" / "double@1.json").read_text())
    manifest = json.loads((exported / MANIFEST).read_text())
    manifest["tools"]["double"] = entry
    (exported / MANIFEST).write_text(json.dumps(manifest))
    error = refused(stores[1], exported)

    assert error.kind == "invalid_argument"
    assert str(exported) in str(error.file)


def test_another_format_version_is_refused(stores: tuple[SqliteStore, SqliteStore], exported: Path) -> None:
    manifest = json.loads((exported / MANIFEST).read_text())
    (exported / MANIFEST).write_text(json.dumps({**manifest, "format_version": 2}))

    assert "another format" in refused(stores[1], exported).message


def test_links_and_other_kinds_of_files_are_not_followed(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, tmp_path: Path
) -> None:
    file = exported / "tools" / "double@1.json"
    outside = tmp_path / "outside.json"
    file.rename(outside)
    file.symlink_to(outside)
    assert refused(stores[1], exported).file == str(file)
    file.unlink()
    os.mkfifo(file)
    assert "no ordinary file" in refused(stores[1], exported).message
    file.unlink()
    file.mkdir()
    assert refused(stores[1], exported).file == str(file)
    file.rmdir()
    outside.rename(file)
    (exported / "tools").rename(tmp_path / "tools")
    (exported / "tools").symlink_to(tmp_path / "tools")
    assert refused(stores[1], exported).file == str(exported / "tools")


def test_an_export_does_not_write_through_links(
    stores: tuple[SqliteStore, SqliteStore], exported: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    file = exported / "tools" / "double@1.json"
    file.unlink()
    file.symlink_to(victim)
    export_tools(stores[0], exported, overwrite=True)
    assert victim.read_text() == "precious"
    assert not file.is_symlink()
    for path in (exported / "tools").iterdir():
        path.unlink()
    (exported / "tools").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (exported / "tools").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RegistryError):
        export_tools(stores[0], exported, overwrite=True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_import_is_all_or_nothing(stores: tuple[SqliteStore, SqliteStore], exported: Path) -> None:
    """The last of the files is at fault; nothing of the others is kept."""
    path = exported / "tools" / "square@3.json"
    path.write_text(path.read_text().replace('"y"', '"z"'))
    error = refused(stores[1], exported)

    assert "another hash" in error.message
    assert stores[1].snapshot().names() == ()


def test_what_is_no_directory_or_no_export(stores: tuple[SqliteStore, SqliteStore], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()

    assert refused(stores[1], tmp_path / "file").kind == "invalid_argument"
    assert refused(stores[1], tmp_path / "missing").kind == "invalid_argument"
    assert "no export" in refused(stores[1], tmp_path / "empty").message
