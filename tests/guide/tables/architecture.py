"""The picture of docs/architecture.md, from the contracts of import-linter in pyproject.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator

from tests.guide.tables import ROOT

__all__ = ["TABLES"]

_PACKAGES = ("registry", "kleis", "pif")
"""The packages that are drawn, the one that imports the others first."""


def layers() -> dict[str, list[str]]:
    """The layers of each container, the highest first, as the contracts give them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    return {each["containers"][0]: each["layers"] for each in contracts if each["type"] == "layers"}


def _drawn(package: str, rows: list[str]) -> Iterator[str]:
    yield f'  subgraph {package}["{package}/"]'
    for place, row in enumerate(rows):
        label = " · ".join(each.strip() for each in row.split("|"))
        yield f'    {package}{place}["{label}"]'
    if len(rows) > 1:
        yield "    " + " --> ".join(f"{package}{place}" for place in range(len(rows)))
    yield "  end"


def picture() -> str:
    """The packages with their layers: whatever stands higher may import what stands below."""
    found = layers()
    lines = ["```mermaid", "flowchart TB"]
    for package in _PACKAGES:
        lines += _drawn(package, found[package])
    first, *others = _PACKAGES
    lines += [f"  {first} --> {other}" for other in others]
    return "\n".join([*lines, "```"])


def folders() -> str:
    """The layers inside the packages, a line each."""
    inner = {name: rows for name, rows in layers().items() if name not in _PACKAGES}
    return "\n".join(
        f"- `{name.replace('.', '/')}/`: "
        + " → ".join(" · ".join(f"`{each.strip()}`" for each in row.split("|")) for row in rows)
        for name, rows in inner.items()
    )


TABLES: dict[str, Callable[[], str]] = {"architecture-picture": picture, "architecture-folders": folders}
