"""Stages the pages and builds the site: `make docs`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.guide.site.generated import PAGES
from tests.guide.site.staging import ROOT, pages, staged, toctrees

__all__ = ["build", "stage"]

OUTPUT = ROOT / ".build" / "docs"


def stage(source: Path) -> None:
    """Write the pages of the site to a folder of their own, which is made anew."""
    shutil.rmtree(source, ignore_errors=True)
    names = pages()
    texts = {name: staged(path, names) for path, name in names.items()}
    made = {name: page() for name, page in PAGES.items()}
    decisions = sorted(name for name in texts if name.startswith("adr/") and name != "adr/index")
    titles = {name: text.splitlines()[0].removeprefix("# ") for name, text in made.items()}
    listed = "\n".join(f"- [{title}]({name}.md)" for name, title in titles.items())
    texts["index"] += f"\n## Made from the code\n\n{listed}\n\n{toctrees(texts['index'], made, decisions)}"
    for name, text in {**texts, **made}.items():
        path = source / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def build(output: Path) -> int:
    """Build the site; the exit status of Sphinx, for which a warning is an error."""
    source = output.with_name(output.name + "-source")
    stage(source)
    shutil.rmtree(output, ignore_errors=True)
    configuration = Path(__file__).parent
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-c",
        configuration,
        source,
        output,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    """The exit status."""
    if find_spec("sphinx") is None or find_spec("myst_parser") is None or find_spec("furo") is None:
        print("make docs needs the extra docs: pip install '.[docs]'", file=sys.stderr)
        return 2
    output = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else OUTPUT
    status = build(output)
    if status == 0:
        print(f"{output}/index.html")
    return status


if __name__ == "__main__":
    sys.exit(main())
