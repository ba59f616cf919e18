"""The contract with clients of the original Lean server, row by row, through a real client, on the mock; its eleven bugs
are absent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.lean_client import MOCK, Conversing, Said, Talk, kept

SIMPLE = "theorem one : 1 + 0 = 1 := by\n  sorry\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that the server may use."""
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def mock(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Conversing]:
    """A server with the mock."""
    with kept(tmp_path_factory.mktemp("home"), MOCK, roots=(root,), more=True) as conversing:
        yield conversing


@pytest.fixture
def folder(root: Path) -> Iterator[Path]:
    """A place for files in the root, empty before and after."""
    yield root
    for path in root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def marked(said: Said) -> None:
    assert said.data["mock"] is True
    assert said.data["message"].startswith("[mock")


def test_snippets(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        for more in ({}, {"hint": "by arithmetic"}):
            said = await ask("prove", code=SIMPLE, **more)
            assert said.status == "proved"
            assert "sorry" not in said.data["code"]
            assert "theorem one : 1 + 0 = 1" in said.data["code"]
            assert said.data["sorries_filled"] == said.data["sorries_total"] == 1
            marked(said)
        said = await ask("prove", code=SIMPLE.replace("one", "FALSE_theorem"))
        assert said.status == "counterexample"
        assert "n = 0" in said.data["counterexample"]
        assert "code" not in said.data
        said = await ask("prove", code="theorem fine : True := trivial\n")
        assert said.status == "proved"
        said = await ask("prove", code=SIMPLE.replace("one", "hard_one"))
        assert said.status == "failed"
        assert "time" in said.data["message"]
        assert not said.is_error
        said = await ask("prove", code="\n".join(SIMPLE.replace("one", f"t{n}") for n in range(3)))
        assert (said.status, said.data["sorries_filled"]) == ("proved", 3)
        assert (await ask("prove", code="")).status == "proved"

    mock(talk)


def test_submitting_and_polling(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        said = await ask("prove", code=SIMPLE, wait=False)
        assert said.status == "submitted"
        assert said.data["retry_after_s"] >= 1
        job = said.data["project_id"]
        assert job.startswith("mock-")
        found = [await ask("check_proof", project_id=job) for _ in range(4)]
        assert [each.status for each in found] == ["queued", "in_progress", "proved", "proved"]
        assert [each.data["percent_complete"] for each in found] == [0, 50, 100, 100]
        assert "sorry" not in found[-1].data["code"]
        for each in (said, *found):
            marked(each)

    mock(talk)


def test_formalizing(mock: Conversing, folder: Path) -> None:
    (folder / "Defs.lean").write_text("def double (n : ℕ) : ℕ := n + n\n")

    async def talk(ask: Talk) -> None:
        for words, name in (
            ("The sum of two even numbers is even.", "sum_of_evens"),
            ("There is a prime above every number.", "a_prime_above"),
            ("Addition is commutative.", "add_commutes"),
            ("Something else.", "described"),
        ):
            said = await ask("formalize", description=words)
            assert said.status == "formalized"
            assert f"theorem {name}" in said.data["lean_code"]
            assert "sorry" in said.data["lean_code"]
            marked(said)
        said = await ask("formalize", description="Addition is commutative.", prove=True)
        assert said.status == "proved"
        assert "sorry" not in said.data["lean_code"]
        said = await ask("formalize", description="Doubling.", context_file="Defs.lean")
        assert "Defs.lean" in said.data["lean_code"]
        assert "context" in said.text
        for prove, last in ((False, "formalized"), (True, "proved")):
            job = (await ask("formalize", description="x", prove=prove, wait=False)).data["project_id"]
            assert job.startswith("mock-formalize-")
            seen = [(await ask("check_formalize", project_id=job)).status for _ in range(3)]
            assert seen == ["queued", "in_progress", last]

    mock(talk)


def test_files(mock: Conversing, folder: Path) -> None:
    file = folder / "Basic.lean"
    file.write_text(SIMPLE)

    async def talk(ask: Talk) -> None:
        said = await ask("prove_file", file_path=str(file))
        assert (said.status, said.data["sorries_filled"], said.data["sorries_total"]) == ("proved", 1, 1)
        assert said.data["output_path"] == str(folder / "Basic.solved.lean")
        assert "sorry" not in (folder / "Basic.solved.lean").read_text()
        marked(said)
        again = await ask("prove_file", file_path="Basic.lean")
        assert (again.status, again.kind) == ("error", "already_exists")
        assert "already exists" in again.data["message"]
        said = await ask("prove_file", file_path="Basic.lean", output_path="Other.lean")
        assert said.data["output_path"] == str(folder / "Other.lean")
        missing = await ask("prove_file", file_path="Nowhere.lean")
        assert missing.kind == "not_found"
        assert "not found" in missing.data["message"]
        (folder / "empty.lean").write_text("")
        assert (await ask("prove_file", file_path="empty.lean")).status == "proved"
        (folder / "a_partial.lean").write_text("\n".join(SIMPLE.replace("one", f"t{n}") for n in range(3)))
        said = await ask("prove_file", file_path="a_partial.lean")
        assert (said.status, said.data["sorries_filled"], said.data["sorries_total"]) == ("partial", 2, 3)
        assert Path(said.data["output_path"]).read_text().count("sorry") == 1
        (folder / "fail.lean").write_text(SIMPLE)
        assert (await ask("prove_file", file_path="fail.lean")).status == "failed"
        assert not (folder / "fail.solved.lean").exists()

    mock(talk)


def test_a_file_in_a_lake_project(mock: Conversing, folder: Path) -> None:
    (folder / "lakefile.toml").write_text('name = "x"\n')
    (folder / "X").mkdir()
    (folder / "X" / "Basic.lean").write_text(SIMPLE)

    async def talk(ask: Talk) -> None:
        said = await ask("prove_file", file_path="X/Basic.lean")
        assert said.status == "proved"
        assert said.data["output_path"] == str(folder / "X" / "Basic.solved.lean")

    mock(talk)


def test_files_in_the_background(mock: Conversing, folder: Path) -> None:
    (folder / "Basic.lean").write_text(SIMPLE)
    solved = folder / "Basic.solved.lean"

    async def talk(ask: Talk) -> None:
        said = await ask("prove_file", file_path="Basic.lean", wait=False)
        job = said.data["project_id"]
        assert said.status == "submitted"
        assert job.startswith("mock-file-")
        seen = [await ask("check_prove_file", project_id=job, save=True) for _ in range(3)]
        assert [each.status for each in seen] == ["queued", "in_progress", "proved"]
        assert seen[2].data["output_path"] == str(solved)
        assert solved.exists()
        assert (await ask("check_prove_file", project_id=job, save=True)).data["output_path"] == str(solved)
        assert not (folder / "Basic.solved.1.lean").exists()

        job = (await ask("prove_file", file_path="Basic.lean", output_path="B.lean", wait=False)).data[
            "project_id"
        ]
        for _ in range(3):
            said = await ask("check_prove_file", project_id=job)
        assert said.status == "proved"
        assert "output_path" not in said.data
        assert "save=True" in said.text
        (folder / "B.lean").write_text("taken meanwhile")
        said = await ask("check_prove_file", project_id=job, save=True)
        assert said.data["output_path"] == str(folder / "B.1.lean")
        assert (folder / "B.lean").read_text() == "taken meanwhile"
        said = await ask("check_prove_file", project_id=job, save=True, output_path="C.lean")
        assert said.data["output_path"] == str(folder / "C.lean")

    mock(talk)


def test_unknown_ids(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        proof = (await ask("prove", code=SIMPLE, wait=False)).data["project_id"]
        text = (await ask("formalize", description="x", wait=False)).data["project_id"]
        for tool, name in (
            ("check_proof", ""),
            ("check_proof", "mock-00000000000000000000000000000000"),
            ("check_proof", "../../etc/passwd"),
            ("check_proof", text),
            ("check_formalize", proof),
            ("check_prove_file", proof),
            ("cancel", "x"),
        ):
            said = await ask(tool, project_id=name)
            assert said.is_error
            assert (said.status, said.kind) == ("error", "unknown_job")
            assert "unknown" in said.data["message"]

    mock(talk)


def test_sizes(mock: Conversing, folder: Path) -> None:
    (folder / "large.lean").write_text("-" * 10_000_001)

    async def talk(ask: Talk) -> None:
        for said in (
            await ask("prove", code="x" * 1_000_001),
            await ask("formalize", description="x" * 100_001),
            await ask("prove_file", file_path="large.lean"),
        ):
            assert said.is_error
            assert "size" in said.data["message"]
        assert (await ask("prove", code="-- " + "x" * 999_997)).status == "proved"
        assert (await ask("formalize", description="x" * 100_000)).status == "formalized"

    mock(talk)


def test_context_files(mock: Conversing, folder: Path) -> None:
    (folder / "Here.lean").write_text("def here := 0\n")

    async def talk(ask: Talk) -> None:
        assert (await ask("prove", code=SIMPLE, context_files=["Here.lean"])).status == "proved"
        said = await ask("prove", code=SIMPLE, context_files=["Gone.lean"])
        assert said.status == "proved"
        assert "Gone.lean was not found" in said.data["warnings"][0]
        outside = await ask("prove", code=SIMPLE, context_files=["/etc/passwd"])
        assert outside.kind == "path_refused"

    mock(talk)


def test_cancelling(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        job = (await ask("prove", code=SIMPLE, wait=False)).data["project_id"]
        said = await ask("cancel", project_id=job)
        assert (said.status, said.data["cancelled"]) == ("failed", True)
        assert "cancelled" in said.data["message"]
        assert (await ask("check_proof", project_id=job)).status == "failed"
        job = (await ask("prove", code=SIMPLE)).data["project_id"]
        said = await ask("cancel", project_id=job)
        assert (said.status, said.data["cancelled"]) == ("proved", False)

    mock(talk)


def test_the_status(mock: Conversing) -> None:
    async def talk(ask: Talk) -> None:
        await ask("prove", code=SIMPLE)
        resource = (await ask.client.read_resource("aristotle://status")).contents[0].model_dump_json()
        for part in ('mock_mode\\":true', 'ready\\":true', 'projects_today\\":', 'api_healthy\\":true'):
            assert part in resource
        said = await ask("aristotle_status")
        assert (said.data["mock_mode"], said.data["api_key_configured"]) == (True, False)
        jobs = (await ask("list_jobs")).data
        assert jobs["total"] >= 1
        assert jobs["jobs"][0]["status"] == "proved"

    mock(talk)
