"""`make conformance`: everything, on the terminal and in docs/conformance.md. Status 1 if anything scored fails."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.conformance import clients, installation, report, server, suite
from tests.conformance.gateway import report as gateway


def main() -> int:
    """Run all, write the page, and say what is not as it should be."""
    try:
        installation.node_packages()
        installation.frameworks()
        gateway.install()
    except installation.NotInstalled as error:
        sys.stderr.write(f"make conformance: {error}\n")
        return 2
    with tempfile.TemporaryDirectory() as given:
        results = _run(Path(given))
        through = gateway.run(Path(given))
    report.write(results)
    gateway.write(through)
    wrong = [
        f"{generation}: {each.scenario} {each.word}: {'; '.join(each.complaints)}"
        for generation, outcomes in results.suite.items()
        for each in outcomes
        if each.word != "passed" and not each.unscored
    ]
    wrong += [
        f"{each.generation} over {each.transport}: {one}" for each in results.lints for one in each.findings
    ]
    wrong += [
        f"{each.client} over {each.transport}: {each.failure or dict(each.outcomes)}"
        for each in (*results.typescript, *results.frameworks)
        if not each.is_good
    ]
    for generation, outcomes in results.suite.items():
        wrong += [
            f"{generation}: {each} is not scored, and no reason is written"
            for each in report.unexplained(outcomes)
        ]
    wrong += gateway.wrong(through)
    print("\n".join(wrong) or "all that is scored passes", f"\n{report.PAGE} is written")
    return 1 if wrong else 0


def _run(folder: Path) -> report.Results:
    found: dict[str, list[suite.Outcome]] = {}
    for generation in suite.GENERATIONS:
        home, results = folder / f"home-{generation}", folder / f"results-{generation}"
        home.mkdir()
        print(f"the conformance suite, {generation}", flush=True)
        with server.over_http(home) as address:
            found[generation] = suite.run_suite(address, generation, results)
    lints, typescript, frameworks = [], [], []
    for transport in clients.TRANSPORTS:
        for generation in suite.GENERATIONS:
            print(f"the Inspector, {generation} over {transport}", flush=True)
            lints.append(
                clients.lint_schemas(generation, transport, folder / f"lint-{generation}-{transport}")
            )
        for which in clients.TYPESCRIPT:
            print(f"TypeScript, {which} over {transport}", flush=True)
            typescript.append(clients.run_typescript(which, transport, folder / f"{which}-{transport}"))
        for which in clients.FRAMEWORKS:
            print(f"{which} over {transport}", flush=True)
            frameworks.append(clients.run_framework(which, transport, folder / f"{which}-{transport}"))
    return report.Results(found, lints, typescript, frameworks)


if __name__ == "__main__":
    sys.exit(main())
