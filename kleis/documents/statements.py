"""Declarations as Typst: a structure with its operations and axioms, a data type, a definition, a lemma."""

from __future__ import annotations

from collections.abc import Sequence

from kleis.syntax import tree
from kleis.syntax.printer.program import print_declaration
from kleis.typesetting.escape import literal, quoted
from kleis.typesetting.mathematics import expression_text, name_text, type_text

__all__ = ["raw_block", "statement_text"]

_LONGEST_FORMULA = 1_500


def statement_text(declaration: object) -> str:
    """A declaration as paragraphs of Typst; empty for what is no statement (imports, annotations, examples)."""
    match declaration:
        case tree.Structure(name=name, parameters=parameters, extends=extends, members=members):
            over = (
                f" over {_formula(', '.join(name_text(each.name) for each in parameters))}"
                if parameters
                else ""
            )
            more = f", extending {_formula(type_text(extends))}" if extends is not None else ""
            return "\n".join([f"*Structure {literal(name)}*{over}{more}.", *_members(members)])
        case tree.DataDefinition(name=name, variants=variants):
            shown = " | ".join(_variant(each) for each in variants)
            return f"*Data type {literal(name)}.* {_formula(f'{name_text(name)} ::= {shown}')}"
        case tree.FunctionDefinition():
            return f"*Definition* (#raw({quoted(declaration.name)})). {_definition(declaration)}"
        case tree.OperationDeclaration(name=name, type=declared):
            return f"*Operation.* {_formula(f'{name_text(name)} : {type_text(declared)}')}"
        case tree.AliasDefinition(name=name, type=meant):
            return f"*Type.* {_formula(f'{name_text(name)} = {type_text(meant)}')}"
        case tree.Lemma(word=word, name=name, proposition=proposition):
            return f"*{word.capitalize()}* ({literal(name)}). {_display(expression_text(proposition))}"
        case tree.Implements():
            return raw_block(print_declaration(declaration))
    return ""


def _members(members: Sequence[object]) -> list[str]:
    lines: list[str] = []
    for member in members:
        match member:
            case (
                tree.OperationDeclaration(name=name, type=declared)
                | tree.ElementDeclaration(name=name, type=declared)
            ):
                lines.append(f"- {_formula(f'{name_text(name)} : {type_text(declared)}')}")
            case tree.Field(name=name, type=declared):
                lines.append(f"- {_formula(f'{name_text(name)} : {type_text(declared)}')}")
            case tree.Axiom(name=name, proposition=proposition):
                lines.append(f"- _{literal(name)}:_ {_formula(expression_text(proposition))}")
            case tree.FunctionDefinition():
                lines.append(f"- {_definition(member)}")
            case tree.NestedStructure(name=name, type=declared, members=inner):
                lines.append(f"- {_formula(f'{name_text(name)} : {type_text(declared)}')}")
                lines += [f"  {line}" for line in _members(inner)]
    return lines


def _definition(definition: tree.FunctionDefinition) -> str:
    names = ", ".join(name_text(each.name) for each in definition.parameters)
    head = f"{name_text(definition.name)}({names})" if names else name_text(definition.name)
    written = f"{head} = {expression_text(definition.body)}"
    if len(written) > _LONGEST_FORMULA:
        return raw_block(print_declaration(definition))
    return _formula(written)


def _variant(variant: tree.Variant) -> str:
    fields = ", ".join(type_text(each.type) for each in variant.fields)
    return f"{name_text(variant.name)}({fields})" if fields else name_text(variant.name)


def _formula(text: str) -> str:
    return f"${text}$" if len(text) <= _LONGEST_FORMULA else f"#raw({quoted(text)})"


def _display(text: str) -> str:
    return f"$ {text} $" if len(text) <= _LONGEST_FORMULA else _formula(text)


def raw_block(text: str) -> str:
    """Text in a typewriter's letters, as it is written."""
    lines = ' + "\\n" + '.join(quoted(line) for line in text.rstrip("\n").split("\n"))
    return f"#raw(block: true, {lines})"
