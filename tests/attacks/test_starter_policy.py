"""Attacks on the starter policy: flags that write or run, paths in disguise, keys, look-alikes, huge arguments.

Each was allowed once, or is a neighbour of one that was. What an ordinary day needs stands at the end: a gate that
denies everything would pass the rest.
"""

from __future__ import annotations

import re

import pytest

from kleis.policy.policy import Policy, load_policy
from tests.support.theories.policies import STARTER

DENIED = {
    "cargo": r"""
        run  install x  publish  +nightly build  build-evil  testevil
    """,
    "cargo build": r"""
        --config build.rustc=evil  --config=build.rustc-wrapper=evil/x  --config evil.toml
        --manifest-path=evil/Cargo.toml  --manifest-path evil/Cargo.toml  --target-dir=src
        --target-dir src  --artifact-dir=x  --out-dir=x  -Z unstable-options  -C evil
        --target=evil.json
    """,
    "cargo clippy": r"""
        --fix  --fix --allow-dirty  -- -C linker=evil  -- -Clinker=evil
    """,
    "cargo fmt": r"""
        -- --config-path=evil  -- --emit=files  --manifest-path=x
    """,
    "cargo test": r"""
        -- --logfile src/main.rs  -- --logfile=src/main.rs
    """,
    "cat": r"""
        id_rsa.bak  server.key.old  deploy/Server.KEY~1  infra/TERRAFORM.TFSTATE  prod.tfvars  cert.p8  ca.keystore
        prod.env  config/Prod.Env.bak  client_secret.json  secrets/prod.yaml  .htpasswd  htpasswd  kubeconfig
        --files0-from=x  --show=x
        /dev/zero  /dev/sda  /proc/self/environ  dev/../../x  server.PEM  server.Pem  keystore.p12
        store.pfx  store.jks  id_ecdsa  id_dsa  ID_RSA  Secrets.yaml  CREDENTIALS  creds/Id_Ed25519  deploy/server.ppk  infra/terraform.tfstate  infra/terraform.tfstate.backup
        -- /etc/passwd  -n/etc/passwd  ~root/x  ~  - -f.x  a\/b  a'/etc'  "a"b  'a''b'  "$HOME"  !!
        x#y  #x  {.env,a}  ?env  [.]env
    """,
    "echo": r"""
        x > y  x >y  x>y  $PATH  `id`  -e '\x41'  x | tee y  x | xargs rm
    """,
    "git": r"""
        grep -Ovim x  grep -O x  grep --open-files-in-pager=sh x  -c core.pager=sh log
        --exec-path=src status  -C .. status  --git-dir=evil status  --paginate log  status --output=x
        stash  checkout .  restore src  rm x  mv a b  fetch  pull  clone x  apply x  submodule update
        bisect run sh  rebase -x sh
    """,
    "git add": r"""
        -f .  --force build  -fA  -e  -p  -i  '[.]env'  'id_rs[a]'  --pathspec-from-file=x  -Af
    """,
    "git blame": r"""
        --contents=/etc/passwd x  --contents /etc/passwd x
    """,
    "git diff": r"""
        -pOrder  -wO  -pofile  --output=src/main.rs  --output src/main.rs  --outp=x  --textconv  -O/etc/passwd  -Osrc/order
        -ox  --no-index /etc/passwd x  --no-index a b  '[.]env'  | sh  > x  >x  2>x  2>&1 >x  1>&2
    """,
    "git log": r"""
        -p --ext-diff  --ext  --output=.git/hooks/pre-commit  --exec=sh  -p -- 'secret?'
        --upload-pack=sh
    """,
    "git show": r"""
        --ext-diff HEAD  --textconv HEAD  --output=src/a  'HEAD:.env'  "HEAD:.ssh/config"  HEAD:.env
        HEAD:config/.env  HEAD:../x  HEAD:server.key  HEAD:Credentials
    """,
    "go": r"""
        run x  generate
    """,
    "go build": r"""
        -o src/main.go  -o=src/main.go  --o=src/main.go  -toolexec=evil  -toolexec evil  -overlay=x
        -modfile=x  -ldflags=x  -gcflags=x  -C evil
    """,
    "go test": r"""
        -exec evil  -exec=evil  --exec=evil  -c -o x  -coverprofile=src/x  -coverprofile src/x
        -outputdir=src  -cpuprofile=x  -trace=x  -fuzz=x  ./../x  ../x  ./.git
    """,
    "go vet": r"""
        -vettool=evil  -vettool evil
    """,
    "grep": r"""
        -f/etc/passwd src  -rf/etc/shadow .  -f../secret src  -f../../etc/passwd x  -f.env x
        -r TOKEN  -rn TOKEN .  -hR = .  TOKEN -r  -r TOKEN -A 3  -rA 3 TOKEN  -r -m 1 TOKEN  -r "" .  -r 'TOKEN'
        --recursive TOKEN  --rec TOKEN  --r TOKEN src  -d recurse TOKEN  -nd recurse TOKEN  --directories=recurse x
        --dereference-recursive x  --di=recurse x  -r -e TOKEN  -re TOKEN  -r --regexp TOKEN  -r TOKEN ./...
        -r --include='*' TOKEN  -r TOKEN -- .  -r -- TOKEN .  -r TOKEN src .  -r TOKEN . src  --file x -r y
        -r -f patterns src  -rz TOKEN --exclude x
        -f /etc/passwd x  -f ../x x  --file=/etc/passwd x  --file=../x x  --file=.env x  '-f' x
        "-f" x  '-f/etc/passwd' x  -r x --include=.env  x -- .env  x -- -/etc/passwd  x $(ls)  x <(ls)
    """,
    "head": r"""
        --files-from=x  -c 5 /dev/random
    """,
    "ls": r"""
        -la ..  -I/ x  --hide=/x  -a../x
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|sh
    """,
    "make": r"""
        -f evil test  testevil  clean
    """,
    "make check": r"""
        deploy
    """,
    "make test": r"""
        -f evil.mk  -fevil.mk  -f/tmp/x  -f../x  -f.evil  -C evil  -C..  --file=evil  --makefile=evil
        --eval=x  SHELL=evil  PYTHON=evil  CC=evil/x  clean  -j clean  -j 4 clean  -B -I evil  -e
    """,
    "mypy": r"""
        --python-executable=evil src  --python-executable evil/py src  --python-exec evil src
        --install-types  --install-types --non-interactive  --config-file=evil.ini  --html-report src
        --html-report=src  --junit-xml=src/x  --cache-dir=src  --shadow-file a b
        --custom-typeshed-dir=x  --pdb  @/etc/passwd  @args  -c 'import os'
    """,
    "npm": r"""
        run build --script-shell=x  run evil  run build:evil  install  exec x
    """,
    "npm test": r"""
        --script-shell=evil  --script-shell evil  --script-sh=evil  --prefix=evil  --prefix evil
        -C evil  --node-options=x  --userconfig=x  -- --outputFile=src/x  -- --globalSetup=evil
    """,
    "pytest": r"""
        -p evil  -pevil  '-p' evil  "-p" evil  -p no:x evil=1 -p evil  --rootdir=evil  --rootdir evil
        --rootdir=/tmp  -c evil.ini  -cevil.ini  -c/tmp/x.ini  -o cache_dir=src
        -o log_file=src/main.rs  --override-ini=log_file=x  --basetemp=src  --basetemp src
        --junitxml=src/main.rs  --junit-xml=x  --log-file=src/x  --debug=src/x  --debug src/x
        --pastebin=all  --confcutdir=evil  --cov-report=html:src  --cov-report html:src
        --cov-config=evil  --pdbcls=evil:Evil  --pdb  --cache-clear  -W error::evil.Warn  @args.txt
        @/tmp/args  @../args  '@args.txt'  -xpevil  --report-log=src/x  --ignore=/x  --deselect=../x
        --result-log=x  --html=x
    """,
    "python": r"""
        -m pytestevil  -m http.server  -mpytest  evil.py  -m pytest;python evil.py
    """,
    "python -m pytest": r"""
        -p evil  @x
    """,
    "ruff check": r"""
        --output-file=src/main.rs  -o src/main.rs  -osrc/main.rs  --config=evil.toml
        --config evil.toml  --add-noqa  --cache-dir=src  --watch  --unsafe-fixes
    """,
    "tail": r"""
        -f x  -F x  --follow x  --follow=name x  -fn5 x  --pid=1 -f x  -f/dev/zero
    """,
    "wc": r"""
        --files0-from=/etc/passwd  --files0-from=x  --files0-from x  --files0=x  --files0 x  --f=x  --file=x
        -l --files0-from=src/names  --files0-from=-  -- --files0-from=.x  src/a.py --files0-from=src/names
    """,
}
"""What is denied after a program, each two blanks from the next."""

OTHERS = [
    'pytest -p  evil', 'ruff clean', 'npx x', 'ls\uff1brm x', 'ls\uff5csh', 'l\u0455',
    '\u0441\u0430t x', 'cat \uff0eenv', 'cat \u2024env', 'cat \uff0fetc/passwd', 'git\u3000status',
    'ls \u2013la', '\uff47it status', 'ls\u202e', 'ls -l\u2060a', 'cat x\ufeff', 'ls\nrm x',
    'ls\r\nrm x', 'ls\trm', 'ls\x0brm', 'ls\x0crm', 'ls\x00rm', 'ls\x1b[2J', 'ls\x85rm', 'ls\u2028rm',
    'ls\x7f', 'cat x\n', '\nls',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x00',
]  # fmt: skip

GIANTS = [
    "ls " + "a " * 20_000 + "; rm x",
    "ls" * 50_000,
    "ls " + "-" * 1000 + "/etc",
    "git diff " + "--stat " * 3000 + "--output=x",
    "pytest " + "-q " * 5000 + "-p evil",
]

ALLOWED = r"""
    ls  ls -la src  ls -l --color=never src tests  ls -lhS  ls --all --human-readable src  cat -n src/a.py
    wc --lines src/a.py  head --lines=20 src/x  cat src/secretary.py src/keyboard.py  echo -n --done
    grep -n environ src/settings.py  git log -S parse_head  git log -Sfoo --oneline  cat README.md  cat src/a.py tests/b.py
    head -20 src/main.rs  head -n 20 src/main.rs  head -c 100 src/x  tail -20 log.txt
    tail -n 5 out.txt  tail -n +5 out.txt  wc -l src/main.rs  grep -rn parse src
    grep -rn 'def main' src | head -5  grep -n "fn main" src/main.rs  grep -rn --include=a.py foo src
    grep -c '^use' src/lib.rs  grep -E 'a.*b' src/x.py  grep -A3 -B2 foo src/x  grep -rniw error src
    grep -rn --exclude-dir=node_modules foo src tests  grep foo -rl src/  grep -rA3 foo src/x --include=a.py
    grep -m 1 -A 3 foo src/x  grep -- foo src/x  git log --oneline | grep -i 'fix'  grep -c -e foo -e bar src/x
    pwd  echo done  git status  git status -s  git status --short --branch  git status --porcelain=v2
    git diff  git diff --stat  git diff HEAD~1  git diff --cached --name-only
    git diff main..topic src/a.rs  git diff main...topic  git diff -U5 -- src/a.py
    git log --oneline -5  git log -n 3 --stat  git log --graph --all --oneline
    git log --since=2.weeks --author=ann  git log --grep 'fix bug' -i  git log --format=%h
    git log -p -- src/main.rs  git log --follow -p src/main.rs  git show HEAD  git show --stat HEAD
    git show HEAD:src/main.rs  git show abc123 --name-only  git blame src/main.rs
    git blame -L10,20 src/main.rs  git add .  git add -A  git add src/main.rs tests/a.py  pytest
    pytest -q  pytest -xvs tests/unit  pytest -q tests/test_a.py::test_b
    pytest tests/test_a.py::TestA::test_b -x  pytest -k 'not slow' --maxfail=1
    pytest -k name --tb=short  pytest -n 4 --durations=10  pytest -n4 -rA  pytest --lf
    pytest -p no:cacheprovider -q  pytest --cov=src --cov-report=term-missing
    pytest -m 'not slow and fast'  pytest -q 2>&1 | tail -20  python -m pytest -x
    python -m pytest -q tests | head -50  ruff check .  ruff check --fix src
    ruff check --select=E,F src  ruff format src  ruff format --check .
    ruff check --output-format=concise src  mypy src  mypy --strict src  mypy -p pkg  cargo build
    cargo build --release  cargo test  cargo test --release -p core  cargo test parser::tests
    cargo test name -- --nocapture  cargo test -- --test-threads=1
    cargo check --workspace --all-targets  cargo clippy -- -D warnings
    cargo clippy --all-features -- -W clippy::pedantic  cargo fmt  cargo fmt --check
    cargo fmt -- --check  cargo test 2>&1 | grep -n 'FAILED' | head -3  cargo build && cargo test
    npm test  npm test --silent  npm test -- src/app.test.js  npm run build  npm run lint  go build
    go build ./...  go test ./...  go test ./pkg/parser  go test ./pkg/... -run TestParse -v
    go test -race -count=1 ./...  go test -run=TestX ./pkg  go test -run 'TestX' ./...  go vet ./...
    make test  make check  make test -j4  make test -j 4  make check 2>&1 | tail -5
    git status; git diff  git status && git diff --stat && pytest -q
"""

PATHS = [
    '/etc/passwd', '../x', 'a/../b', '-rf', '-rf/x', '--help', '-', '-x.log',
    '--no-preserve-root/build/x', 'src/a.Pem', 'a.PEM', 'a.p12', 'A.PFX', 'b.jks', 'x.kdbx', 'id_dsa',
    'ID_RSA', 'x/Id_ecdsa', 'Secrets.yaml', 'SECRETS', 'credentials.local.json', 'Credentials.json',
    '.env', '.ENV', 'a/.env', 'a/.git/config', '.github/workflows/x.yml', '.gitignore/x', 'a\\b',
    'a b', 'a\tb', 'a\nb', 'a\x00', 'a\x00b', '~/x', '~root', '$HOME', 'a*', 'a?', 'C:/x', 'con:',
    'a//b', './a', 'a/.', 'a/..', 'a/', '/', '', '\uff0e/x', '\u2024\u2024/x', 'a\uff0fb',
    '\u0441rc/x', '%2e%2e/x', 'a;b', 'a|b', 'a&b', "a'b", 'a"b', 'a`b', 'a(b', 'a<b', 'a>b', 'a!b',
    'a#b', '\u202ea', 'a\u200b', 'src\u2215x',
    'id_rsa.bak', 'x/ID_RSA.OLD', 'id_ed25519_sk', 'id_rsa-2024', 'id_rsa_old', 'server.key.old', 'server.key.bak',
    'server.KEY.Orig', 'server.pem.swp', 'server.pem.1', 'server.key2', 'server.pem_backup', 'server.pem~',
    'secrets.yaml.bak', 'secrets-prod.yaml', 'secrets_old.json', 'Secrets/prod.yaml', 'a/credentials/b.txt',
    'credentials-old', 'client_secret.json', 'Credential.txt', 'TERRAFORM.TFSTATE', 'terraform.TfState.backup',
    'prod.tfvars', 'prod.env', 'a/Prod.ENV.old', 'release.keystore', 'auth.p8', 'k.pk8', 'x.gpg', 'vpn.ovpn', 'old.kdb',
    'kubeconfig', 'htpasswd', 'passwords.txt', 'id_rsa.', 'server.key.', 'server.key.bak.', 'a./b', 'a.', 'Cargo.lock.',
    'src./main.rs', '...', 'con', 'NUL', 'src/Aux.rs', 'com1.log', 'a/prn/b', '%2e/x', 'a%2f..%2fb', '@x/../y', 'a:b',
    'a.txt::$DATA', 'GIT~1/config', '.git./config', 'a/.Git/x', 'server.ke\u0443', '\uff29d_rsa', '\u0131d_rsa',
    '\u212aey.pem', '\u017fecrets.yaml',
]  # fmt: skip

KEPT = [
    'src/main.rs', 'src/build/mod.rs', 'src/dist/a.py', 'src/target/x.c', 'src/node_modules/a.js',
    'src/tmp/x.ts', 'README.md', 'build', 'target', 'builder/x', '-rf.log', '-f/build/x',
    'build/../src/x', 'build//x', 'build/.git/x', 'tests/a.py', 'Makefile', 'x.Log.rs',
    'SRC/build/mod.rs', 'Src/target/x.C', 'src/build/mod.RS', 'src/build/x.tsx', 'src/dist/x.cpp', 'src/tmp/X.java',
    'packages/a/src/build/x.ts', 'lib/build/x.py', 'tests/tmp/test_x.py', 'Tests/Tmp/test_x.PY', 'src/build/x.ipynb',
    'src/dist/x.h', 'src/tmp/schema.sql', 'src/build/x.kleis', 'build/id_rsa.bak', 'target/server.key.old',
    'tmp/Cargo.LOCK/..', 'build/a.', 'source/build/x.rb',
]  # fmt: skip

LOCKS = [
    'Cargo.lock', 'a/go.sum', 'Pipfile.lock', 'package-lock.json', 'bun.lock', 'npm-shrinkwrap.json',
    'sub/poetry.lock', 'CARGO.LOCK', 'Package-Lock.json', 'PACKAGE-LOCK.JSON', 'a/Go.Sum', 'go.work.sum', 'YARN.lock',
    'deno.lock', 'mix.lock', 'Podfile.lock', 'pubspec.lock', 'bun.lockb', 'gradle.lockfile', 'packages.lock.json',
    'Pnpm-Lock.YAML', 'conda-lock.yml', 'Package.resolved', 'NPM-Shrinkwrap.json', 'paket.lock',
]  # fmt: skip

BRANCHES = [
    'main', 'master', 'trunk', 'production', 'develop', 'prod', 'staging', 'stable', 'gh-pages', 'stash', 'release', 'release/1', 'releases', '+main',
    '+x', ':main', 'x:main', 'HEAD', '@', 'FETCH_HEAD', 'ORIG_HEAD', 'MERGE_HEAD', 'refs/heads/main',
    'heads/main', 'tags/v1', 'remotes/origin/main', '-f', '--force', '--mirror', '--delete', 'main ',
    'main\n', ' main', 'main\x00', 'ma\u0456n', '\uff4dain', 'x y', 'x~1', 'x^', 'x..y', 'x@{1}', '*',
    'x*', '', '/x', 'x/', 'x//y', 'x\\y', '\u202emain', 'x\tmain', 'main:main', 'refs/x', 'a;b',
    '$(x)',
    'Main', 'MAIN', 'mAIN', 'Master', 'TRUNK', 'Production', 'Release/1', 'RELEASE', 'Releases/2.0', 'release-1', 'head',
    'Head', 'x/head', 'x/Head', 'fetch_head', 'Refs/heads/x', 'REFS/heads/main', 'Heads/main', 'TAGS/v1', 'Remotes/x/y',
    'Gh-Pages', 'Stash', 'origin/main', 'Origin/x', 'upstream/main', 'main.', 'main.lock', 'x./y', 'topic.', 'Develop',
    'development', 'DEV', 'mainline', 'default', 'Live', 'STAGING', 'ma\u0131n', '\u017ftable', 'MA\u0130N',
    'x.LOCK', 'x/y.lock', 'preview/main.lock',
]  # fmt: skip


def listed(text: str) -> list[str]:
    return [command for command in re.split(r"  +|\n", text) if command]


@pytest.fixture(scope="module")
def starter() -> Policy:
    return load_policy(STARTER, default="deny")


def allowed(policy: Policy, action: str, name: str, values: list[str]) -> list[str]:
    return [value[:100] for value in values if policy.decide(action, {name: value}).allowed]


@pytest.mark.parametrize("program", DENIED)
def test_flags_and_words_that_do_more_than_read_build_or_test(starter: Policy, program: str) -> None:
    commands = [f"{program} {tail}" for tail in listed(DENIED[program])]
    assert commands
    assert allowed(starter, "run_command", "command", commands) == []


def test_other_programs_quotes_and_characters(starter: Policy) -> None:
    assert allowed(starter, "run_command", "command", OTHERS) == []


def test_giants(starter: Policy) -> None:
    assert allowed(starter, "run_command", "command", GIANTS) == []
    assert starter.decide("run_command", {"command": "ls " + "a " * 2000 + "b"}).allowed


def test_an_attack_after_an_ordinary_command(starter: Policy) -> None:
    tails = [f"{program} {tail}" for program, text in DENIED.items() for tail in listed(text)[:3]]
    joined = [
        f"git status{between}{tail}" for tail in tails for between in (" && ", "; ", " | ", "\n", " & ")
    ]
    assert allowed(starter, "run_command", "command", joined) == []


def test_the_days_work_passes(starter: Policy) -> None:
    commands = listed(ALLOWED)
    assert len(commands) > 100
    assert allowed(starter, "run_command", "command", commands) == commands


@pytest.mark.parametrize("action", ["file_edit", "file_create", "file_delete"])
def test_paths_in_disguise_and_keys(starter: Policy, action: str) -> None:
    assert allowed(starter, action, "path", PATHS) == []


def test_sources_and_locks_are_kept(starter: Policy) -> None:
    assert allowed(starter, "file_delete", "path", KEPT) == []
    assert allowed(starter, "file_create", "path", LOCKS) == []
    assert allowed(starter, "file_edit", "path", LOCKS) == []


def test_files_that_only_resemble_keys_and_locks_can_be_worked_on(starter: Policy) -> None:
    ordinary = [
        'src/keyboard.py', 'src/keys.py', 'src/secretary.rs', 'src/lock.rs', 'src/locks/a.py', 'src/blocked.py',
        'src/header.py', 'src/permissions.py', 'src/environment.py', 'src/controller.py', 'src/console.ts', 'nullable.rs',
        'src/block-json.ts', 'src/summary.md',
    ]  # fmt: skip
    assert allowed(starter, "file_edit", "path", ordinary) == ordinary
    assert allowed(starter, "file_create", "path", ordinary) == ordinary
    built = [
        "build/lib.o",
        "target/debug/build/out.rs",
        "node_modules/left-pad/index.js",
        "x.orig",
        "dist/app.js",
    ]
    assert allowed(starter, "file_delete", "path", built) == built


def test_branches(starter: Policy) -> None:
    assert allowed(starter, "git_push", "branch", BRANCHES) == []
    ordinary = [
        "topic", "feature/login", "fix-12_b", "v1.x", "user/ann/main-menu", "header", "domain", "mainframe", "prelease",
        "reheading", "fix/overhead", "lockfile", "Feature/Login",
    ]  # fmt: skip
    assert allowed(starter, "git_push", "branch", ordinary) == ordinary


@pytest.mark.parametrize(
    ("action", "given"),
    [
        ("file_edit", {"path": "src/a.py", "command": "rm -rf /"}),
        ("file_edit", {"path": "src/a.py", "force": True}),
        ("file_delete", {"path": "build/a.o", "branch": "main"}),
        ("file_create", {"path": "src/a.py", "description": "Parse empty files"}),
        ("run_command", {"command": "ls", "path": "/etc/passwd"}),
        ("run_command", {"command": "git status", "branch": "main"}),
        ("git_push", {"branch": "topic", "command": "git push origin main"}),
        ("git_push", {"branch": "topic", "description": "x"}),
        ("git_commit", {"description": "Parse empty files", "path": ".env"}),
        ("git_commit", {"description": "Parse empty files", "force": False}),
    ],
)
def test_an_argument_that_belongs_to_another_action(
    starter: Policy, action: str, given: dict[str, object]
) -> None:
    decision = starter.decide(action, given)
    assert not decision.allowed
    assert "belongs to" in decision.reason
    own = {"git_push": "branch", "git_commit": "description", "run_command": "command"}.get(action, "path")
    assert starter.decide(action, {own: given[own]}).allowed


@pytest.mark.parametrize(
    "message",
    [
        "Use AKIAIOSFODNN7EXAMPLE for the bucket",
        "token ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "github_pat_11ABCDEFG0123456789_abcdefghij",
        "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQ",
        "xoxb-123456789012-abcdefghijkl",
    ],
)
def test_a_commit_message_with_a_key(starter: Policy, message: str) -> None:
    assert not starter.decide("git_commit", {"description": message}).allowed
    assert starter.decide("git_commit", {"description": "Parse private keys of type xox and AKIA"}).allowed
