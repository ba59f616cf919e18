"""`kleis document`: what a file's example block prints as a document, or a paper of the file itself.

See docs/reference/documents.md §3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from kleis.documents.compile import PageForm, compile_document
from kleis.errors import KleisError
from kleis.pictures.picture import Picture
from registry.cli.kleis.files.test import Block, FileReport, run_file
from registry.cli.kleis.output.document_request import Documenting
from registry.cli.kleis.shared.loading import make_loader
from registry.cli.kleis.shared.reports import print_rejection
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen, json_text

__all__ = ["Documenting", "document"]

_FORMS: dict[str, PageForm] = {".pdf": "pdf", ".png": "png", ".svg": "svg"}


def document(asked: Documenting) -> int:
    """Write the document; the exit status."""
    suffix = asked.output.suffix.lower()
    if suffix not in (*_FORMS, ".typ"):
        raise click.UsageError(f"{asked.output} ends in none of {', '.join(_FORMS)}, .typ")
    report = run_file(
        make_loader(asked.path), asked.file, selection=asked.example, granted_root=asked.granted
    )
    for error in (*report.parse, *report.errors):
        print_rejection(error, report.text_of(error.file), as_json=asked.as_json)
        return 1
    try:
        text, pictures = _assembled(asked, report) if asked.assemble else _printed(asked, report.blocks)
        warnings: Sequence[str] = ()
        if suffix == ".typ":
            files: tuple[bytes, ...] = (text.encode(errors="replace"),)
        else:
            compiled = compile_document(text, pictures, _FORMS[suffix])
            files, warnings = compiled.pages, compiled.warnings
    except KleisError as error:
        print_rejection(error, "", as_json=asked.as_json)
        return 1
    return _write(asked, files, warnings, len(pictures))


def _printed(asked: Documenting, blocks: Sequence[Block]) -> tuple[str, Sequence[Picture]]:
    """The text of the one block that prints, and its pictures."""
    printing = [each for each in blocks if each.output]
    if not printing:
        failed = next((each.error for each in blocks if each.error), None)
        hint = f"a block failed: {failed}" if failed else "print one by out(…), or add --assemble"
        raise KleisError(f"no example of {asked.file} prints a document", code="no-document", hint=hint)
    if len(printing) > 1:
        names = ", ".join(repr(each.name) for each in printing)
        raise KleisError(
            f"more than one example of {asked.file} prints: {names}",
            code="several-documents",
            hint="choose with --example",
        )
    return "\n".join(printing[0].output), printing[0].pictures


def _assembled(asked: Documenting, report: FileReport) -> tuple[str, Sequence[Picture]]:
    from registry.cli.kleis.output.document_paper import assembled_paper

    return assembled_paper(asked, report)


def _write(asked: Documenting, files: Sequence[bytes], warnings: Sequence[str], pictures: int) -> int:
    paths = [asked.output]
    if len(files) > 1:
        paths = [
            asked.output.with_name(f"{asked.output.stem}-{page}{asked.output.suffix}")
            for page in range(1, len(files) + 1)
        ]
    try:
        for path, data in zip(paths, files, strict=True):
            path.write_bytes(data)
    except OSError as error:
        raise click.UsageError(f"{asked.output} cannot be written: {error.strerror}") from error
    for warning in warnings:
        print_error(f"warning: {warning}")
    answer: dict[str, Any] = {
        "paths": [str(path) for path in paths],
        "bytes": [len(data) for data in files],
        "pictures": pictures,
        "warnings": list(warnings),
    }
    out = Screen().out
    if asked.as_json:
        out.write(json_text(answer) + "\n")
    else:
        for path, data in zip(paths, files, strict=True):
            out.write(f"{path}: {len(data):,} bytes\n")
    return 0
