"""`kleis certificate export FILE`: the proofs of a certificate for other provers.

Specification: docs/reference/certificates.md §7.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

__all__ = ["export_file"]


def export_file(file: Path, language: Literal["tstp"]) -> int:
    """Write the derivations of a certificate that passes its check; the exit status."""
    from kleis.prover.certificates.check import check
    from kleis.prover.certificates.tstp import tstp
    from kleis.prover.checker.format import CertificateError
    from kleis.prover.checker.strict_reading import from_json
    from kleis.prover.process.broker import Broker
    from registry.cli.terminal.screen import Screen

    assert language == "tstp", "there is one format"
    data = file.read_bytes()
    with Broker() as broker:
        # In a child process first, which may be stopped: a file may be made to keep its reader busy.
        refused = check(data, broker, file=str(file)).refused
    if refused is not None:
        raise CertificateError(f"{file} shows nothing: {': '.join(refused)}", code="certificate-refused")
    Screen().out.write(tstp(from_json(data, file=str(file))))
    return 0
