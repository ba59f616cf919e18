"""Proves the laws of the library and writes them with their certificates: `make certificates`.

    python -m kleis.prover.certificates.of_library [FOLDER]

`laws/lists.txt` in the library has a law a line, `name : claim`, about the module `lists`; `laws/lists.json` is written with
what `kleis.prover.library_laws` reads.  A law is proved alone, or from laws before it that are named behind `using`, whose
proofs then stand in its own: a certificate of a law needs no other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from kleis import durable_files
from kleis.core.goal import Goal
from kleis.errors import KleisError
from kleis.prover.certificates.build import Question, build_flat
from kleis.prover.certificates.laws_in_proofs import chained, with_names
from kleis.prover.certificates.left_by_engines import Engines
from kleis.prover.checker.format import Certificate, Lemma, Step
from kleis.prover.checker.strict_reading import to_json
from kleis.prover.checker.write_terms import term_data
from kleis.prover.facts import Fact, lemma_name, used_by
from kleis.prover.library_laws import FOLDER, KeptLaw, spoken_of
from kleis.prover.process.broker import Broker
from kleis.prover.protocol.engine import with_lemmas
from kleis.prover.prover import Prover
from kleis.syntax.parser.parser import parse_expression
from kleis.theory.import_search import packaged_library, search_from
from kleis.theory.loader import Loader

__all__ = ["laws_of", "main", "stated"]


def stated(text: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The laws of a file: the name and claim of each, and the names of laws before it that its proof uses."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("//"):
            name, _, rest = line.partition(" : ")
            claim, _, using = rest.partition(" using ")
            yield (
                name.strip(),
                claim.strip(),
                tuple(each.strip() for each in using.split(",") if each.strip()),
            )


def laws_of(module: str, text: str, broker: Broker) -> Iterator[KeptLaw]:
    """The laws of one module of the library, each proved; `KleisError` where one is not."""
    loader = Loader(search_from(os.environ))
    theory = loader.load_text(f'import "stdlib/{module}.kleis"', file="<laws>", directory=Path.cwd()).theory
    facts: list[Fact] = []
    made: list[Certificate] = []
    with Prover(theory, broker=broker) as prover:
        for name, claim, using in stated(text):
            goal = prover.elaborator.proposition(parse_expression(claim))
            given = [each for each in facts if each.name in using]
            decision = prover.decide_goal(goal, given)
            verdict = decision.verdict
            if verdict.status != "verified" or goal.claim is None:
                raise KleisError(f"{module}::{name} is {verdict.status}", code="law-unproved")
            task = with_lemmas(goal, [each.goal for each in given])
            steps = Engines(broker).proof(task, verdict, decision.answer)
            used = used_by(verdict, given)
            known = {ground.name: ground for each in used for ground in made[facts.index(each)].grounds}
            proofs = {
                lemma_name(given.index(each) + 1): (each.goal, made[facts.index(each)]) for each in used
            }
            whole, lemmas = _joined(goal, steps, proofs)
            made.append(build_flat(broker, theory, Question(claim), whole, known, lemmas))
            facts.append(Fact.of(goal, msgspec.structs.replace(verdict, core=()), (), name))
            symbols = tuple(sorted(spoken_of(goal.claim)))
            yield KeptLaw(f"{module}::{name}", claim, symbols, msgspec.Raw(to_json(made[-1])))


def _joined(
    goal: Goal, steps: Sequence[Step], proofs: dict[str, tuple[Goal, Certificate]]
) -> tuple[tuple[Step, ...], tuple[Lemma, ...]]:
    """The steps of a proof after those of the laws that it uses; these are lemmas where they speak of definitions that the
    claim does not reach."""
    reached = {each.key for each in goal.definitions}
    if any(
        proof.lemmas or {each.key for each in own.definitions} - reached for own, proof in proofs.values()
    ):
        lemmas = chained([proof for _, proof in proofs.values()])
        places = {each.claim: place for place, each in enumerate(lemmas, 1)}
        names = {name: lemma_name(places[proof.claim]) for name, (_, proof) in proofs.items()}
        return with_names(steps, names), lemmas
    return _flat(steps, {name: (own, proof.steps) for name, (own, proof) in proofs.items()}), ()


def _flat(steps: Sequence[Step], lemmas: dict[str, tuple[Goal, tuple[Step, ...]]]) -> tuple[Step, ...]:
    """The steps of a proof after those of the lemmas that it uses."""
    whole: list[Step] = []
    names: dict[str, str] = {}
    for name, (goal, own) in lemmas.items():
        assert goal.claim is not None
        whole += _moved(own, len(whole), {})
        whole[-1] = msgspec.structs.replace(whole[-1], shows=term_data(goal.claim))
        names[name] = f"step {len(whole)}"
    return (*whole, *_moved(steps, len(whole), names))


def _moved(steps: Sequence[Step], by: int, names: dict[str, str]) -> tuple[Step, ...]:
    """Steps that stand after others."""
    numbers = {f"step {place}": f"step {place + by}" for place in range(1, len(steps) + 1)}
    return with_names(steps, {**names, **numbers})


def main(folder: Path | None = None) -> int:
    """Write the laws of every module; the exit status."""
    root = folder or packaged_library()
    if root is None:
        print("the library is not there", file=sys.stderr)
        return 1
    with Broker() as broker:
        for path in sorted((root / FOLDER).glob("*.txt")):
            found: list[KeptLaw] = []
            for law in laws_of(path.stem, path.read_text(encoding="utf-8"), broker):
                print(f"proved  {law.name} : {law.claim}", flush=True)
                found.append(law)
            lines = ",\n".join(msgspec.json.encode(each).decode() for each in found)
            durable_files.write_whole(
                path.with_suffix(".json"), f"[\n{lines}\n]\n".encode(), mode=0o644, durable=False
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
