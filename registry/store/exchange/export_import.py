"""Tools as a directory of JSON files: to read, to review, to keep in git, to carry to another home.

    pif-export.json            the manifest: format, and for each tool its current version and its files
    tools/square@1.json        one file a version: name, version, hash, description, created, capabilities, code, laws
    certificates/HASH.json     the certificates of laws, by the SHA-256 of their text

The manifest is written last and by a rename, so a directory either is a whole export or does not say that it is one.
Nothing in the files is believed: on the way in every code is decoded and its hash computed anew by a `Verifier`,
names and numbers are tested, and the tools are taken over in one transaction, all or none. Their laws come in as
`claimed`; `registry.laws.imported` checks them afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from registry.errors import RegistryError
from registry.records import ToolRecord, certificate_hash, check_name, read_laws
from registry.store.exchange.directory import ExchangeDirectory
from registry.store.exchange.file_format import (
    Entry,
    Manifest,
    Verified,
    Verifier,
    blaming,
    malformed,
    manifest_text,
    read_manifest,
    read_record,
    record_text,
)
from registry.store.protocol import Adopted, Lineage, Snapshot, Store

__all__ = [
    "MANIFEST",
    "Exported",
    "Imported",
    "Verified",
    "Verifier",
    "export_tools",
    "import_tools",
]

MANIFEST: Final = "pif-export.json"

_TOOLS: Final = Path("tools")
_CERTIFICATES: Final = Path("certificates")
_CERTIFICATE: Final = re.compile(r"[0-9a-f]{64}\.json")
_FILE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,47}@[1-9][0-9]{0,9}(?:~[1-9][0-9]{0,4})?\.json")
_IMPORT_LIMIT: Final = 512 * 1024 * 1024


class Exported(msgspec.Struct, frozen=True):
    """How many tools and versions an export holds, and where."""

    tools: int
    versions: int
    directory: str


class Imported(msgspec.Struct, frozen=True):
    """What became of each tool of an export, and files in its directory that the manifest does not mention."""

    tools: tuple[Adopted, ...]
    ignored: tuple[str, ...]

    @property
    def added(self) -> int:
        """How many versions are new here."""
        return sum(len(tool.added) for tool in self.tools)


def export_tools(
    store: Store, directory: Path, *, names: Iterable[str] | None = None, overwrite: bool = False
) -> Exported:
    """Write the tools (all of them, or those `names`) with all their versions to `directory`.

    The directory must be empty or not there; with `overwrite` it may hold an earlier export, which is replaced.
    """
    snapshot = store.snapshot()
    chosen = _chosen(snapshot, names)
    versions = 0
    tools: dict[str, Entry] = {}
    taken: set[str] = set()
    hashes: set[str] = set()
    with ExchangeDirectory(directory, create=True) as root:
        _reject_other_directories(root, overwrite=overwrite)
        with ExchangeDirectory(_TOOLS, inside=root, create=True) as files:
            for lineage in filter(None, map(snapshot.lineage, chosen)):
                listed = []
                for record in lineage.versions:
                    name = _free_name(record, taken)
                    files.write(name, record_text(record))
                    listed.append(name)
                    hashes.update(law.certificate for law in read_laws(record.laws) if law.certificate)
                tools[lineage.name] = Entry(lineage.current, tuple(listed))
                versions += len(listed)
            files.synchronise()
            _export_certificates(store, root, hashes)
            root.write(MANIFEST, manifest_text(tools))
            root.synchronise()
            kept = {name for entry in tools.values() for name in entry.files}
            for name in files.entries():
                if _FILE.fullmatch(name) and name not in kept:
                    files.remove(name)
    return Exported(len(tools), versions, str(directory))


def _export_certificates(store: Store, root: ExchangeDirectory, hashes: set[str]) -> None:
    """Write the certificates of laws; remove those of an earlier export that no law refers to."""
    if not hashes and str(_CERTIFICATES) not in root.entries():
        return
    with ExchangeDirectory(_CERTIFICATES, inside=root, create=True) as files:
        for hash_ in sorted(hashes):
            text = store.certificate(hash_)
            if text is not None:
                files.write(f"{hash_}.json", text.encode())
        files.synchronise()
        for name in files.entries():
            if _CERTIFICATE.fullmatch(name) and name.removesuffix(".json") not in hashes:
                files.remove(name)


def _certificates(root: ExchangeDirectory, lineages: Iterable[Lineage], budget: list[int]) -> dict[str, str]:
    """The certificates that the laws of an export name; one whose text has another hash is an error."""
    wanted = {
        law.certificate
        for lineage in lineages
        for record in lineage.versions
        for law in read_laws(record.laws)
        if _CERTIFICATE.fullmatch(f"{law.certificate}.json")
    }
    found: dict[str, str] = {}
    if not wanted or str(_CERTIFICATES) not in root.entries():
        return found
    with ExchangeDirectory(_CERTIFICATES, inside=root) as files:
        for hash_ in sorted(wanted):
            content = files.read(f"{hash_}.json")
            if content is None:
                continue
            budget[0] -= len(content)
            text = content.decode(errors="replace")
            if budget[0] < 0 or certificate_hash(text) != hash_:
                place = str(files.path / f"{hash_}.json")
                raise malformed(place, "a certificate is not what its name says", "another text", hash_)
            found[hash_] = text
    return found


def import_tools(
    store: Store,
    directory: Path,
    *,
    verify: Verifier,
    renumber: bool = False,
    check: Callable[[Sequence[Lineage]], Sequence[Lineage]] | None = None,
) -> Imported:
    """Take in an export, all of it or nothing; what is here already is left alone.

    `check` is given all that was read before anything is written, and answers what is taken in; what it raises refuses the
    import. `renumber`: see `registry.store.protocol.Store.adopt`. Errors name the file at fault.
    """
    with ExchangeDirectory(directory) as root:
        manifest = _manifest(root)
        with ExchangeDirectory(_TOOLS, inside=root) as files:
            budget = [_IMPORT_LIMIT]
            lineages = [
                _lineage(root, files, name, entry, verify, budget) for name, entry in manifest.tools.items()
            ]
            listed = {name for entry in manifest.tools.values() for name in entry.files}
            ignored = tuple(str(_TOOLS / name) for name in files.entries() if name not in listed)
        certificates = _certificates(root, lineages, budget)
    if check is not None:
        lineages = [*check(lineages)]
    return Imported(store.adopt(lineages, renumber=renumber, certificates=certificates), ignored)


def _chosen(snapshot: Snapshot, names: Iterable[str] | None) -> tuple[str, ...]:
    """The names to export; one that does not resolve is an error."""
    if names is None:
        return snapshot.names()
    chosen = tuple(sorted(set(names)))
    for name in chosen:
        if snapshot.record(name) is None:
            near = snapshot.nearest(name)
            raise RegistryError(
                "unknown_tool",
                f"there is no tool named {name!r}",
                place="names",
                tool=name,
                expected="the name of a registered tool",
                hint=f"did you mean {near!r}?" if near else "`list` shows the tools there are",
            )
    return chosen


def _free_name(record: ToolRecord, taken: set[str]) -> str:
    """A file name that differs from the others on file systems that ignore case as well."""
    name, turn = f"{record.reference}.json", 1
    while name.casefold() in taken:
        turn += 1
        name = f"{record.reference}~{turn}.json"
    taken.add(name.casefold())
    return name


def _reject_other_directories(root: ExchangeDirectory, *, overwrite: bool) -> None:
    entries = root.entries()
    if MANIFEST not in entries:
        foreign = [name for name in entries if name not in (str(_TOOLS), str(_CERTIFICATES), ".git")]
        if not foreign:
            return
        raise RegistryError(
            "invalid_argument",
            "the directory is not empty, and no export",
            file=str(root.path),
            found=", ".join(foreign[:3]),
            expected="an empty directory, or one that is not there",
            hint="choose another directory",
        )
    if not overwrite:
        raise RegistryError(
            "invalid_argument",
            "the directory holds an export already",
            file=str(root.path),
            found=MANIFEST,
            expected="an empty directory, or one that is not there",
            hint="choose another directory, or allow overwriting",
        )
    _manifest(root)


def _manifest(root: ExchangeDirectory) -> Manifest:
    place = str(root.path / MANIFEST)
    content = root.read(MANIFEST)
    if content is None:
        raise malformed(str(root.path), "the directory is no export", f"no {MANIFEST}", f"a file {MANIFEST}")
    return read_manifest(content, place)


def _lineage(
    root: ExchangeDirectory,
    files: ExchangeDirectory,
    name: str,
    entry: Entry,
    verify: Verifier,
    budget: list[int],
) -> Lineage:
    records: dict[int, ToolRecord] = {}
    manifest = str(root.path / MANIFEST)
    with blaming(manifest):
        check_name(name)
    for file_name in entry.files:
        if _FILE.fullmatch(file_name) is None:
            raise malformed(
                manifest, "that is no name of a file of an export", ascii(file_name), "NAME@VERSION.json"
            )
        content = files.read(file_name)
        place = str(files.path / file_name)
        if content is None:
            raise malformed(place, "the manifest lists a file that is not there", "nothing", "a file")
        budget[0] -= len(content)
        if budget[0] < 0:
            raise malformed(str(root.path), "the export is too large", f"over {_IMPORT_LIMIT} bytes", "less")
        record = read_record(content, place, verify)
        if record.name != name or record.version in records:
            expected = f"a version of {name!r} that no other file holds"
            raise malformed(place, "the file is not what the manifest says", record.reference, expected)
        records[record.version] = record
    if entry.current not in records:
        listed = ", ".join(map(str, sorted(records)[:10])) or "none"
        raise malformed(
            manifest, f"the current version of {name!r} is missing", str(entry.current), f"one of {listed}"
        )
    return Lineage(name, entry.current, tuple(records[version] for version in sorted(records)))
