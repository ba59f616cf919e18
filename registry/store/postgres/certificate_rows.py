"""Certificates of verdicts as rows: `kleis.prover.kept_certificates.CertificateStorage` for the machines of a team.

What is found is checked by who asks for it. A database that does not answer has no certificate.
"""

from __future__ import annotations

import logging
from typing import Final

import msgspec

from kleis.decoding import decode_json
from kleis.prover.kept_certificates import LONGEST, KeptCertificate
from registry.errors import RegistryError
from registry.records import certificate_hash
from registry.store.postgres.connections import Connections
from registry.store.postgres.transactions import Transactions
from registry.store.sql.rows import Rows

__all__ = ["CAPACITY", "CertificateRows", "put_certificate"]

CAPACITY: Final = 512 * 2**20
"""Bytes of the certificates of one schema; the oldest make room."""

_LOOK_AT: Final = 64
"""How many are written between two looks at how large they are together."""

logger = logging.getLogger(__name__)


class CertificateRows:
    """The certificates of one schema."""

    takes_more = True

    def __init__(
        self, connections: Connections, transactions: Transactions, capacity: int = CAPACITY
    ) -> None:
        self._connections = connections
        self._transactions = transactions
        self._capacity = capacity
        self._written = 0

    def get(self, question: str) -> KeptCertificate | None:
        """The row of a question, unless it is longer than any that is shared."""
        statement = (
            "SELECT certificate, hash, attempts FROM certified_verdicts WHERE question = ?"
            " AND length(certificate) <= ? AND length(attempts) <= ?"
        )
        try:
            row = self._connections.ask(
                lambda reader: reader.execute(statement, (question, LONGEST, LONGEST)).fetchone()
            )
            if row is None or certificate_hash(row[0]) != row[1]:
                return None
            return KeptCertificate(row[0], decode_json(row[2], tuple[tuple[str, str, int], ...]))
        except (RegistryError, msgspec.DecodeError) as error:
            logger.warning("a certificate of the database cannot be read: %s", error)
            return None

    def put(self, question: str, kept: KeptCertificate) -> None:
        """Write the row."""
        self._written += 1
        looks = self._written % _LOOK_AT == 1

        def act(rows: Rows) -> None:
            put_certificate(rows, question, kept.certificate, msgspec.json.encode(kept.attempts).decode())
            if looks:
                rows.execute(
                    "DELETE FROM certified_verdicts WHERE question IN (SELECT question FROM (SELECT question,"
                    " sum(length(certificate)) OVER (ORDER BY made DESC, question) AS bytes FROM certified_verdicts)"
                    " AS newest WHERE bytes > ?)",
                    (self._capacity,),
                )

        try:
            self._transactions.run(act, is_told=False)
        except RegistryError as error:
            logger.warning("a certificate is not shared: %s", error)

    def refuse(self, question: str) -> None:
        """Nothing: the row is shared by all, and what somebody proves takes its place."""


def put_certificate(rows: Rows, question: str, certificate: str, attempts: str) -> None:
    """Write the row of a certificate, inside a transaction."""
    rows.execute(
        "INSERT INTO certified_verdicts (question, certificate, hash, attempts) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (question) DO UPDATE SET certificate = excluded.certificate, hash = excluded.hash,"
        " attempts = excluded.attempts, made = now()",
        (question, certificate, certificate_hash(certificate), attempts),
    )
