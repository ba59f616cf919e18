# One virtual environment, made on first use and again whenever pyproject.toml changes.
PYTHON ?= python3
PREFIX ?= $(HOME)/.local
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# The tests start thousands of interpreters, each of which would compile anew all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test install check check-extras environments cluster soak bench browser screenshots certificates conformance lean docs docs-tables fuzz lint format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --allow-existing --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python -e '.[test,dev]'; \
	else \
		$(PYTHON) -m venv $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,dev]'; \
	fi
	@touch $(STAMP)

demo: $(STAMP) ## set everything up and run the main job for real
	@$(BIN)/pif demo
	@echo 'The commands are $(BIN)/pif and $(BIN)/kleis. `make install` puts them on the PATH.'

test: $(STAMP) ## set everything up and pass the tests
	@$(BIN)/python -m pytest -n auto --dist worksteal

install: $(STAMP) ## link pif and kleis into ~/.local/bin: make install [PREFIX=DIR] links into DIR/bin
	@mkdir -p "$(PREFIX)/bin"
	@for name in pif kleis; do \
		link="$(PREFIX)/bin/$$name"; \
		if [ -e "$$link" ] && [ ! -L "$$link" ]; then \
			echo "$$link is in the way: it is no link. Remove it, or choose PREFIX=DIR." >&2; exit 1; \
		fi; \
		ln -sf "$(CURDIR)/$(BIN)/$$name" "$$link" && echo "$$link -> $(CURDIR)/$(BIN)/$$name"; \
	done
	@case ":$$PATH:" in \
		*":$(PREFIX)/bin:"*) first=$$(command -v pif); [ "$$first" = "$(PREFIX)/bin/pif" ] || \
			echo "Another pif comes first on your PATH: $$first" ;; \
		*) echo "$(PREFIX)/bin is not on your PATH. Add it:  export PATH=\"$(PREFIX)/bin:\$$PATH\"" ;; \
	esac

lint: $(STAMP) ## format check, lint, types, import directions, tables of the documents
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m tests.guide.tables --check

check: lint test check-extras ## what CI runs: lint, test, and the tests of the extras

# The extras have an environment of their own, so that the other tests run without them.  What is in $(VENV) is not
# installed twice: a .pth file makes its packages visible.
EXTRAS := .venv-extras
EXTRAS_STAMP := $(EXTRAS)/.installed
EXTRAS_TESTS := tests/kleis/builtins/numeric tests/registry/cli/kleis/files/test_doubles.py \
	tests/registry/server/test_numeric_answers.py tests/extras tests/registry/cli/test_pictures.py tests/attacks/test_template_injections.py

$(EXTRAS_STAMP): $(STAMP)
	@$(PYTHON) -m venv --clear $(EXTRAS)
	@$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> "$$($(EXTRAS)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/base.pth"
	@$(BIN)/python -c "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
		print('\n'.join(each for name in ('numeric', 'documents', 'otel', 'jupyter', 'lsp', 'docs', 'pictures', 'cluster') for each in extras.get(name, ())))" \
		> $(EXTRAS)/requirements.txt
	@if command -v uv >/dev/null 2>&1; then \
		uv pip install --quiet --python $(EXTRAS)/bin/python -r $(EXTRAS)/requirements.txt; \
	else \
		$(EXTRAS)/bin/python -m pip install --quiet --disable-pip-version-check -r $(EXTRAS)/requirements.txt; \
	fi
	@touch $(EXTRAS_STAMP)

check-extras: $(EXTRAS_STAMP) ## install the extras in .venv-extras and run their tests
	@$(EXTRAS)/bin/python -m pytest -n auto --dist worksteal $(EXTRAS_TESTS)

cluster: $(EXTRAS_STAMP) ## start Dask on this machine, check batches on it with workers that die and lie, stop it
	@$(EXTRAS)/bin/python -m pytest tests/kleis/batches tests/extras/cluster

MINUTES ?= 5
soak: $(STAMP) ## run real servers for MINUTES: nothing lost, nothing leaked: make soak [MINUTES=5]
	@$(BIN)/python tests/programs/soak.py --minutes $(MINUTES)

bench: $(STAMP) ## measure ratios in one run and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks

# Playwright's client has an environment of its own, as the extras have: the other tests run without it.
BROWSER := .venv-browser
BROWSER_STAMP := $(BROWSER)/.installed

$(BROWSER_STAMP): $(STAMP)
	@$(PYTHON) -m venv --clear $(BROWSER)
	@$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
		> "$$($(BROWSER)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/base.pth"
	@$(BROWSER)/bin/python -m pip install --quiet --disable-pip-version-check 'playwright>=1.50' || \
		echo "Playwright's client cannot be installed: the browser tests skip" >&2
	@touch $@

browser: $(BROWSER_STAMP) ## open the views in headless Chromium: needs Debian's chromium, and npm for the host of MCP Apps
	@$(BROWSER)/bin/python -m pytest -n 2 --dist loadfile -rs tests/browser

environments: $(EXTRAS_STAMP) $(BROWSER_STAMP)  # of the extras' and the browser's tests, without running these

screenshots: $(BROWSER_STAMP) ## take the pictures of the documents anew, from the demo's data: docs/images
	@$(BROWSER)/bin/python -m tests.browser.screenshots

certificates: $(STAMP) ## prove the laws of the library again and write stdlib/pif/certificates and stdlib/kleis/laws
	@$(BIN)/python -m registry.laws.prove_library
	@$(BIN)/python -m kleis.prover.certificates.of_library

conformance: $(STAMP) ## run the MCP conformance suite and other clients, and write docs/conformance.md
	@$(BIN)/python -m tests.conformance

lean: $(STAMP) ## let a Lean read exported files, and write docs/lean-check.md: make lean [ONLY=prelude]
	@$(BIN)/python -m tests.lean $(ONLY)

docs: $(EXTRAS_STAMP) ## build the documentation site into .build/docs
	@$(EXTRAS)/bin/python -m tests.guide.site

docs-tables: $(STAMP) ## write the tables that documents take from the code
	@$(BIN)/python -m tests.guide.tables

N ?= 20000
fuzz: $(if $(CLUSTER),$(EXTRAS_STAMP),$(STAMP)) ## try N examples on the properties: make fuzz N=200000 [SEED=7] [TESTS=tests/pif] [CLUSTER=local:2]
	@$(if $(CLUSTER),$(EXTRAS),$(VENV))/bin/python -m tests.fuzz --examples $(N) $(if $(SEED),--seed $(SEED)) \
		$(if $(CLUSTER),--cluster $(CLUSTER)) $(TESTS)

format: $(STAMP) ## format the code and apply the safe lint fixes
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean: ## remove the environment and caches
	@rm -rf $(VENV) $(EXTRAS) $(BROWSER) .build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
