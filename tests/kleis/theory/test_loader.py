"""Loading: search order, every file once, cycles, duplicates, broken and missing imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.errors import LoadError
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader, Loading


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".kleis")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def load(root: Path, name: str = "main", **search: object) -> Loading:
    (root / "kleis.toml").touch()
    return Loader(ImportSearch(**search)).load(root / f"{name}.kleis")  # the project's root is `root`


def names_of(loading: Loading) -> list[str]:
    return [Path(source.name).stem for source in loading.sources]


def test_imports_come_first_wherever_they_stand(tmp_path: Path) -> None:
    write(tmp_path, main='define f = 1\nimport "a"\nimport "b.kleis"', a='import "c"', b="", c="define f = 2")
    loading = load(tmp_path)
    assert loading.ok
    assert names_of(loading) == ["c", "a", "b", "main"]
    assert loading.theory.file_of("f").endswith("main.kleis")


def test_a_file_is_loaded_once_whatever_names_lead_to_it(tmp_path: Path) -> None:
    write(tmp_path, main='import "a"\nimport "b"', a='import "d/e"', b='import "d/../d/e.kleis"\nimport "f"')
    write(tmp_path, d__e="define x = 1")
    (tmp_path / "f.kleis").symlink_to(tmp_path / "d" / "e.kleis")
    loading = load(tmp_path)
    assert names_of(loading) == ["e", "a", "b", "main"]
    assert [each.code for each in loading.problems] == ["duplicate-import"]


def test_a_cycle_is_a_warning_with_every_import_of_the_cycle(tmp_path: Path) -> None:
    write(tmp_path, main='\nimport "a"', a='\n\nimport "b"\ndefine x = 1', b='import "a"\ndefine y = 2')
    loading = load(tmp_path)
    assert loading.ok
    assert names_of(loading) == ["b", "a", "main"]
    (cycle,) = loading.problems
    assert (cycle.code, cycle.severity, cycle.line) == ("import-cycle", "warning", 1)
    assert [(Path(place.file).stem, place.line) for place in cycle.related] == [("a", 3), ("b", 1)]
    assert set(loading.theory.definitions) == {"x", "y"}


def test_a_file_that_imports_itself(tmp_path: Path) -> None:
    write(tmp_path, main='import "main"\ndefine x = 1')
    loading = load(tmp_path)
    assert [each.code for each in loading.problems] == ["import-cycle"]
    assert set(loading.theory.definitions) == {"x"}


def test_a_long_chain_of_imports_needs_no_stack(tmp_path: Path) -> None:
    write(tmp_path, **{f"m{index}": f'import "m{index + 1}"' for index in range(1500)}, m1500="define x = 1")
    loading = load(tmp_path, "m0")
    assert loading.ok
    assert len(loading.sources) == 1501


def test_more_files_than_allowed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kleis.theory.loader.MAXIMUM_FILES", 10)
    write(tmp_path, **{f"m{index}": f'import "m{index + 1}"' for index in range(20)}, m20="")
    assert [error.code for error in load(tmp_path, "m0").errors] == ["too-many-files"]


def test_duplicates_across_files_name_both_places(tmp_path: Path) -> None:
    write(tmp_path, main='import "a"\ndata D = X\ndefine f(x) = 1', a="\ndata D = Y\ndefine f(x) = 2")
    loading = load(tmp_path)
    assert [
        (each.code, each.line, [(Path(p.file).stem, p.line) for p in each.related])
        for each in loading.problems
    ] == [
        ("duplicate-declaration", 2, [("a", 2)]),
        ("redefinition", 3, [("a", 3)]),
    ]


def test_search_order(tmp_path: Path) -> None:
    """The importing file's directory, --path in order, KLEIS_ROOT, the project's root, the library."""
    places = ["project/here", "one", "two", "root", "project", "library"]
    for place in places:
        write(tmp_path, **{f"{place}__wanted": f'define where = "{place}"'})
    write(tmp_path, project__here__main='import "wanted"')
    (tmp_path / "project" / "kleis.toml").touch()
    search = ImportSearch(
        (tmp_path / "one", tmp_path / "two"), root=tmp_path / "root", library=tmp_path / "library"
    )
    for place in places:
        loading = Loader(search).load(tmp_path / "project" / "here" / "main.kleis")
        assert loading.ok, loading.errors
        assert Path(loading.sources[0].path or "").parent == tmp_path / place
        (tmp_path / place / "wanted.kleis").unlink()
    loading = Loader(search).load(tmp_path / "project" / "here" / "main.kleis")
    assert [error.code for error in loading.errors] == ["import-missing"]


@pytest.mark.parametrize(
    "spelling",
    ["stdlib/prelude.kleis", "stdlib/prelude", "../stdlib/prelude.kleis", "../../../stdlib/prelude.kleis",
     "./stdlib/prelude.kleis", "prelude.kleis"],
)  # fmt: skip
def test_existing_spellings_of_the_library(tmp_path: Path, spelling: str) -> None:
    write(tmp_path, a__b__main=f'import "{spelling}"', library__prelude="define pi = 3")
    loading = load(tmp_path, "a/b/main", library=tmp_path / "library")
    assert loading.ok, loading.errors
    assert "pi" in loading.theory.definitions


def test_the_importing_files_own_library_comes_before_the_packaged_one(tmp_path: Path) -> None:
    write(tmp_path, a__main='import "../stdlib/prelude.kleis"', stdlib__prelude="define mine = 1")
    write(tmp_path, library__prelude="define packaged = 1")
    loading = load(tmp_path, "a/main", library=tmp_path / "library")
    assert set(loading.theory.definitions) == {"mine"}


def test_a_missing_import_says_where_and_what_may_have_been_meant(tmp_path: Path) -> None:
    write(tmp_path, main='define x = 1\n  import "sub/lsits.kleis"', sub__lists="")
    loading = load(tmp_path)
    (error,) = loading.errors
    assert isinstance(error, LoadError)
    assert (error.code, error.line, error.column) == ("import-missing", 2, 3)
    assert "lists.kleis" in error.hint
    assert str(tmp_path) in error.hint
    assert error.file.endswith("main.kleis")
    assert set(loading.theory.definitions) == {"x"}


def test_a_broken_import_gives_its_own_errors_and_one_at_the_import(tmp_path: Path) -> None:
    write(tmp_path, main='\nimport "a"', a="define ok = 1\ndefine = \ndefine also = 2")
    loading = load(tmp_path)
    assert not loading.ok
    assert loading.main.result.ok
    codes = {(Path(error.file).stem, error.code) for error in loading.errors}
    assert ("main", "import-broken") in codes
    assert any(stem == "a" for stem, _ in codes)
    assert {"ok", "also"} <= set(loading.theory.definitions)


def test_all_errors_of_all_imports_are_found(tmp_path: Path) -> None:
    write(tmp_path, main='import "a"\nimport "b"\nimport "c"', b='import "d"')
    assert [error.found for error in load(tmp_path).errors] == ["a", "d", "c"]


def test_a_text_without_a_file_imports_from_a_directory(tmp_path: Path) -> None:
    write(tmp_path, a="define x = 1")
    loading = Loader(ImportSearch()).load_text('import "a"', directory=tmp_path)
    assert set(loading.theory.definitions) == {"x"}
    assert loading.main.name == "<text>"


def test_the_text_of_a_place(tmp_path: Path) -> None:
    write(tmp_path, main='import "a"', a="define x = 1")
    loading = load(tmp_path)
    assert loading.text_of(loading.sources[0].name) == "define x = 1"
    assert loading.text_of("elsewhere") == ""


def test_the_file_asked_for_is_missing(tmp_path: Path) -> None:
    write(tmp_path, policy="")
    with pytest.raises(LoadError) as caught:
        Loader(ImportSearch()).load(tmp_path / "polcy.kleis")
    assert caught.value.code == "file-missing"
    assert "policy.kleis" in caught.value.hint
