"""Scores print LilyPond text; where LilyPond is installed one is compiled."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from registry.cli.kleis.files.test import run_file
from registry.cli.kleis.shared.loading import make_loader

SCORE = """
import "stdlib/templates/sheet_music.kleis"
example "score" {
    out(typst_raw(compile_score(solo_score("Scale", "Nobody", Treble, KeySig(C, "major"), TimeSig(4, 4),
        [m([n(C, Quarter), n(D, Quarter), n(E, Quarter), n(F, Quarter)])]))))
}
"""


@pytest.mark.skipif(shutil.which("lilypond") is None, reason="lilypond is not installed")
def test_a_score_compiles(tmp_path: Path) -> None:
    file = tmp_path / "score.kleis"
    file.write_text(SCORE)
    (block,) = run_file(make_loader(()), str(file)).blocks
    (tmp_path / "score.ly").write_text("\n".join(block.output))
    done = subprocess.run(
        ["lilypond", "-o", "score", "score.ly"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "score.pdf").read_bytes().startswith(b"%PDF-")
