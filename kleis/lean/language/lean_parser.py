"""Parser of emitted files: recursive descent for exactly the commands that are emitted.

``parse_file(print_file(tree)) == tree``.  Anything outside the subset is a `LeanError` with its place; other Lean files
are read as tokens, by `kleis.lean.acceptance.commands`.

Invariant: indentation counts as in Lean: a term ends before a token that stands first on its line, not to the right
of the column where its declaration, field or tactic begins.
"""

from __future__ import annotations

from typing import Literal

from kleis.budget import deep
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError, Token, tokenize
from kleis.lean.language.lean_printer import FILTERED, REMAINDER
from kleis.lean.language.parse_terms import TermParser, unquote

__all__ = ["LeanError", "Placed", "parse_file", "parse_placed"]

Placed = tuple[lean.Command, Token]
"""A command with its first token."""


def parse_file(text: str) -> tuple[lean.Command, ...]:
    """The commands of an emitted file; `LeanError` where it is none."""
    return tuple(command for command, _ in parse_placed(text))


def parse_placed(text: str) -> tuple[Placed, ...]:
    """The commands, each with the token where it begins."""
    with deep():
        return tuple(_FileParser(tokenize(text)).commands())


class _FileParser(TermParser):
    """Commands."""

    def commands(self) -> list[Placed]:
        found: list[Placed] = []
        while self.here.kind != "end":
            start = self.here
            if not (start.first and start.column == 1):
                raise self.error_here("a command begins a line", "a command")
            found.append((self._command(), start))
        return found

    def _command(self) -> lean.Command:
        self.limit = 1
        doc, classical = "", False
        if self.at("open"):
            self.expect("open", "Classical", "in")
            classical = True
        if self.here.kind == "doc":
            text = self.take().text
            if text.startswith("/-!"):
                return lean.Doc(_inside(text))
            doc = _inside(text)
        if classical and self.here.kind == "doc":
            doc = _inside(self.take().text)
        if self.at("class", "structure"):
            return self._class(doc, classical)
        if classical or self.at("noncomputable", "def", "abbrev", "theorem"):
            return self._definition(doc, classical)
        if self.at("inductive"):
            return self._inductive(doc)
        if doc:
            raise self.error_here("documentation stands before a declaration", "a declaration")
        return self._plain_command()

    def _plain_command(self) -> lean.Command:
        match self.take().text:
            case "import":
                return lean.Import(self.name())
            case "set_option":
                return lean.Option(self.name(), self.name())
            case "local":
                return self._notation()
            case "namespace":
                return lean.Namespace(self.name())
            case "end":
                return lean.End(self.name())
            case "universe":
                return lean.Universes(self._names_here())
            case "mutual":
                return self._mutual()
            case _:
                self.back()
                raise self.error_here(
                    "no command of the emitted subset", "import, class, inductive, def, theorem, …"
                )

    def _notation(self) -> lean.Notation:
        self.expect("notation")
        if self.here.kind != "string":
            raise self.error_here("a symbol is missing", "a string")
        symbol = unquote(self.take().text)
        self.expect("=>")
        return lean.Notation(symbol, self.name())

    def _names_here(self) -> tuple[str, ...]:
        """One or more names, as far as the line and its continuations go."""
        names = [self.name()]
        while self.here.kind == "name" and not self.ends():
            names.append(self.name())
        return tuple(names)

    def _mutual(self) -> lean.Mutual:
        members: list[lean.Inductive | lean.Def] = []
        while not self.at("end"):
            member = self._command()
            if not isinstance(member, lean.Inductive | lean.Def):
                raise self.error_here("only data types and definitions are mutual", "inductive or def")
            members.append(member)
        self.expect("end")
        return lean.Mutual(tuple(members))

    # ── declarations ─────────────────────────────────────────────────────────────────────────────────────

    def _class(self, doc: str, classical: bool) -> lean.Class:
        keyword: Literal["class", "structure"] = "class" if self.take().text == "class" else "structure"
        name, parameters = self.name(), self.binders()
        parents: list[lean.Term] = []
        if self.at("extends"):
            self.take()
            parents.append(self.term())
            while self.at(","):
                self.take()
                parents.append(self.term())
        self.expect("where")
        fields = []
        while self._indented(3):
            self.limit = 3
            field = self.name()
            self.expect(":")
            fields.append(lean.Field(field, self.term()))
        return lean.Class(name, parameters, tuple(parents), tuple(fields), keyword, classical, doc)

    def _inductive(self, doc: str) -> lean.Inductive:
        self.expect("inductive")
        name, parameters = self.name(), self.binders()
        self.expect("where")
        constructors = []
        while self._indented(3) and self.at("|"):
            self.limit = 3
            self.take()
            constructor, fields = self.name(), self.binders()
            self.expect(":")
            constructors.append(lean.Constructor(constructor, fields, self.term()))
        deriving: tuple[str, ...] = ()
        if self._indented(3) and self.at("deriving"):
            self.take()
            names = [self.name()]
            while self.at(","):
                self.take()
                names.append(self.name())
            deriving = tuple(names)
        return lean.Inductive(name, parameters, tuple(constructors), deriving, doc)

    def _definition(self, doc: str, classical: bool) -> lean.Command:
        if self.at("theorem"):
            return self._theorem(doc, classical)
        noncomputable = self.at("noncomputable")
        if noncomputable:
            self.take()
        abbreviation = self.at("abbrev")
        self.expect("abbrev" if abbreviation else "def")
        name, binders = self.name(), self.binders()
        self.expect(":")
        type_ = self.term()
        if self.at("where"):
            if binders or noncomputable or classical or abbreviation:
                raise self.error_here("a model takes no arguments", ":=")
            return self._model(name, type_, doc)
        self.expect(":=")
        body = self._body()
        measures: tuple[lean.Term, ...] = ()
        decreasing: tuple[lean.Tactic, ...] = ()
        if self.at("termination_by"):
            self.take()
            measure = self.term()
            measures = measure.items if isinstance(measure, lean.Tuple) else (measure,)
        if self.at("decreasing_by"):
            self.take()
            decreasing = self._tactics(3)
        return lean.Def(
            name, binders, type_, body, noncomputable, abbreviation, classical, measures, decreasing, doc
        )

    def _body(self) -> lean.Term:
        if not self._indented(3):
            raise self.error_here(
                "the body of a definition stands on a line of its own, indented by two", "a term"
            )
        body = self.term()
        if isinstance(body, lean.Match) and not body.arms:
            raise self.error_here("a match without cases", "|")
        return body

    def _model(self, name: str, type_: lean.Term, doc: str) -> lean.Model:
        self.expect("where")
        fields = []
        while self._indented(3):
            self.limit = 3
            field = self.name()
            self.expect(":=")
            if self.at("by"):
                self.take()
                fields.append(lean.ModelField(field, None, self._tactics(5)))
            else:
                fields.append(lean.ModelField(field, self.term()))
        return lean.Model(name, type_, tuple(fields), doc)

    def _theorem(self, doc: str, classical: bool) -> lean.Theorem:
        self.expect("theorem")
        name, binders = self.name(), self.binders()
        self.expect(":")
        statement = self.term()
        self.expect(":=", "by")
        return lean.Theorem(name, binders, statement, self._tactics(3), classical, doc)

    def _indented(self, column: int) -> bool:
        return self.here.kind != "end" and self.here.first and self.here.column == column

    # ── tactics ──────────────────────────────────────────────────────────────────────────────────────────

    def _tactics(self, column: int) -> tuple[lean.Tactic, ...]:
        found: list[lean.Tactic] = []
        while self._indented(column):
            self.limit = column
            found.append(self._tactic())
        if not found:
            raise self.error_here("a proof has a tactic", "sorry, decide, intro, exact, …")
        self.limit = 1
        return tuple(found)

    def _tactic(self) -> lean.Tactic:
        if self.at("intro"):
            self.take()
            return lean.Intro(self._names_here())
        if self.at("exact"):
            self.take()
            return lean.Exact(self.term())
        if self.follow(("simp", "only")):
            return self._simplify()
        if self.follow(("simp", "[")):
            return self._evaluate()
        if self.at("have"):
            return self._have()
        if self.at("refine"):
            self.expect("refine", "Classical.byContradiction", "(", "fun")
            name = self.name()
            self.expect("=>", "?", "_", ")")
            return lean.Suppose(name)
        if self.at("calc"):
            return self._calc()
        if self.at("induction"):
            return self._induction()
        if self.at("all_goals") and (found := self._decrease()) is not None:
            return found
        names = []
        while self.at("cases"):
            self.take()
            names.append(self.name())
            self.expect("<;>")
        close = self.close()
        return lean.Cases(tuple(names), close) if names else close

    def _simplify(self) -> lean.Simplify:
        self.expect("simp", "only", "[")
        lemmas: list[lean.Term] = []
        while not self.at("]"):
            if lemmas:
                self.expect(",")
            lemmas.append(self.term())
        self.take()
        if not self.at("<;>") or self.ends():
            return lean.Simplify(tuple(lemmas))
        self.take()
        return lean.Simplify(tuple(lemmas), self.close())

    def _evaluate(self) -> lean.Evaluate:
        self.expect("simp", "[", "↓", "forall_prop_of_false")
        lemmas: list[lean.Name] = []
        while not self.at("]"):
            self.expect(",")
            lemmas.append(lean.Name(self.name()))
        self.take()
        return lean.Evaluate(tuple(lemmas))

    def _have(self) -> lean.Have:
        column = self.take().column
        name = self.name()
        if self.at(":="):
            self.take()
            return lean.Have(name, None, (lean.Exact(self.term()),))
        self.expect(":")
        statement = self.term()
        self.expect(":=", "by")
        return lean.Have(name, statement, self._tactics(column + 2))

    def _calc(self) -> lean.Calc:
        column = self.take().column
        self.limit = column + 4
        start = self.term()
        steps: list[tuple[lean.Term, lean.Term]] = []
        while self._indented(column + 4):
            self.limit = column + 4
            self.expect("_", "=")
            right = self.term()
            self.expect(":=")
            steps.append((right, self.term()))
        return lean.Calc(start, tuple(steps))

    def _induction(self) -> lean.Induction:
        column = self.take().column
        on = self.name()
        others: list[str] = []
        if self.at("generalizing"):
            self.take()
            while not self.at("with"):
                others.append(self.name())
        self.expect("with")
        cases: list[lean.InductionCase] = []
        while self._indented(column) and self.at("|"):
            self.limit = column
            self.take()
            constructor = self.name()
            names: list[str] = []
            while not self.at("=>"):
                names.append(self.name())
            self.take()
            cases.append(lean.InductionCase(constructor, tuple(names), self._tactics(column + 2)))
        return lean.Induction(on, tuple(cases), tuple(others))

    def _decrease(self) -> lean.Decrease | None:
        """That a measure decreases; None where another tactic follows ``all_goals``."""
        self.take()
        for kind, words in _DECREASES:
            if self.follow(words):
                self.expect(*words)
                return lean.Decrease(kind)
        if not self.follow(_LENGTHS):
            self.back()
            return None
        self.expect(*_LENGTHS)
        lemmas: list[lean.Name] = []
        while not self.at("]"):
            if lemmas:
                self.expect(",")
            lemmas.append(lean.Name(self.name()))
        self.expect("]", "at", "*", ";", "omega", ")")
        return lean.Decrease("lengths", tuple(lemmas))


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.text for each in tokenize(text) if each.kind != "end")


_LENGTHS = ("first", "|", "omega", "|", "(", "simp", "only", "[")

_DECREASES: tuple[tuple[Literal["remainder", "filtered"], tuple[str, ...]], ...] = (
    ("remainder", _words(REMAINDER)),
    ("filtered", _words(FILTERED)),
)


def _inside(text: str) -> str:
    """What a piece of documentation says."""
    return text[3:-2].strip()
