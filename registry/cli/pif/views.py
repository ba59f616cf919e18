"""Answers of the `pif` commands as text for people, one function an answer type."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

from registry.cli.pif.law_views import laws, settled
from registry.cli.terminal.characters import counted, shortened
from registry.cli.terminal.error_report import Texts, error_report
from registry.cli.terminal.layout import Piece, Role, lay_out
from registry.cli.terminal.screen import Line, Screen, json_text

__all__ = [
    "analysis",
    "continuation",
    "difference",
    "evolved",
    "exported",
    "forgotten",
    "fuzzed",
    "history",
    "imported",
    "migrated",
    "nothing",
    "term",
    "tool",
    "tools",
    "trace",
    "value",
]

Json = Any
Answer = dict[str, Any]

_SHORT_HASH = 17
_SHORT = 160

_USERS = 20
"""Users of a tool that are named when it changes."""


def nothing(answer: Answer) -> None:
    """For answers that are errors in any case."""


def term(screen: Screen, data: Json, *, indent: int = 0) -> list[Line]:
    """A term as lines."""
    margin = Piece(" " * indent)
    return [[margin, *line] for line in lay_out(data, width=screen.width - indent).lines]


def _field(name: str, text: str, role: Role = "plain") -> Line:
    return [Piece(f"  {name:13}", "faint"), Piece(text, role)]


def evolved(screen: Screen, answer: Answer) -> None:
    """What `evolve` made."""
    reference = f"{answer['name']}@{answer['version']}"
    outcome = answer["outcome"]
    if answer.get("dry_run"):
        said = {
            "created": "would be created",
            "new_version": "would be a new version",
            "description": "would get this description",
            "examples": "would get these examples",
            "laws": "would get these laws",
            "unchanged": "would stay as it is",
        }[outcome]
    else:
        said = {
            "created": "created",
            "new_version": "new version",
            "description": "new description",
            "examples": "more examples",
            "laws": "other laws",
            "unchanged": "unchanged",
        }[outcome]
    screen.write([Piece(reference, "strong"), Piece(f" {said}", "good")], _field("hash", answer["hash"]))
    if answer["inferred_type"] is not None:
        screen.write(_field("type", answer["inferred_type"]))
    _cost(screen, answer["cost"], brief=True)
    if answer["capabilities"]:
        screen.write(_field("capabilities", " ".join(answer["capabilities"])))
    if "closed_over" in answer:
        screen.write(_field("closed over", answer["closed_over"]))
    if "examples" in answer:
        screen.write(_field("examples", f"{len(answer['examples'])} hold"))
    if "laws" in answer:
        laws(screen, answer["laws"])
    if "users" in answer:
        users = answer["users"]
        more = f", and {len(users) - _USERS} more" if len(users) > _USERS else ""
        screen.write(_field("used by", ", ".join(_user(user) for user in users[:_USERS]) + more))
    if "derived_from" in answer:
        screen.write(_field("derived from", answer["derived_from"]))
    for part in answer.get("unfinished", ()):
        screen.write(_field("unfinished", part))
    for found in answer.get("type_errors", ()):
        screen.print_error(f"warning: {found['path'] or 'the root'}: {found['message']}")


def _user(user: Answer) -> str:
    """A tool that uses the one that changed, and what became of its examples."""
    broken = f", {len(user['broken'])} would not" if "broken" in user else ""
    stale = f", {counted(user['laws_stale'], 'law')} to be checked again" if "laws_stale" in user else ""
    return f"{user['tool']} ({user['examples_held']} examples hold{broken}{stale})"


def tools(screen: Screen, answer: Answer) -> None:
    """A page of tools."""
    rows = [
        (
            f"{found['name']}@{found['version']}",
            " ".join(found["capabilities"]),
            _short(found["description"]),
            found["type"] or "no type",
        )
        for found in answer["tools"]
    ]
    titles = ("tool", "capabilities", "description", "type")
    if rows and any("laws" in found for found in answer["tools"]):
        told = [_proved(found.get("laws", ())) for found in answer["tools"]]
        screen.table((*titles, "laws"), [(*row, of_it) for row, of_it in zip(rows, told, strict=True)])
    elif rows:
        screen.table(titles, rows)
    after = answer["offset"] + len(rows)
    if not rows:
        screen.print_error("No tools." if not answer["total"] else f"No tools after {answer['offset']}.")
    elif after < answer["total"]:
        screen.print_error(f"{len(rows)} of {answer['total']}; more with --offset {after}")
    if answer.get("library"):
        names = ", ".join(found["name"] for found in answer["library"])
        more = answer["library_total"] - len(answer["library"])
        rest = f" and {more} more" if more else ""
        screen.print_error(
            f"In the standard library: {names}{rest}. `pif list --library WORDS` tells what they do."
        )
    if teams := answer.get("teams"):
        shared = ", ".join(found["name"] for found in answer.get("shared", ()))
        counts = ", ".join(f"{each['team']} ({each['tools']})" for each in teams)
        found = f"{shared}. Matches in teams: {counts}" if shared else f"Teams: {counts}"
        screen.print_error(f"{found}. `pif list --team TEAM` tells what they do.")


def _proved(found: Sequence[Answer]) -> str:
    """How many laws a tool has, in words: 2 proved, 1 tested."""
    counts = Counter(law["status"] for law in found)
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def tool(screen: Screen, answer: Answer, code: Json) -> None:
    """One tool, whole."""
    screen.write([Piece(f"{answer['name']}@{answer['version']}", "strong")])
    if answer["description"]:
        screen.write(*(f"  {line}" for line in answer["description"].split("\n")))
    if answer["version"] != answer["current"]:
        screen.write(_field("current", f"{answer['name']}@{answer['current']}"))
    screen.write(
        _field("hash", answer["hash"]),
        _field("type", _type(answer)),
    )
    _cost(screen, answer["cost"])
    screen.write(
        _field("capabilities", " ".join(answer["capabilities"]) or "none: it only computes"),
        _field("created", answer["created"]),
        *_origin(answer),
        "",
        *_code(screen, answer, code),
    )
    if "laws" in answer:
        screen.write("", [Piece("  laws", "faint")])
        laws(screen, answer["laws"])
    if len(answer["versions"]) > 1:
        screen.write("", [Piece("  versions", "faint")])
        for version in answer["versions"]:
            current = "  current" if version["version"] == answer["current"] else ""
            number, hash_ = version["version"], version["hash"][:_SHORT_HASH]
            screen.write([Piece(f"    {number:<4} {version['created']}  {hash_}"), Piece(current, "good")])


def _origin(answer: Answer) -> list[Line]:
    """Whose a tool is that was pulled."""
    if "origin" not in answer:
        return []
    origin = answer["origin"]
    return [
        _field("from", f"{origin['name']} at {origin['from']}, {origin['pulled']}"),
        _field("signed by", origin["key"]),
        _field("identity", origin["identity"]),
    ]


def _code(screen: Screen, answer: Answer, code: Json) -> list[Line]:
    """The code of a tool: as Python or Kleis where that was asked for, else as a term."""
    if "kleis_refused" in answer:
        refused = answer["kleis_refused"]
        where = f"{refused['path'] or 'the root'} of {refused['tool']}"
        return [[Piece(f"  no Kleis definition: {refused['reason']} (at {where})", "bad")]]
    written = answer.get("python") or answer.get("kleis")
    return [f"  {line}" for line in written.splitlines()] if written else term(screen, code, indent=2)


def _type(answer: Answer) -> str:
    """The type of a tool or a term in one line, or why it has none."""
    if answer["inferred_type"] is None:
        count = len(answer.get("type_errors", ()))
        return f"none: {count} type error{'s' if count != 1 else ''}" if count else "none"
    return f"{answer['inferred_type']}{', not certain' if 'type_unknown' in answer else ''}"


def difference(screen: Screen, answer: Answer) -> None:
    """Where two terms differ."""
    title = f"{answer['from']} → {answer['to']}"
    if answer["same"]:
        screen.write([Piece(title, "strong"), Piece(": the same code")])
        return
    alike = ": different code, the same normal form" if answer["same_normal_form"] else ""
    screen.write([Piece(title, "strong"), Piece(alike)])
    for change in answer["changes"]:
        screen.write([Piece(shortened(change["path"]) or "(all of it)", "key")])
        for key, sign, role in (("from", "-", "bad"), ("to", "+", "good")):
            if key in change:
                lines = lay_out(change[key], width=screen.width - 4).texts()
                screen.write(*([Piece(f"  {sign} {line}", _role(role))] for line in lines))


def _role(role: str) -> Role:
    return "bad" if role == "bad" else "good"


def history(screen: Screen, answer: Answer) -> None:
    """What happened to a name."""
    rows = []
    told = any("principal" in event for event in answer["events"])
    for event in answer["events"]:
        version = str(event["version"]) if "version" in event else "all"
        current = str(event["current"]) if "current" in event else "none"
        hash_ = event.get("hash", "")[:_SHORT_HASH]
        who = (event.get("principal", ""),) * told
        rows.append(
            (
                event["moment"],
                *who,
                event["kind"],
                version,
                current,
                hash_,
                _short(event.get("description", "")),
            )
        )
    screen.table(("moment", *("who",) * told, "what", "version", "current", "hash", "description"), rows)


def forgotten(answer: Answer) -> str:
    """What `forget` did."""
    versions = ", ".join(map(str, answer["versions"]))
    now = f"is at version {answer['current']}" if answer["current"] else "is free"
    return f"forgotten: {answer['name']} {versions}; the name {now}"


def value(screen: Screen, answer: Answer) -> None:
    """The value of a run: its JSON, on one line unless a terminal is too narrow."""
    if "value" not in answer:
        screen.write(answer["value_text"])
    elif screen.out_terminal:
        screen.write(*term(screen, answer["value"]))
        screen.print_error([Piece(f"{answer['kind']}, fuel used: {answer['fuel_used']}", "faint")])
    else:
        screen.write(json_text(answer["value"]))


def continuation(screen: Screen, answer: Answer) -> None:
    """A step that is asked for, and the command that takes it."""
    words = ["pif", "run", answer["tool"], json_text(answer["next_input"]), "--step", str(answer["step"])]
    if answer.get("raw"):
        words.append("--raw")
    screen.write(
        [Piece(f"continuation of {answer['tool']} after step {answer['step']}", "strong")],
        _field("next input", json_text(answer["next_input"])),
        _field("fuel used", str(answer["fuel_used"])),
        _field("go on with", shlex.join(words)),
    )
    if answer.get("stopped") == "out_of_fuel":
        screen.print_error("stopped: the fuel was used up inside the next step; pass more --fuel")


def trace(screen: Screen, events: list[Answer]) -> None:
    """The last events of a run, on standard error."""
    for event in events:
        where = event.get("tool", event.get("in", "code"))
        names = " ".join(event["names"])
        screen.print_error(
            [
                Piece(f"{event['event']:8} ", "key"),
                Piece(f"{where}{shortened(event['path'])} ", "faint"),
                Piece(event["term"]),
                Piece(f" [{names}] fuel {event['fuel_left']}", "faint"),
            ]
        )


def analysis(screen: Screen, answer: Answer, texts: Texts) -> None:
    """What is known of a term."""
    name = answer.get("tool", "the term")
    if not answer.get("valid", True):
        for error in answer["errors"]:
            screen.write(*error_report(error, texts, width=screen.width), "")
        count = len(answer["errors"])
        screen.write([Piece(f"not a term: {count} error{'s' if count != 1 else ''}", "bad")])
        return
    screen.write([Piece(name, "strong"), Piece(" is valid" if "valid" in answer else "", "good")])
    if "nodes" in answer:
        operations = ", ".join(f"{key} {count}" for key, count in answer["operations"].items())
        screen.write(
            _field("nodes", str(answer["nodes"])),
            _field("depth", str(answer["depth"])),
            _field("operations", operations or "none"),
            _field("free names", " ".join(answer["free"]) or "none"),
            _field("tools", " ".join(answer["tools"]) or "none"),
            _field("capabilities", " ".join(answer["capabilities"]) or "none: it only computes"),
        )
    if "reach" in answer:
        _reach(screen, answer["reach"])
    if "inferred_type" in answer:
        _types(screen, answer, texts)
    if "cost" in answer:
        _cost(screen, answer["cost"])
    if "dead_code" in answer:
        for part in answer["dead_code"] or ():
            screen.write(_field("dead code", f"{part['path']}: {part['reason']}"))
    for part in answer.get("unfinished", ()):
        screen.write(_field("unfinished", part))
    if answer.get("is_normal") is not None:
        if answer["is_normal"]:
            screen.write(_field("normal form", "the term itself"))
        else:
            screen.write(_field("normal form", ""), *term(screen, answer["normal_form"], indent=4))


def fuzzed(screen: Screen, answer: Answer, texts: Texts) -> None:
    """What came of trying a tool on made-up inputs."""
    on = "without an input" if answer["input_type"] is None else f"on {answer['input_type']}"
    count = answer["examples"]
    screen.write(
        [
            Piece(answer["tool"], "strong"),
            Piece(f" {on}: {count} runs, {answer['distinct']} different inputs"),
        ],
        _field("seed", str(answer["seed"])),
        _field(
            "outcomes", ", ".join(f"{name} {number}" for name, number in answer["outcomes"].items()) or "none"
        ),
    )
    if "fuel" in answer:
        fuel = answer["fuel"]
        screen.write(
            _field("fuel", _fuel(fuel)),
            _field("most by", _again(answer["tool"], fuel["most_by"])),
        )
    for found in answer["errors"]:
        times = "once" if found["count"] == 1 else f"{found['count']} times"
        screen.write("", [Piece(times, "strong"), Piece(f", smallest: {_again(answer['tool'], found)}")])
        screen.write(*error_report(found["error"], texts, width=screen.width))
    if answer.get("stopped"):
        screen.print_error("stopped: this is what was found until then")


def _fuel(fuel: Answer) -> str:
    if fuel["least"] == fuel["most"]:
        return f"{fuel['most']} in every run"
    return f"{fuel['least']} to {fuel['most']}, half of the runs at most {fuel['median']}"


def _again(tool: str, given: Answer) -> str:
    """The command that runs an input again."""
    words = ["pif", "run", tool, *([] if given["input"] is None else [json_text(given["input"])])]
    return shlex.join([*words, *(["--raw"] if given.get("raw") else [])])


def _reach(screen: Screen, reach: Answer) -> None:
    """The tools that can be called, through others too."""
    cut = ", …" if "cut" in reach else ""
    screen.write(_field("reaches", " ".join(reach["tools"]) + cut if reach["tools"] else "no tool"))
    if reach["missing"]:
        screen.write(_field("missing", " ".join(reach["missing"])))
    if reach["capabilities"]:
        screen.write(_field("", f"which may: {' '.join(reach['capabilities'])}"))


def _cost(screen: Screen, cost: Answer, *, brief: bool = False) -> None:
    """The bounds on fuel, and what the names in them mean."""
    if "applied" in cost:
        _applied(screen, cost["applied"], brief=brief)
        return
    if brief and "unknown" in cost:
        return
    if "unknown" in cost:
        place = (
            f" ({cost['path']}{' of ' + cost['tool'] if 'tool' in cost else ''})" if cost.get("path") else ""
        )
        screen.write(_field("fuel", f"no bound: {cost['unknown']}{place}"))
        return
    same = cost["min"] == cost["max"]
    screen.write(_field("fuel", cost["min"] if same else f"{cost['min']} to {cost['max']}"))
    if brief:
        return
    for name, meaning in cost.get("sizes", {}).items():
        screen.write(_field("", f"{name}: {meaning}"))
    for charge in cost.get("charges", ()):
        screen.write(_field("", charge))


def _applied(screen: Screen, cost: Answer, *, brief: bool) -> None:
    """The bounds of a tool that takes one argument after another."""
    if "unknown" not in cost:
        both = cost["min"] if cost["min"] == cost["max"] else f"{cost['min']} to {cost['max']}"
        cost = {**cost, "min": f"{both}, on all {cost['arguments']} arguments"}
        cost["max"] = cost["min"]
    _cost(screen, cost, brief=brief)


def _types(screen: Screen, answer: Answer, texts: Texts) -> None:
    screen.write(_field("type", _type(answer)))
    for name, found in answer.get("free_types", {}).items():
        screen.write(_field("", f"where {name} is {found}"))
    for place in answer.get("type_unknown", ()):
        screen.write(_field("", f"? at {place['path'] or 'the root'}: {place['reason']}"))
    for found in answer.get("type_errors", ()):
        screen.write("", *error_report(found, texts, width=screen.width))


def exported(answer: Answer) -> str:
    """What `export` wrote."""
    tools, versions = counted(answer["tools"], "tool"), counted(answer["versions"], "version")
    return f"{tools} with {versions} in {answer['directory']}"


def verified_backup(screen: Screen, answer: Answer) -> None:
    """What reading a backup found."""
    for problem in answer["problems"]:
        screen.print_error([Piece("wrong: ", "bad"), Piece(problem)])
    if answer["verified"]:
        screen.write(f"{answer['path']} is whole: {answer['tools']} tools, {answer['versions']} versions")


def migrated(screen: Screen, answer: Answer) -> None:
    """What `migrate-store` copied."""
    screen.write(f"copied {answer['from']} to {answer['to']}; every hash was checked")
    for table, count in answer["rows"].items():
        screen.write(f"  {table.replace('_', ' '):<20}{count}")
    if answer["beside"]:
        screen.write("Stores of principals and teams stand beside it and are copied one by one:")
    for other in answer["beside"]:
        target = other["to"] or "…/principals/oauth.ISSUER.SUBJECT"
        screen.write(f"  pif migrate-store {shlex.quote(other['from'])} {shlex.quote(target)}")


def imported(screen: Screen, answer: Answer) -> None:
    """What `import` took in."""
    for taken in answer["tools"]:
        added = ", ".join(map(str, taken["added"]))
        versions = f"version {added} is" if len(taken["added"]) == 1 else f"versions {added} are"
        said = f"{versions} new" if added else "nothing new"
        screen.write(f"{taken['name']}: {said}, current {taken['current']}")
    screen.write(f"{counted(answer['added'], 'version')} added")
    settled(screen, answer.get("laws", ()))
    for name in answer["ignored"]:
        screen.print_error(f"ignored: {name} (the manifest does not list it)")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else line[: _SHORT - 1] + "…"
