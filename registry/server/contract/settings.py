"""The options of `pif serve`, their check, and what the groups of one server share.

A group is made by `make(site)` in its own module (`registry.server.serve` names them). The `Site` gives it the
settings and the objects that exist once for a server, each made when it is first asked for.

`check_places` (docs/reference/serving.md §1.3) rejects a policy that is no file, a policy without its group, and a
corpus or root that is no directory, so that a misspelt gate does not start a server without one. A file that exists and
cannot be read is a warning: the group says so in every answer, and reads the file again when it changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from pif.language.budget import MAXIMUM_FUEL, RETAINED_BYTES
from pif.language.errors import nearest
from pif.language.warnings import Fractions
from registry.access.principals import OWNER_NAME, Principal, home_of
from registry.access.teams import TeamFile
from registry.errors import RegistryError
from registry.store.open_store import open_store, url_of
from registry.store.protocol import Store
from registry.store.shared_state import certificate_files, certificate_storage, session_rows
from registry.store.timed_store import Timed, timed
from registry.teams.member import Member
from registry.teams.shared_theories import TeamTheories
from registry.teams.team_stores import TeamStores
from registry.workspace.workspace import Workspace

if TYPE_CHECKING:
    from kleis.prover.kept_certificates import CertificateStorage
    from kleis.prover.process.broker import Broker
    from kleis.sessions.sessions import Sessions
    from registry.oracles.theory_oracle import Snapshots
    from registry.sharing.service import SharingService
    from registry.sharing.theory_pull import Shelf
    from registry.sharing.upstream import Upstream
    from registry.sharing.wire import Server

__all__ = [
    "PROVER_NICENESS",
    "PROVER_SLOTS",
    "Settings",
    "Site",
    "check_places",
    "check_without_http",
    "check_workers",
    "prover_slots",
]

PROVER_SLOTS = 12
"""Attempts of provers at a time: two for each proof that the lane of proofs lets in, and two for runs that ask a theory, so that
no attempt waits behind those of another client."""

PROVER_NICENESS = 5
"""By how much provers give way to the event loop; searches and theirs give way to both."""

LEAST_SLOTS = 2
"""Of a worker: the engines that are tried at the same time for one proof."""

_LISTED = 5_000
"""Names of a directory that are searched for the nearest spelling."""


def prover_slots(workers: int) -> int:
    """Attempts of provers at a time in each of so many workers: together those of one process."""
    return max(LEAST_SLOTS, PROVER_SLOTS // workers)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `pif serve`.

    `store`: the URL of the database of the tools, empty for the home. `share`: what the tools are called together for registries that
    pull them and push here, empty where nothing is shared. `upstream`: the
    server from which tools are pulled that are asked for and are not here, `upstream_token_file` and `upstream_token_env` where the token for
    it is. `expose`: how many evolved tools are listed as tools of their own. `memory_mb`: what runs at one time may use.
    `policy`: the policy's file. `default`: what becomes of an action without a rule. `corpus`: the corpus's
    directory. `roots`: the directories in which file tools may read and write. `read_only`: change nothing in the home;
    `only_reads`: offer no tool that may change anything.
    `http`: the address to serve over HTTP, empty for standard input and output; `origins`, `certificate` and
    `certificate_key` are about HTTP: web pages that may call, and the PEM files of TLS; `drain`: the seconds that calls under way have when the server is to end. `fractions`: what becomes of
    numbers with a fraction. `log`: what lines of the log look like; as JSON there is one for each call, with its
    arguments if `log_arguments`. `traces`: spans are made and sent where the environment says. `principal`: whose home it is;
    the owner's is configured by the environment and the user's files too, that of another by what is in it alone.
    `oauth_issuer`, `oauth_audience`, `oauth_jwks`, `oauth_any_type`: the authorization server whose tokens are taken over HTTP
    (`registry.server.mcp.oauth.OAuthOptions`). `quotas`: what each principal but the owner may use, as
    `registry.access.quotas` reads it. `owner_home` and `owner_store`: where the owner's tools are, beside which those of teams
    are; None and empty where they are the owner's own. `workers`: the processes that serve HTTP; what a machine has is divided
    among them. `cluster`: where workers are asked ahead by tools that ask many questions (`kleis.batches.kept_cluster`), empty
    for nowhere.
    """

    home: Path
    store: str = ""
    share: str = ""
    upstream: str = ""
    upstream_token_file: Path | None = None
    upstream_token_env: str = ""
    expose: int = 25
    more: bool = False
    memory_mb: int = 512
    maximum_fuel: int = MAXIMUM_FUEL
    policy: Path | None = None
    default: Literal["allow", "deny"] = "allow"
    corpus: Path | None = None
    roots: tuple[Path, ...] = ()
    http: str = ""
    origins: tuple[str, ...] = ()
    certificate: Path | None = None
    certificate_key: Path | None = None
    drain: int = 0
    fractions: Fractions = "round"
    read_only: bool = False
    only_reads: bool = False
    log: Literal["text", "json"] = "text"
    log_arguments: bool = False
    traces: bool = False
    principal: str = OWNER_NAME
    quotas: tuple[str, ...] = ()
    workers: int = 1
    cluster: str = ""
    oauth_issuer: str = ""
    oauth_audience: str = ""
    oauth_jwks: str = ""
    oauth_any_type: bool = False
    owner_home: Path | None = None
    owner_store: str = ""

    def of(self, principal: Principal) -> Settings:
        """The settings of another principal's server: its own home and store, and nothing of the owner's files.

        A corpus and a policy stay: the owner names them for everybody who may read.
        """
        return msgspec.structs.replace(
            self,
            home=home_of(self.home, principal),
            store=self.store if principal.is_owner else url_of(self.store, principal.name),
            roots=(),
            principal=principal.name,
            owner_home=self.home,
            owner_store=self.store,
        )


class Site:
    """The settings of one server and what its groups share. `close` ends what was begun."""

    def __init__(
        self, settings: Settings, store_timed: Timed | None = None, beside: Site | None = None
    ) -> None:
        """`store_timed` is told how long each operation of the store took. `beside`: the owner's site in the same process, of
        which provers, the library and the bound on memory are shared, and nothing that anybody has written. `has_room`, which may
        be set before groups are made: whether the principal may keep more now."""
        self.settings = settings
        self.store_timed = store_timed
        self._beside = beside
        self.has_room: Callable[[], bool] = lambda: True

    @cached_property
    def store(self) -> Store:
        """Where the tools of the home are, and with a database its sessions and jobs too. Raises RegistryError."""
        settings = self.settings
        return open_store(settings.home, settings.store, read_only=settings.read_only)

    @cached_property
    def workspace(self) -> Workspace:
        """The tools of the home. Raises RegistryError where the store cannot be opened."""
        settings, store = self.settings, self.store
        return Workspace(
            store if self.store_timed is None else timed(store, self.store_timed),
            maximum_fuel=settings.maximum_fuel,
            memory=settings.memory_mb * 2**20 // settings.workers,
            fractions=settings.fractions,
            library=None if self._beside is None else self._beside.workspace.library,
            admission=None if self._beside is None else self._beside.workspace.admission,
            member=self.member,
        )

    @cached_property
    def sharing(self) -> SharingService:
        """What the home gives to other registries, and takes from them."""
        from registry.sharing.service import SharingService  # not needed where nothing is shared

        settings = self.settings
        return SharingService(
            self.workspace, settings.home, settings.share, settings.principal, self._owner_home, self._shelf
        )

    def _shelf(self) -> Shelf:
        """The saved theories, with those that others have written to a database since."""
        from registry.sharing.theory_proofs import ProofFile, Proofs  # not needed where nothing is shared
        from registry.sharing.theory_pull import Shelf

        self.sessions.storage.update_saved()
        return Shelf.of(self.sessions, Proofs(ProofFile(self.settings.home), self._certificates))

    @cached_property
    def _certificates(self) -> CertificateStorage:
        """Where certificates of verdicts are that others found."""
        home = self.settings.home
        return certificate_storage(self.store, home) if self.settings.store else certificate_files(home)

    @cached_property
    def upstream(self) -> Upstream | None:
        """The server behind this one, if there is any. Raises RegistryError where its address or token is none."""
        settings = self.settings
        if not settings.upstream:
            return None
        from registry.sharing.keys import TrustFile
        from registry.sharing.places import server_at
        from registry.sharing.tokens import read_token
        from registry.sharing.upstream import WAIT, Upstream

        def opened() -> Server:
            token = read_token(settings.upstream_token_file, settings.upstream_token_env)
            return server_at(settings.upstream, token, WAIT)

        opened().close()
        trust = (TrustFile(self._owner_home),)
        return Upstream(
            self.workspace, settings.home, opened, trust=trust, shelf=self._shelf, has_room=self.has_room
        )

    @cached_property
    def member(self) -> Member:
        """What the principal may read and write of teams' tools and theories."""
        return Member(self.settings.principal, self.team_file, self.team_stores)

    @cached_property
    def team_file(self) -> TeamFile:
        """Who may read and write the tools of teams."""
        return self._beside.team_file if self._beside is not None else TeamFile(self._owner_home)

    @cached_property
    def team_stores(self) -> TeamStores:
        """The stores of the teams, which all members in the process share."""
        if self._beside is not None:
            return self._beside.team_stores
        settings = self.settings
        url = settings.store if settings.owner_home is None else settings.owner_store
        return TeamStores(self._owner_home, url, read_only=settings.read_only, store_timed=self.store_timed)

    @property
    def _owner_home(self) -> Path:
        return self.settings.owner_home or self.settings.home

    @cached_property
    def broker(self) -> Broker:
        """The provers' processes; those of the site beside, if there is one: an attempt leaves nothing in them."""
        from kleis.prover.process.broker import Broker

        if self._beside is not None:
            return self._beside.broker
        return Broker(slots=prover_slots(self.settings.workers), niceness=PROVER_NICENESS)

    @cached_property
    def sessions(self) -> Sessions:
        """The theory sessions of the home, or of its database. Raises RegistryError where their configuration cannot be read,
        or the database not be opened."""
        from kleis.sessions.files.errors import SessionError
        from kleis.sessions.sessions import open_sessions
        from kleis.theory.parse_cache import ParseCache, user_cache

        home = self.settings.home
        is_owner = self.settings.principal == OWNER_NAME
        rows = session_rows(self.store, home) if self.settings.store else None
        try:
            return open_sessions(
                home,
                # What the owner's environment and files name are the owner's sessions; and a cache that is shared
                # would tell by its speed what others have written.
                environment=None if is_owner else {},
                directory=None if is_owner else home,
                roots=self.settings.roots,
                cache=user_cache() if is_owner else ParseCache(home / "parsed"),
                broker=self.broker,
                owns_broker=self._beside is None,
                storage=rows,
                saved=None if rows is None else rows.copies,
                certificates=self._certificates,
                shared=TeamTheories(self.member, self._owner_home),
            )
        except SessionError as error:
            raise RegistryError(
                "invalid_argument", error.message, file=error.file, found=error.found, hint=error.hint
            ) from error

    @cached_property
    def oracles(self) -> Snapshots:
        """The theories that runs may ask, by session. Raises as `sessions`."""
        from registry.oracles.theory_oracle import Snapshots

        sessions = self.sessions
        return Snapshots(sessions.theory, broker=sessions.broker, cache=sessions.verdicts)

    def checks(self, chosen: Sequence[str]) -> dict[str, Callable[[], None]]:
        """What must work for a server of these groups to be ready: its store, and its provers where sessions use them.
        Each raises OSError, RuntimeError or RegistryError where it does not."""

        def store() -> None:
            (self.workspace.store if "pif" in chosen else self.store).recent(1)

        needs_store = "pif" in chosen or bool(self.settings.store)
        found: dict[str, Callable[[], None]] = {"store": store} if needs_store else {}
        if "theory" in chosen:
            found["provers"] = lambda: self.sessions.broker.start()
        return found

    def close(self) -> None:
        """Close what was opened."""
        if "oracles" in self.__dict__:
            self.oracles.close()
        if "sessions" in self.__dict__:
            self.sessions.close()
        if "workspace" in self.__dict__:
            self.workspace.close()
        if "store" in self.__dict__:
            self.store.close()
        if "team_stores" in self.__dict__ and self._beside is None:
            self.team_stores.close()


def check_without_http(settings: Settings) -> None:
    """Raises ValueError for the first option that only serving over HTTP reads."""
    for option, given in (
        ("allow-origin", settings.origins),
        ("certfile", settings.certificate),
        ("keyfile", settings.certificate_key),
        ("drain", settings.drain),
        ("quota", settings.quotas),
        ("workers", settings.workers > 1),
        ("oauth-issuer", settings.oauth_issuer),
        ("oauth-audience", settings.oauth_audience),
        ("oauth-jwks", settings.oauth_jwks),
        ("oauth-any-type", settings.oauth_any_type),
    ):
        if given:
            raise ValueError(f"--{option} is about serving over HTTP: add --http HOST:PORT")


def check_workers(settings: Settings, chosen: Sequence[str]) -> None:
    """Raises ValueError where the memory of runs, divided among the workers, is too little for a run of the most fuel."""
    of_each = settings.memory_mb // settings.workers
    needed = -(-settings.maximum_fuel * RETAINED_BYTES // 2**20)
    if settings.workers > 1 and "pif" in chosen and of_each < needed:
        raise ValueError(
            f"--workers {settings.workers}: each has {of_each} of the {settings.memory_mb} MB for runs, and a run with the most "
            f"fuel may need {needed}; ask for fewer workers, more --memory, or less --max-fuel"
        )


def check_places(settings: Settings, chosen: Sequence[str]) -> None:
    """Raises ValueError for the first option that names nothing, or that no chosen group reads."""
    if settings.policy is not None:
        _reject_unread("policy", "FILE", chosen)
        if not settings.policy.is_file():
            raise ValueError(_nothing("policy", settings.policy, "file"))
    if settings.corpus is not None:
        _reject_unread("corpus", "DIR", chosen)
    directories = [("corpus", settings.corpus)] if settings.corpus is not None else []
    for option, directory in (*directories, *(("root", each) for each in settings.roots)):
        if not directory.is_dir():
            raise ValueError(_nothing(option, directory, "directory"))


def _reject_unread(option: str, what: str, chosen: Sequence[str]) -> None:
    if option not in chosen:
        groups = ",".join([*chosen, option])
        raise ValueError(
            f"--{option} {what} is read by the group {option} only: add it with --groups {groups}"
        )


def _nothing(option: str, path: Path, kind: str) -> str:
    """What is wrong with a path, and what was perhaps meant."""
    if path.exists():
        return f"--{option} {path}: that is no {kind}"
    missing = path
    while not missing.parent.is_dir() and missing.parent != missing:
        missing = missing.parent
    close = nearest(missing.name, _names_in(missing.parent))
    meant = f"; did you mean {missing.with_name(close)}?" if close else ""
    return f"--{option} {path}: there is no such {kind}{meant}"


def _names_in(directory: Path) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            return [entry.name for entry, _ in zip(entries, range(_LISTED), strict=False)]
    except OSError:
        return []
