"""The commands `kleis verify`, `consistent`, `certificate`, `model`, `machine`, `explore`: what is asked of the prover."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from registry.cli.kleis.shared.options import CLUSTER, EFFORT, EXPLAIN, FRESH, JSON, PATH, STRICT, TIMEOUT
from registry.cli.terminal.commands import SECONDS, Commands, NumbersCommand
from registry.cli.terminal.process import words

__all__ = ["COMMANDS"]


@click.command(cls=NumbersCommand)
@click.argument("proposition", metavar="PROPOSITION", default="")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Import a file first (repeatable).")
@click.option("--using", default="", metavar="S", help="The structure it is about.")
@click.option(
    "--batch",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Decide the propositions of a file of JSON lines instead.",
)
@CLUSTER
@click.option(
    "--trust-unknown",
    is_flag=True,
    help="Take a worker's `unknown` for one, instead of searching here again.",
)
@click.option(
    "--lemma",
    "lemmas",
    multiple=True,
    metavar="P",
    help="Prove this first, then use it (repeatable, in order).",
)
@click.option(
    "--expect",
    type=click.Choice(["verified", "disproved", "inconsistent", "unknown", "error"]),
    help="Exit with 0 exactly if the verdict is this one.",
)
@click.option(
    "--certificate",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a certificate, for `kleis certificate check`.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT",
    help="Write the verdict as a page that carries everything with it.",
)  # fmt: skip
@TIMEOUT
@EFFORT
@EXPLAIN
@STRICT
@FRESH
@PATH
@JSON
def verify(
    proposition: str,
    imports: tuple[str, ...],
    using: str,
    batch: Path | None,
    cluster: str,
    trust_unknown: bool,
    lemmas: tuple[str, ...],
    expect: str | None,
    certificate: Path | None,
    html: Path | None,
    timeout: float | None,
    effort: int,
    explain: bool,
    strict: bool,
    fresh: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide whether a proposition holds wherever the axioms do.

    PROPOSITION may be - (standard input). Exit status: 0 verified, 1 disproved or the axioms clash, 2 ill-formed,
    3 unknown.
    """
    from registry.cli.kleis.questions.verify import verify as answer
    from registry.cli.kleis.shared.patience import Patience
    from registry.cli.kleis.shared.question import Question

    if (batch is None) == (not proposition):
        raise click.UsageError("give a PROPOSITION, or --batch FILE" + (", not both" if batch else ""))
    if batch is not None and (lemmas or expect or certificate or html or explain or timeout is not None):
        raise click.UsageError(
            "--lemma, --expect, --certificate, --html, --explain and --timeout are for one proposition; "
            "a line of a batch may say lemmas and expect"
        )
    if batch is None and (cluster or trust_unknown):
        raise click.UsageError("--cluster and --trust-unknown are for --batch FILE")
    (text, *others) = words([proposition.lstrip(), *lemmas])
    question = Question(
        proposition=text,
        imports=imports,
        using=using,
        lemmas=tuple(others),
        path=path,
        fresh=fresh,
        strict=strict,
        certificate=certificate,
        html=html,
        patience=Patience(timeout, effort),
    )
    if batch is not None:
        from registry.cli.kleis.questions.verify_batch import verify_batch

        return verify_batch(batch, question, cluster=cluster, trust_unknown=trust_unknown, as_json=as_json)
    return answer(question, explain=explain, as_json=as_json, expected=expect or "")


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a certificate for each part, with obligations beside it.",
)
@TIMEOUT
@EFFORT
@EXPLAIN
@STRICT
@FRESH
@PATH
@JSON
def consistent(
    file: str,
    certificates: Path | None,
    timeout: float | None,
    effort: int,
    explain: bool,
    strict: bool,
    fresh: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide whether what a file declares has a model.

    Every structure with parameters is asked about, and every group of structures without. Exit status: 0 all have
    models, 1 some axioms clash, 2 ill-formed, 3 unknown.
    """
    from registry.cli.kleis.questions.verify import consistent_file
    from registry.cli.kleis.shared.named_files import expand
    from registry.cli.kleis.shared.patience import Patience

    names = expand([file])
    if len(names) != 1:
        raise click.UsageError(f"{file} is a directory: ask about one file")
    return consistent_file(
        names[0],
        path,
        fresh=fresh,
        explain=explain,
        as_json=as_json,
        certificates=certificates,
        strict=strict,
        patience=Patience(timeout, effort),
    )


@click.group(cls=Commands)
def certificate() -> None:
    """Certificates: verdicts that can be checked again."""


@certificate.command("check")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--with", "solvers", type=click.Choice(["z3", "cvc5", "both"]), default="z3", show_default=True,
    help="The solver that has to refute every leaf; both: each of the two.",
)  # fmt: skip
@click.option("--theory", default="", metavar="FILE", help="Compare with this theory.")
@click.option(
    "--claim", default="", metavar="P", help="Compare with this claim; it may begin with `using S`."
)
@click.option(
    "--require-model", is_flag=True, help="Require that the axioms used have a model, checked here."
)
@PATH
@JSON
def check_certificate(
    file: Path,
    solvers: Literal["z3", "cvc5", "both"],
    theory: str,
    claim: str,
    require_model: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Check a certificate without trusting whoever wrote it, and say what its verdict rests on.

    Theory and claim are read again, and every step is decided again. Compare what was read with what you hold: by eye,
    or by --theory and --claim. Exit status: 0 everything holds, 1 it does not.
    """
    from registry.cli.kleis.questions.certificate_check import Reader, check_file

    reader = Reader(theory, claim, path, require_model)
    return check_file(file, reader, solvers=solvers, as_json=as_json)


@certificate.command("export")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--format", "language", type=click.Choice(["tstp"]), default="tstp", show_default=True,
    help="TSTP: each inference with its rule and its parents.",
)  # fmt: skip
def export_certificate(file: Path, language: Literal["tstp"]) -> int:
    """Write the proofs of a certificate for other provers.

    The proofs by clauses and by rewriting are written, after the certificate is checked. Exit status: 0 written, 2 there is
    nothing to write.
    """
    from registry.cli.kleis.questions.certificate_export import export_file

    return export_file(file, language)


@click.command(cls=NumbersCommand)
@click.argument("about", metavar="WHAT")
@click.option("--import", "imports", multiple=True, metavar="FILE", help="Import a file first (repeatable).")
@click.option("--where", multiple=True, metavar="P", help="Only models in which this holds (repeatable).")
@click.option("--size", type=click.IntRange(1, 12), metavar="N", help="Carriers of N elements.")
@click.option(
    "--next",
    "skip",
    type=click.IntRange(0, 9_999),
    default=0,
    metavar="N",
    help="Leave out N models, show the next.",
)
@click.option("--all", "every", is_flag=True, help="All models; of structures, up to isomorphism.")
@click.option(
    "--enumerate", "names", metavar="X,Y", default="", help="All models that differ in these names."
)
@click.option(
    "--limit", type=click.IntRange(1, 10_000), default=1_000, show_default=True, help="Models at most."
)
@click.option("--minimise", default="", metavar="E", help="The model with the least E.")
@click.option("--maximise", default="", metavar="E", help="The model with the greatest E.")
@TIMEOUT
@EFFORT
@STRICT
@FRESH
@PATH
@JSON
def model(
    about: str,
    imports: tuple[str, ...],
    where: tuple[str, ...],
    size: int | None,
    skip: int,
    every: bool,
    names: str,
    limit: int,
    minimise: str,
    maximise: str,
    timeout: float | None,
    effort: int,
    strict: bool,
    fresh: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Find models of a structure or of constraints.

    WHAT is a structure of the imports, a FILE.kleis that declares one, or constraints: "∃(x y : ℤ). x * y = 12 ∧ x < y"
    (- for standard input). Every model that is shown was evaluated exactly; "all" is said where it is proved that there
    are no others. Exit status: 0 found, 1 there is none, 2 ill-formed, 3 unknown.
    """
    from kleis.sessions.find_models import wanted_models
    from registry.cli.kleis.questions.model import Asked
    from registry.cli.kleis.questions.model import model as answer
    from registry.cli.kleis.shared.patience import Patience

    (text, *conditions) = words([about.lstrip(), *where])
    try:
        wanted = wanted_models(
            text,
            where=conditions,
            size=size,
            skip=skip,
            every=every,
            limit=limit,
            enumerated=[each.strip() for each in names.split(",") if each.strip()],
            minimise=minimise,
            maximise=maximise,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    asked = Asked(
        wanted=wanted,
        imports=imports,
        path=path,
        fresh=fresh,
        strict=strict,
        patience=Patience(timeout, effort),
    )
    return answer(asked, as_json=as_json)


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--invariant",
    "invariants",
    multiple=True,
    metavar="P",
    help="Holds in every reachable state (repeatable).",
)
@click.option("--reach", multiple=True, metavar="P", help="Holds in some reachable state (repeatable).")
@click.option(
    "--variant", "variants", multiple=True, metavar="E", help="Every step makes it smaller; never negative."
)
@click.option("--deadlock", is_flag=True, help="Every reachable state has a next one.")
@click.option(
    "--depth",
    type=click.IntRange(0, 100),
    default=12,
    show_default=True,
    help="Search runs of so many steps.",
)
@click.option(
    "--induction", type=click.IntRange(1, 20), default=4, show_default=True, metavar="K",
    help="Prove by induction over up to K states.",
)  # fmt: skip
@click.option("--init", default="init", metavar="NAME", help="What says how a run begins (default: init).")
@click.option("--next", "following", default="next", metavar="NAME", help="What a step is (default: next).")
@click.option(
    "--state", default="", metavar="TYPE", help="Its state, where a file implements several machines."
)
@TIMEOUT
@EFFORT
@STRICT
@FRESH
@PATH
@JSON
def machine(
    file: str,
    invariants: tuple[str, ...],
    reach: tuple[str, ...],
    variants: tuple[str, ...],
    deadlock: bool,
    depth: int,
    induction: int,
    init: str,
    following: str,
    state: str,
    timeout: float | None,
    effort: int,
    strict: bool,
    fresh: bool,
    path: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Check a state machine: invariants, variants, deadlock, states to reach.

    FILE defines init, which says of a state that a run begins there, and next, a relation of two states or a function. Its
    definitions invariant, invariant_…, variant, variant_… are checked too. What fails is shown as a trace, evaluated exactly.
    Exit status: 0 all is as asked, 1 something is not, 2 ill-formed, 3 unknown.
    """
    from kleis.machines.properties import Asked
    from registry.cli.kleis.questions.machine import Question
    from registry.cli.kleis.questions.machine import machine as answer
    from registry.cli.kleis.shared.patience import Patience

    asked = Asked(
        init=init,
        next=following,
        state=state,
        invariants=invariants,
        variants=variants,
        reach=reach,
        deadlock=deadlock,
        depth=depth,
        induction=induction,
    )
    question = Question(
        file=file, asked=asked, path=path, fresh=fresh, strict=strict, patience=Patience(timeout, effort)
    )
    return answer(question, as_json=as_json)


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("structure", metavar="STRUCTURE")
@click.option(
    "--size", type=click.IntRange(1, 20), default=5, show_default=True, help="Symbols on each side of a law."
)
@click.option(
    "--variables", type=click.IntRange(0, 6), default=3, show_default=True, help="Variables of a law."
)
@click.option("--carrier", metavar="NAME", help="The parameter that laws are about (default: the first).")
@click.option("--generator", metavar="TOOL", help="A PIF tool of your own that gives the candidates.")
@click.option(
    "--timeout",
    "--seconds",
    "seconds",
    type=SECONDS,
    metavar="SECONDS",
    help="Show what is found after so long.",
)
@EFFORT
@click.option(
    "--limit", type=click.IntRange(0, 100_000), default=20, show_default=True, help="Rows of each list."
)
@click.option(
    "--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Leave out the first rows."
)
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Where the PIF tools are.")
@STRICT
@FRESH
@PATH
@CLUSTER
@JSON
def explore(**options: Any) -> int:
    """Find the laws of a structure: conjecture, test, prove.

    All equations between small terms are tested on finite models, then proved or refuted. Exit status: 0 all are
    decided, 3 some are not.
    """
    from registry.cli.kleis.questions.explore import Exploring
    from registry.cli.kleis.questions.explore import explore as answer
    from registry.cli.kleis.shared.workers import check_address

    if options["cluster"]:
        check_address(options["cluster"])
    return answer(Exploring(**options))


COMMANDS: tuple[click.Command, ...] = (
    verify,
    consistent,
    certificate,
    model,
    machine,
    explore,
)
