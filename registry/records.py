"""The records of tools and of their laws, the rules for names, and references (docs/reference/registry.md §1).

A record is immutable, and its `hash` is always the hash of its `code`. `content_hash` and `identity` of
`pif.language.terms` state the same rule, one for the canonical text and one for the term; a property test compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from kleis.decoding import json_decoder
from pif.language.errors import nearest
from pif.language.terms import Json
from pif.language.warnings import RoundedNumbers
from registry.errors import RegistryError

__all__ = [
    "CERTIFICATE_FORMAT",
    "LIBRARY_PREFIX",
    "NAME_RULE",
    "NOT_CHECKED",
    "NO_EXAMPLES",
    "NO_LAWS",
    "RESERVED",
    "SYSTEM_TOOLS",
    "TEAM_PREFIX",
    "TEAM_RULE",
    "VERSION_LIMIT",
    "KeptLaw",
    "LawStatus",
    "Reference",
    "ToolRecord",
    "as_claimed",
    "believed",
    "certificate_hash",
    "check_full_name",
    "check_name",
    "content_hash",
    "full_name",
    "laws_text",
    "nearest_name",
    "own_name",
    "parse_reference",
    "read_laws",
    "team_of",
    "valid_name",
    "valid_team",
]


NAME_RULE: Final = "[A-Za-z_][A-Za-z0-9_.-]{0,47}"
LIBRARY_PREFIX: Final = "std."

TEAM_RULE: Final = "[a-z][a-z0-9-]{0,31}"
"""A team's name is that of a directory, and has no `_`, so that a name in which `__` divides can be read in one way."""

TEAM_PREFIX: Final = "team/"
"""What the names of teams' tools begin with: `team/TEAM/NAME`."""

NO_EXAMPLES: Final = "[]"
NO_LAWS: Final = "[]"
VERSION_LIMIT: Final = 2**31 - 1

SYSTEM_TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "pif": (
        *("evolve", "run", "list", "help", "analyze"),
        *("history", "diff", "rollback", "forget", "export", "import", "fuzz", "check_laws"),
    ),
    "theory": (
        *(
            "evaluate",
            "describe_schema",
            "submit_structure",
            "submit_define",
            "submit_data",
            "submit_lemma",
            "try_structure",
        ),
        *(
            "list_session",
            "load_theory",
            "save_theory",
            "explore",
            "check_job",
            "undo",
            "compare",
            "explain",
            "certify",
            "find_models",
            "check_machine",
        ),
    ),
    "policy": (
        *("check_action", "list_rules", "explain_rule", "describe_schema", "evaluate"),
        *("audit_policy", "compare_policies"),
    ),
    "lean": (
        *("prove", "check_proof", "prove_file", "check_prove_file", "formalize", "check_formalize", "cancel"),
        *("aristotle_status", "list_jobs"),
    ),
    "corpus": (
        *("list_declarations_for_paper", "list_declarations_in_file"),
        *("get_dependency_graph_for_declaration", "search_declarations", "list_papers", "audit_paper"),
    ),
    "documents": ("draw_plot", "assemble_document"),
}

RESERVED: Final[frozenset[str]] = frozenset({"self"}.union(*SYSTEM_TOOLS.values()))

_NAME: Final = re.compile(NAME_RULE)
_TEAM: Final = re.compile(TEAM_RULE)
_VERSION: Final = re.compile(r"[1-9][0-9]{0,9}")
_HINT_CANDIDATES: Final = 400


class ToolRecord(msgspec.Struct, frozen=True):
    """One version of one tool.

    `code` is canonical compact JSON text, `hash` its `content_hash`, `capabilities` are sorted names, `created` is
    the moment this version was first made (ISO 8601, UTC), `examples` the JSON text of its examples, `laws` that of its
    laws (`read_laws`). `rounded`: the numbers that lost their fractions when the code was read. `python`: the
    text that the code was translated from, where it was; it says where errors are and decides nothing.
    """

    name: str
    version: int
    description: str
    code: str
    hash: str
    capabilities: tuple[str, ...]
    created: str
    examples: str = NO_EXAMPLES
    laws: str = NO_LAWS
    rounded: RoundedNumbers | None = None
    python: str | None = None

    @property
    def reference(self) -> str:
        """The record's `name@version`."""
        return f"{self.name}@{self.version}"


class Reference(msgspec.Struct, frozen=True):
    """A tool as a person or a term names it; `version` is None for the current one. `name` is the whole name; `team` is the
    team in it, empty for a plain one."""

    name: str
    version: int | None = None
    team: str = ""

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"


def content_hash(code: str) -> str:
    """What identifies a tool: `pif1:` and the hex SHA-256 of `pif1`, a newline and its canonical text."""
    import hashlib  # loads a library of its own, which a run of a term does without

    return "pif1:" + hashlib.sha256(b"pif1\n" + code.encode()).hexdigest()


def valid_name(name: str) -> bool:
    """Whether `name` is spelled as a tool's name; says nothing about reserved names."""
    return _NAME.fullmatch(name) is not None


def valid_team(team: str) -> bool:
    """Whether `team` is spelled as a team's name."""
    return _TEAM.fullmatch(team) is not None


def full_name(team: str, name: str) -> str:
    """A team's tool as everybody names it."""
    return f"{TEAM_PREFIX}{team}/{name}"


def team_of(name: str) -> str:
    """The team in a tool's name, with or without a version; empty where it is not spelled as that of a team's tool."""
    if not name.startswith(TEAM_PREFIX):
        return ""
    team, _, plain = name.removeprefix(TEAM_PREFIX).partition("/")
    return team if valid_team(team) and valid_name(plain.partition("@")[0]) else ""


def own_name(name: str) -> str:
    """A tool's name without the team in it: what the team's own code and laws call it."""
    return name.rpartition("/")[2] if team_of(name) else name


def check_full_name(name: str) -> str:
    """`name` itself, plain or that of a team's tool; raises `invalid_name` where no tool may be called that."""
    if not name.startswith(TEAM_PREFIX):
        return check_name(name)
    team, divided, plain = name.removeprefix(TEAM_PREFIX).partition("/")
    if divided and valid_team(team):
        check_name(plain)
        return name
    raise RegistryError(
        "invalid_name", "the name of a team's tool is `team/`, the name of the team, `/` and the tool's name", place="name",
        found=_shown(name), expected=f"team/TEAM/NAME, TEAM as {TEAM_RULE}",
        hint="for example 'team/ops/square'; `list` shows the teams that you may read",
    )  # fmt: skip


def check_name(name: str) -> str:
    """`name` itself; raises `invalid_name` where no tool may be called that in a store."""
    if not valid_name(name):
        raise RegistryError(
            "invalid_name",
            "a tool's name starts with a letter or an underscore and goes on with letters, digits, '_', '.' or '-'",
            place="name",
            found=_shown(name),
            expected=f"{NAME_RULE} (48 characters at most)",
            hint=_respelled(name),
        )
    if name.startswith(LIBRARY_PREFIX):
        raise RegistryError(
            "invalid_name",
            f"names that start with {LIBRARY_PREFIX!r} are those of the standard library, which cannot be changed",
            place="name",
            found=name,
            expected=f"a name that does not start with {LIBRARY_PREFIX!r}",
            hint=f"a tool of your own named {name.removeprefix(LIBRARY_PREFIX) or 'tool'!r} stands in front of the library's",
        )
    if name in RESERVED:
        group = next((group for group, names in SYSTEM_TOOLS.items() if name in names), None)
        owner = f"a system tool of the group {group}" if group else "how a tool calls itself"
        raise RegistryError(
            "invalid_name",
            f"{name!r} is reserved: it is {owner}",
            place="name",
            found=name,
            expected="a name that no system tool has",
            hint=f"take another name, for example {name + '_tool'!r}",
        )
    return name


def parse_reference(text: str) -> Reference:
    """The tool that `name` or `name@version` names, plain or a team's; raises `invalid_name` for every other text."""
    name, at, version = text.partition("@")
    team = team_of(name)
    is_name = bool(team) or valid_name(name)
    if is_name and not at:
        return Reference(name, None, team)
    if is_name and _VERSION.fullmatch(version) and int(version) <= VERSION_LIMIT:
        return Reference(name, int(version), team)
    if is_name:
        hint: str | None = f"versions count from 1, written without leading zeros: {name}@1"
    elif name.startswith(TEAM_PREFIX):
        hint = "a team's tool is team/TEAM/NAME, such as team/ops/square"
    else:
        hint = _respelled(name)
    raise RegistryError(
        "invalid_name",
        "a tool is named by its name, or by its name, '@' and a version",
        place="name",
        found=_shown(text),
        expected="NAME or NAME@VERSION",
        hint=hint,
    )


def nearest_name(name: str, names: Iterable[str]) -> str | None:
    """The name out of `names` closest to a misspelt one, or None where nothing is close.

    Comparing spellings costs microseconds a pair, so of a large registry only the likeliest few hundred names are
    compared: those of about the same length that start or end alike, by how much of both is alike.
    """
    candidates = [other for other in names if abs(len(other) - len(name)) <= 3]
    if len(candidates) > _HINT_CANDIDATES:
        wanted = name.casefold()
        spelled = [(other.casefold(), other) for other in candidates]
        turned = [(other[::-1], same) for other, same in spelled]
        alike = [*_starting_alike(wanted, spelled), *_starting_alike(wanted[::-1], turned)]
        candidates = list(dict.fromkeys(alike))
    return nearest(name, candidates)


def _starting_alike(wanted: str, names: Sequence[tuple[str, str]]) -> list[str]:
    """Of pairs of a text and a name, some names whose texts share most of their start with `wanted`, two characters at
    least; the closest first."""
    most = _HINT_CANDIDATES // 2
    length = 2
    kept = [pair for pair in names if pair[0].startswith(wanted[:length])]
    while len(kept) > most and length < len(wanted):
        length += 1
        closer = [pair for pair in kept if pair[0].startswith(wanted[:length])]
        if len(closer) < most:
            kept = [*closer, *kept]
            break
        kept = closer
    return [name for _, name in kept[:most]]


def _respelled(name: str) -> str | None:
    """A hint with a legal spelling of an illegal name, where one is left over."""
    legal = re.sub(r"[^A-Za-z0-9_.-]+", "_", name[:200]).strip("_")[:48]
    if legal and not valid_name(legal):
        legal = ("_" + legal)[:48]
    return f"for example {legal!r}" if legal and legal not in RESERVED else None


def _shown(text: str) -> str:
    """A received text, short and safe to print."""
    return ascii(text if len(text) <= 60 else text[:57] + "...")


# ── Laws ─────────────────────────────────────────────────────────────────────────────────────────────────────

CERTIFICATE_FORMAT: Final = 2
"""The format of certificates that this program makes and checks: `VERSION` of the checker, which is not loaded for it."""

NOT_CHECKED: Final = "it was imported and has not been checked here"
"""The reason of a law that came with an import, until it was tried and its certificate checked."""

LawStatus = Literal["proved", "tested", "untested", "claimed"]
"""`proved`: a certificate of the present format was checked here. `claimed`: the law came from elsewhere, or has a
certificate of an older format, and nothing of it was checked; `reason` says what is missing."""


class KeptLaw(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One law of one version.

    `kleis` is the proposition over the Kleis names of tools. `labels` qualify the status. `tools` are the tools that it
    rests on (`name@version`) with the hashes of their code. `lemmas` are laws that were given to its proof, in order.
    `conditions` are the definedness predicates, for a law proved behind them. `certificate` is a hash
    (`certificate_hash`): certificates are long, and the store keeps each once. `format` is the certificate's.
    """

    law: str
    status: LawStatus
    kleis: str = ""
    reason: str = ""
    labels: tuple[str, ...] = ()
    cases: int = 0
    seed: int | None = None
    engine: str = ""
    conditions: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    tools: dict[str, str] = {}
    certificate: str = ""
    format: int = 1

    def as_json(self) -> dict[str, Json]:
        """The fields of an answer."""
        fields: dict[str, Json] = msgspec.to_builtins(self)
        fields.pop("tools", None)
        fields.pop("format", None)
        return fields


_DECODER = json_decoder(tuple[KeptLaw, ...])


def read_laws(text: str) -> tuple[KeptLaw, ...]:
    """The laws that a record holds, each with what is believed of it."""
    return () if text == NO_LAWS else tuple(map(believed, _DECODER.decode(text)))


def believed(law: KeptLaw) -> KeptLaw:
    """A law as it was kept: `claimed` where its certificate is of a format that is not checked any more."""
    if law.status != "proved" or law.format == CERTIFICATE_FORMAT:
        return law
    return as_claimed(law, f"its certificate is of format {law.format}, which is not checked any more")


def as_claimed(law: KeptLaw, reason: str) -> KeptLaw:
    """A law of which nothing was checked here. What it takes to check it is left."""
    return msgspec.structs.replace(law, status="claimed", reason=reason)


def laws_text(laws: tuple[KeptLaw, ...]) -> str:
    """Laws as a record holds them."""
    return msgspec.json.encode(laws).decode()


def certificate_hash(certificate: str) -> str:
    """The hash that identifies a certificate: the hex SHA-256 of its text."""
    import hashlib

    return hashlib.sha256(certificate.encode()).hexdigest()
