"""A policy: rules in words, an action tried, the decision with the condition that decided, findings, a second policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kleis.errors import KleisError
from kleis.policy.actions import ACTIONS
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from registry.views.actions import button, buttons, choice, field, form, lines, truth
from registry.views.markup import LONGEST, Markup, element, joined
from registry.views.mathematics import formula_of
from registry.views.page import View
from registry.views.parts import (
    code,
    facts,
    folded,
    listed,
    plain,
    search,
    section,
    status_badge,
    table,
    warnings,
)
from registry.views.tool import error_view

__all__ = [
    "audit_view",
    "decision_view",
    "policy_comparison_view",
    "policy_schema_view",
    "rule_view",
    "rules_view",
]

_WHAT = {
    "file_delete": "a file is deleted", "file_create": "a file is created", "file_edit": "a file is changed",
    "run_command": "a command is run", "git_push": "a branch is pushed", "git_commit": "a commit is made",
}  # fmt: skip

_FINDINGS = {
    "never_fires": "a condition can never hold", "shadowed": "an earlier condition decides before this one",
    "always_fires": "a condition always holds, so that what follows is never used",
    "slips_past": "an action that means the same as a denied one is allowed", "fails": "a rule has no value for an action",
    "always_allows": "a rule denies nothing", "always_denies": "a rule allows nothing",
    "before_only": "steps are named, and nothing decides", "never_asked": "a rule is never asked",
    "unknown_name": "a name is declared nowhere", "redefined": "a definition replaces another one",
    "misread": "a place may be read in a way that its author did not mean", "no_rule": "no rule decides about an action",
    "undecided": "a question was not decided",
}  # fmt: skip

_DEEPEST = 40


def policy_schema_view(answer: Mapping[str, Any]) -> View:
    """The whole policy, of the fields of `describe_schema`: each rule in words and as it is written."""
    schema = answer.get("schema")
    if not isinstance(schema, Mapping):
        return error_view(answer)
    stats = ", ".join(
        f"{count} {kind.replace('_', ' ')}" for kind, count in (schema.get("stats") or {}).items()
    )
    parts = [
        *_heading("Policy", answer),
        facts([("File", str(schema.get("policy_file", ""))), ("Declares", stats)]),
        *_questions(),
        search("rules", "rules"),
        element("div", *_rules_of(schema), id="rules"),
    ]
    if schema.get("verifiable_propositions"):
        rows = [_proposition(each) for each in schema["verifiable_propositions"]]
        parts.append(section("Worth trying", table(["proposition", "asks", ""], rows)))
    return View("Policy", joined(parts))


def _heading(title: str, answer: Mapping[str, Any]) -> Iterator[Markup]:
    yield element("h1", title, dir="auto")
    yield warnings(answer)
    if answer.get("policy_problem"):
        yield element("p", f"The policy's file is broken: {answer['policy_problem']}", class_="notice")


def _questions() -> Iterator[Markup]:
    yield section("Try an action", *_actions())
    asked = form(
        "Audit", "audit_policy", [choice("Action", "action", ("", *ACTIONS))],
    )  # fmt: skip
    other = form(
        "Compare", "compare_policies", [lines("Another policy, as Kleis", "kleis", required=True)],
    )  # fmt: skip
    yield folded("What is wrong with it?", asked)
    yield folded("Is another policy stricter?", other)


def _actions() -> Iterator[Markup]:
    for action in ACTIONS.values():
        fields = [
            truth("forced", name) if name == "force" else field(name.capitalize(), name)
            for name in action.parameters
        ]
        asked = form(f"May I: {action.name}", "check_action", fields, {"action": action.name})
        yield folded(f"{action.name}: {_WHAT.get(action.name, 'something is done')}", asked)


def _rules_of(schema: Mapping[str, Any]) -> Iterator[Markup]:
    for title, name in (
        ("Rules that decide", "check_functions"),
        ("Steps before an action", "precondition_functions"),
        ("Definitions that rules use", "helper_functions"),
    ):
        rules = schema.get(name) or ()
        if rules:
            yield section(
                title, *(_rule(each, opened=name != "helper_functions") for each in map(_named, rules))
            )
    for each in map(_named, schema.get("structures") or ()):
        rows = [
            [str(one.get("name", "")), code(one.get("kleis", ""))]
            for one in map(_named, each.get("axioms") or ())
        ]
        if rows:
            yield section(f"Structure {each.get('name', '')}", table(["axiom", "says"], rows))


def _named(each: Any) -> Mapping[str, Any]:
    return each if isinstance(each, Mapping) else {"name": str(each)}


def _rule(each: Mapping[str, Any], *, opened: bool) -> Markup:
    name = str(each.get("name", ""))
    parameters = ", ".join(map(str, each.get("params") or ()))
    inside = [
        in_words(str(each.get("body", ""))) if each.get("body") and opened else Markup(""),
        folded("As it is written", code(each["kleis"])) if each.get("kleis") else Markup(""),
        buttons(button("Open", "explain_rule", {"rule_name": name})) if not each.get("kleis") else Markup(""),
    ]
    summary = element("summary", f"{name}({parameters})", dir="auto")
    return element("details", summary, *inside, open=opened and bool(each.get("body")), data_row=True)


def in_words(body: str) -> Markup:
    """The body of a rule as a list: what is denied or allowed when, in the order in which it is asked."""
    if len(body) > LONGEST:
        return code(body)
    try:
        rows = [*_clauses(parse_expression(body, file="<rule>"), 0)]
    except (KleisError, RecursionError):
        return code(body)
    return listed(rows, steps=True)


def _clauses(body: tree.Expression, depth: int) -> Iterator[Markup]:
    match body:
        case tree.Conditional(condition=test, consequent=yes, alternative=no) if depth < _DEEPEST:
            if isinstance(yes, tree.Conditional | tree.Let):
                yield joined(("If ", formula_of(test), ":", listed([*_clauses(yes, depth + 1)])))
            else:
                yield joined((_outcome(yes), " if ", formula_of(test)))
            yield from _clauses(no, depth + 1)
        case tree.Let(value=value, body=inner, pattern=tree.VariablePattern(name=name)) if depth < _DEEPEST:
            yield joined(("Let ", element("code", name, dir="auto"), " be ", formula_of(value)))
            yield from _clauses(inner, depth + 1)
        case _:
            yield joined((_outcome(body), " otherwise" if depth else " always"))


def _outcome(leaf: tree.Expression) -> Markup:
    match leaf:
        case tree.Text(value="allow" | "allowed" | "deny" | "denied" as word):
            return status_badge(word)
        case tree.Text(value=value):
            steps = [each.strip() for each in value.split("&&") if each.strip()]
            return element(
                "span",
                "nothing to do first" if value == "none" else f"first {', then '.join(steps)}",
                dir="auto",
            )
        case _:
            return formula_of(leaf)


def _proposition(each: Mapping[str, Any]) -> list[Markup | str]:
    written = str(each.get("kleis") or each.get("proposition") or "")
    return [
        code(written),
        str(each.get("description", "")),
        button("Decide", "evaluate", {"scope": "policy", "expression": written}),
    ]


def rules_view(answer: Mapping[str, Any]) -> View:
    """The rules by kind, of the fields of `list_rules`."""
    if "check_functions" not in answer:
        return error_view(answer)
    whole = button("Open all of it", "describe_schema", {"scope": "policy", "depth": "full"})
    body = (
        *_heading("Policy", answer),
        facts([("File", str(answer.get("policy_file", ""))), ("An action without a rule", str(answer.get("default", "")))]),
        buttons(whole), *_questions(), search("rules", "rules"), element("div", *_rules_of(answer), id="rules"),
        _axioms(answer.get("axioms") or ()),
    )  # fmt: skip
    return View("Policy", joined(body))


def _axioms(axioms: Sequence[Mapping[str, Any]]) -> Markup:
    if not axioms:
        return Markup("")
    rows = [[str(each.get("name", "")), str(each.get("structure", ""))] for each in axioms]
    return section("Axioms", table(["axiom", "structure"], rows))


def rule_view(answer: Mapping[str, Any]) -> View:
    """One rule, of the fields of `explain_rule`."""
    if "found" not in answer:
        return error_view(answer)
    name = str(answer.get("name", ""))
    if not answer["found"]:
        near = [
            button(each, "explain_rule", {"rule_name": each})
            for each in map(str, answer.get("did_you_mean") or answer.get("rules") or ())
        ]
        body = (
            element("h1", status_badge("none")),
            element("p", f"There is no rule {name}.", dir="auto"),
            buttons(*near),
        )
        return View("no such rule", joined(body))
    written = str(answer.get("kleis", ""))
    parts = [
        *_heading(name, answer),
        facts(
            [
                ("Kind", str(answer.get("kind", ""))),
                ("Parameters", ", ".join(map(str, answer.get("params") or ()))),
                ("Structure", str(answer.get("structure", ""))),
                ("File", str(answer.get("file", ""))),
                ("Line", str(answer.get("line", ""))),
            ]
        ),
    ]
    head, equals, body_text = written.partition("=")
    if equals and head.startswith("define "):
        parts.append(section("In words", in_words(body_text)))
    parts += [section("As it is written", code(written))]
    action = ACTIONS.get(name.removeprefix("check_").removeprefix("before_"))
    if action is not None:
        parts.append(section("Try an action", *_actions()))
    return View(name, joined(parts))


def decision_view(answer: Mapping[str, Any]) -> View:
    """A decision, of the fields of `check_action`, with the condition that decided it."""
    if "allowed" not in answer:
        return error_view(answer)
    body = (*_heading("Decision", answer), *_decision(answer), section("Try another action", *_actions()))
    return View("allowed" if answer["allowed"] else "denied", joined(body))


def _decision(answer: Mapping[str, Any]) -> Iterator[Markup]:
    yield element("p", status_badge("allowed" if answer.get("allowed") else "denied"))
    rule = str(answer.get("rule") or "")
    because = answer.get("because") or {}
    written = str(because.get("condition", ""))
    holds = "" if not written else "It holds." if because.get("holds") else "It does not hold."
    yield facts(
        [
            ("Action", str(answer.get("action", ""))),
            ("Rule", joined((rule, " ", button("Open", "explain_rule", {"rule_name": rule}))) if rule else ""),
            ("Reason", str(answer.get("reason", ""))),
            ("Condition that decided", joined((code(written), holds)) if written else ""),
            ("Line", str(because.get("line", ""))),
        ]
    )  # fmt: skip
    steps = [*map(str, answer.get("preconditions") or ())]
    if steps:
        yield section("First", listed(steps, steps=True))


def audit_view(answer: Mapping[str, Any]) -> View:
    """The weak spots of a policy, each with an action that shows it, of the fields of `audit_policy`."""
    if "findings" not in answer:
        return error_view(answer)
    findings = answer["findings"]
    body = [
        *_heading("Audit of the policy", answer),
        element("p", status_badge("valid" if answer.get("ok") else "failed")),
        facts([("Questions", str(answer.get("asked", ""))), ("Findings", str(len(findings)))]),
    ]
    if not answer.get("complete", True):
        body.append(
            element("p", "Not complete: the time was up. Ask about one action at a time.", class_="notice")
        )
    body += [_finding(each) for each in findings]
    return View("Audit of the policy", joined(body))


def _finding(each: Mapping[str, Any]) -> Markup:
    kind = str(each.get("kind", ""))
    witness = each.get("witness") or {}
    decision = each.get("decision") or {}
    inside = [
        facts(
            [
                ("Means", _FINDINGS.get(kind, "")),
                ("Rule", str(each.get("rule", ""))),
                ("Line", str(each.get("line", ""))),
                ("Condition", code(each["condition"]) if each.get("condition") else ""),
                ("To forbid it", code(f"assert({each['proposition']})") if each.get("proposition") else ""),
            ]
        ),
        _witness(witness, decision),
    ]
    return section(f"{kind}: {each.get('message', '')}", *inside)


def _witness(witness: Mapping[str, Any], decision: Mapping[str, Any]) -> Markup:
    """An action that shows something, with what the policy says of it."""
    if not witness:
        return Markup("")
    rows = [[name, plain(value)] for name, value in witness.items()]
    decided = status_badge("allowed" if decision.get("allowed") else "denied") if decision else Markup("")
    said = element("p", decided, " ", str(decision.get("reason", "")), dir="auto")
    again = button("Decide this action", "check_action", dict(witness))
    return joined((table(["argument", "value"], rows, caption="Witness"), said, buttons(again)))


def policy_comparison_view(answer: Mapping[str, Any]) -> View:
    """Two policies, action by action, of the fields of `compare_policies`."""
    if "relation" not in answer:
        return error_view(answer)
    relation = str(answer["relation"])
    rows = [
        [str(each.get("action", "")), str(each.get("relation", "")), str(each.get("reason", ""))]
        for each in answer.get("actions") or ()
    ]
    body = [
        *_heading(f"The other policy is {relation}", answer),
        facts([("Because", str(answer.get("reason", ""))), ("Questions", str(answer.get("asked", "")))]),
        table(["action", "the other is", "because"], rows),
    ]
    for each in answer.get("actions") or ():
        for key, words in (
            ("stricter", "denied only by the other"),
            ("looser", "allowed only by the other"),
            ("preconditions", "other steps"),
        ):
            if each.get(key):
                body.append(section(f"{each.get('action', '')}: {words}", *_both(each[key])))
    return View(f"The other policy is {relation}", joined(body))


def _both(found: Mapping[str, Any]) -> Iterator[Markup]:
    yield _witness(found.get("witness") or {}, {})
    sides = [(found.get("old") or {}, "the one in force"), (found.get("new") or {}, "the other")]
    rows = [
        [
            name,
            status_badge("allowed" if each.get("allowed") else "denied"),
            str(each.get("reason", "")),
            ", then ".join(map(str, each.get("preconditions") or ())),
        ]
        for each, name in sides
        if each
    ]
    yield table(["policy", "says", "because", "first"], rows)
