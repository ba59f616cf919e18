"""The tests under each Python that the project promises, where the interpreter is there: ``uvx nox``."""

import nox

nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True


@nox.session(python=["3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """All tests, or those that are named: ``uvx nox -s tests-3.13 -- tests/pif``."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)
