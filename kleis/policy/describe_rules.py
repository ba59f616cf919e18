"""Rules and declarations of a policy as clients read them, at levels of detail.

See docs/reference/policy.md §6.

Invariants
    * Everything is in the order of the text.
    * A proposition is suggested only after it was elaborated or evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from kleis.budget import STANDARD_BUDGET
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.evaluator.evaluate import evaluate_with
from kleis.policy.answer_shapes import RuleAnswer, RulesAnswer, SchemaFields
from kleis.policy.policy import Policy
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_declaration, print_expression, print_type

__all__ = ["Depth", "describe", "explain_rule", "list_rules"]

Depth = Literal["names", "signatures", "full"]

_PREFIXES = (("check", "check_"), ("precondition", "before_"))


def kind_of(definition: tree.FunctionDefinition) -> str:
    """``check``, ``precondition`` or ``helper``."""
    for kind, prefix in _PREFIXES:
        if definition.name.startswith(prefix):
            return kind
    return "helper"


# ── Rules ────────────────────────────────────────────────────────────────────────────────────────────────────


def list_rules(policy: Policy) -> RulesAnswer:
    """The rules by kind, axioms and helpers."""
    functions: dict[str, list[dict[str, Any]]] = {"check": [], "precondition": [], "helper": []}
    for each in policy.own:
        functions[kind_of(each)].append({"name": each.name, "params": [p.name for p in each.parameters]})
    axioms = [
        {"name": member.name, "structure": structure.name}
        for structure in _structures(policy)
        for member in structure.members
        if isinstance(member, tree.Axiom)
    ]
    return {
        "policy_file": policy.loading.main.name,
        "default": policy.default,
        "check_functions": functions["check"],
        "precondition_functions": functions["precondition"],
        "axioms": axioms,
        "helper_functions": functions["helper"],
        "total": len(policy.rules) + len(axioms),
    }


def explain_rule(policy: Policy, name: str) -> RuleAnswer:
    """A rule, helper or axiom with its text; ``found`` is false where there is none."""
    for each in policy.own:
        if each.name == name:
            return {
                "found": True,
                "name": name,
                "kind": kind_of(each),
                "params": [parameter.name for parameter in each.parameters],
                "kleis": print_declaration(each),
                "file": policy.theory.file_of(name),
                "line": each.span.line,
            }
    for structure in _structures(policy):
        for member in structure.members:
            if isinstance(member, tree.Axiom) and member.name == name:
                return {
                    "found": True,
                    "name": name,
                    "kind": "axiom",
                    "structure": structure.name,
                    "kleis": f"axiom {name} : {print_expression(member.proposition)}",
                    "line": member.span.line,
                }
    known = [each.name for each in policy.own]
    near = nearest(name, known)
    return {"found": False, "name": name, "did_you_mean": list(near), "rules": [r.name for r in policy.rules]}


def _structures(policy: Policy) -> list[tree.Structure]:
    main = policy.loading.main.name
    return [
        each.declaration
        for each in policy.theory.entries
        if each.file == main and isinstance(each.declaration, tree.Structure)
    ]


# ── The schema ───────────────────────────────────────────────────────────────────────────────────────────────


def describe(policy: Policy, *, depth: Depth = "full", name: str = "") -> SchemaFields:
    """The declarations of a policy's file.  `name` selects those of one name; `depth` is the level of detail."""
    wanted = {name} if name else None
    functions = [each for each in policy.own if wanted is None or each.name in wanted]
    by_kind: dict[str, list[Any]] = {"check": [], "precondition": [], "helper": []}
    for each in functions:
        by_kind[kind_of(each)].append(_function(each, depth))
    structures = [each for each in _structures(policy) if wanted is None or each.name in wanted]
    data = [each for each in _data(policy) if wanted is None or each.name in wanted]
    axioms = sum(isinstance(member, tree.Axiom) for each in structures for member in each.members)
    stats = {
        "structures": len(structures),
        "data_types": len(data),
        "functions": len(functions),
        "axioms": axioms,
    }
    schema: SchemaFields = {
        "policy_file": policy.loading.main.name,
        "structures": [_structure(each, depth) for each in structures],
        "data_types": [_data_type(each, depth) for each in data],
        "check_functions": by_kind["check"],
        "precondition_functions": by_kind["precondition"],
        "helper_functions": by_kind["helper"],
        "stats": stats,
    }
    if depth == "full":
        schema["verifiable_propositions"] = list(_propositions(policy, functions, structures))
    return schema


def _data(policy: Policy) -> list[tree.DataDefinition]:
    main = policy.loading.main.name
    return [
        each.declaration
        for each in policy.theory.entries
        if each.file == main and isinstance(each.declaration, tree.DataDefinition)
    ]


def _function(each: tree.FunctionDefinition, depth: Depth) -> Any:
    if depth == "names":
        return each.name
    entry: dict[str, Any] = {"name": each.name, "params": [parameter.name for parameter in each.parameters]}
    if depth == "full":
        entry |= {"body": print_expression(each.body), "kleis": print_declaration(each)}
    return entry


def _structure(each: tree.Structure, depth: Depth) -> Any:
    if depth == "names":
        return each.name
    entry: dict[str, Any] = {
        "name": each.name,
        "type_params": [
            f"{parameter.name} : {kind}" if (kind := getattr(parameter, "kind", None)) else parameter.name
            for parameter in each.parameters
        ],
        "operations": [
            {"name": member.name, "type": print_type(member.type)}
            for member in each.members
            if isinstance(member, tree.OperationDeclaration | tree.ElementDeclaration)
        ],
        "axioms": [member.name for member in each.members if isinstance(member, tree.Axiom)],
    }
    if depth == "full":
        entry["axioms"] = [
            {"name": member.name, "kleis": print_expression(member.proposition)}
            for member in each.members
            if isinstance(member, tree.Axiom)
        ]
        entry["fields"] = [
            {"name": member.name, "type": print_type(member.type)}
            for member in each.members
            if isinstance(member, tree.Field)
        ]
        entry["extends"] = print_type(each.extends) if each.extends is not None else None
    return entry


def _data_type(each: tree.DataDefinition, depth: Depth) -> Any:
    if depth == "names":
        return each.name
    variants: list[dict[str, Any]] = []
    for variant in each.variants:
        entry: dict[str, Any] = {"name": variant.name}
        if variant.fields:
            entry["fields"] = [
                {"name": field.name, "type": print_type(field.type)} for field in variant.fields
            ]
        variants.append(entry)
    return {"name": each.name, "type_params": [each.name for each in each.parameters], "variants": variants}


# ── Propositions worth trying ────────────────────────────────────────────────────────────────────────────────


def _propositions(
    policy: Policy, functions: Sequence[tree.FunctionDefinition], structures: Sequence[tree.Structure]
) -> Iterator[dict[str, Any]]:
    elaborator = Elaborator(policy.theory)
    for each in functions:
        if kind_of(each) == "check" and each.parameters:
            yield from _about_a_check(policy, elaborator, each)
    for structure in structures:
        for member in structure.members:
            if isinstance(member, tree.Axiom):
                claim = _of_structure(structure, member.proposition)
                if _can_be_elaborated(elaborator, claim):
                    text = f"the axiom {member.name} of {structure.name}"
                    yield _proposition(claim, text, "verify")
    if functions:
        for text, about in _REGULAR:
            yield _proposition(parse_expression(text), about, "verify" if "∀" in text else "evaluate")


def _about_a_check(
    policy: Policy, elaborator: Elaborator, rule: tree.FunctionDefinition
) -> Iterator[dict[str, Any]]:
    call = tree.Call(rule.name, tuple(tree.Name(each.name) for each in rule.parameters))
    binders = tuple(tree.Binder(each.name, _type_of(each)) for each in rule.parameters)
    for word in ("allow", "deny"):
        claim = tree.Quantifier("forall", binders, None, tree.Call("equals", (call, tree.Text(word))))
        if _can_be_elaborated(elaborator, claim):
            yield _proposition(claim, f"whether {rule.name} is always {word!r}", "verify")
    sample = tree.Call(rule.name, tuple(_sample(each) for each in rule.parameters))
    try:
        evaluate_with(policy.machine(STANDARD_BUDGET), sample, policy.environment, "<schema>")
    except KleisError:
        return
    yield _proposition(sample, f"what {rule.name} says of one action", "evaluate")


def _type_of(parameter: tree.Parameter) -> Any:
    if parameter.type is not None:
        return parameter.type
    return tree.NamedType("ℤ" if parameter.name == "force" else "String")


def _sample(parameter: tree.Parameter) -> tree.Expression:
    return tree.Number("1") if parameter.name == "force" else tree.Text(f"test_{parameter.name}")


def _of_structure(structure: tree.Structure, claim: tree.Expression) -> tree.Expression:
    arguments = tuple(tree.NamedType(each.name) for each in structure.parameters)
    about = tree.AppliedType(structure.name, arguments) if arguments else tree.NamedType(structure.name)
    return tree.Using(about, claim)


def _can_be_elaborated(elaborator: Elaborator, claim: tree.Expression) -> bool:
    try:
        elaborator.proposition(claim)
    except KleisError:
        return False
    return True


def _proposition(claim: tree.Expression, description: str, hint: str) -> dict[str, Any]:
    return {"kleis": print_expression(claim), "description": description, "hint": hint}


_REGULAR = (
    (
        'matches("feature/login", re_concat(re_literal("feature/"), re_plus(re_range("a", "z"))))',
        "a text against a pattern",
    ),
    ('∀(s : String). hasPrefix(s, "src/") → contains(s, "src")', "a prefix is contained"),
    ('∀(s : String). matches(s, re_plus(re_range("0", "9"))) → strlen(s) ≥ 1', "a repetition is not empty"),
    (
        '∀(s : String). ¬(matches(s, re_literal("a")) ∧ matches(s, re_literal("b")))',
        "two literals exclude each other",
    ),
)
