# FairPairs. `make help` lists the targets.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
CORES ?=
PROFILE ?= default
ARGS ?=
# without CORES, the cores are those of the profile
# every pass of the scheduler plans another after this timespan (1 s by default), so passes pile up with the jobs
RUN = --workflow-profile profiles/$(PROFILE) $(if $(CORES),--cores $(CORES)) --max-jobs-per-timespan 500/5s
SNAKEMAKE = $(BIN)/snakemake $(RUN)

.DEFAULT_GOAL := help
.PHONY: help environment reproduce verify checksums crate demo calibration register test test-fast test-cluster lint format docs benchmark mutants lock dist clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

environment: $(VENV)/.ready ## make the Python environment in .venv
$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "FairPairs needs Python 3.11 or later: run make with PYTHON=/path/to/python3.11." >&2; exit 1; }
	@# an environment without its stamp was interrupted, and is made anew; one that pip refused to change is still whole
	@if test -e $@; then mv $@ $@.before; else $(PYTHON) -m venv --clear $(VENV); fi
	@echo "Installing the packages of requirements.lock into $(VENV): this takes a few minutes."
	@said=$$(pip() { $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-user "$$@" 2>&1; }; \
		pip --require-hashes --no-deps -r requirements.lock && pip --no-build-isolation -e ".[text]") || { \
		test ! -e $@.before || mv $@.before $@; \
		printf '%s\n' "$$said" "FairPairs: pip could not make the environment (its reason is above): check the internet connection and \`pip config list\`, and run the same command again." >&2; \
		exit 1; }
	@touch $@

reproduce: environment ## reproduce the tables and figures, from the raw files to results/report.html
	@$(BIN)/python workflow/reproduce.py $(RUN) $(ARGS)

verify: environment ## compare a finished run with the committed one: to the byte, or by numbers
	@$(BIN)/python workflow/verify.py $(ARGS)

checksums: environment ## finish the run and commit its checksums, for `make verify`: expected/checksums.txt, tables.zip
	$(SNAKEMAKE) all $(ARGS)
	$(BIN)/python workflow/verify.py --keep
	cp results/figures/comparison.svg docs/comparison.svg
	$(BIN)/python docs/claims_markdown.py README.md docs/explanation/conclusions.md

crate: environment ## pack a finished run, without raw data and predictions, as an RO-Crate
	@$(BIN)/python workflow/crate.py $(ARGS)

demo: environment ## run the workflow on synthetic data, in demo/ (half a minute)
	@$(BIN)/python workflow/demo.py $(if $(CORES),--cores $(CORES)) $(ARGS)

calibration: environment ## measure what the tests promise (an hour) for docs/explanation/calibration.md
	$(BIN)/python -m benchmarks.levels $(ARGS)
	cp build/levels/worst.csv docs/explanation/calibration/
	cp build/levels/treatments.csv docs/explanation/comparing-treatments/levels.csv

register: environment ## measure level and power of other libraries' tests (half an hour) for docs/explanation/register.md
	$(BIN)/python -m benchmarks.register --out docs/explanation/register $(ARGS)

# one process has all tests of a file, so that their fixtures are made once; slow files come first
PARALLEL = -n $(or $(filter-out all,$(CORES)),auto) --dist loadfile --no-loadscope-reorder

# each process would compile all modules and rewrite all tests anew
test test-fast test-cluster: export PYTHONDONTWRITEBYTECODE =

test: environment ## run the tests, on all cores (eight minutes on two)
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

test-fast: environment ## run the tests that are not slow, after an edit (a minute or two)
	$(BIN)/python -m pytest $(PARALLEL) -m "not slow" $(ARGS)

test-cluster: environment ## run the workflow on a Slurm cluster that it starts here, and compare with a local run
	$(BIN)/python -m pytest tests/cluster -m cluster $(ARGS)

lint: environment ## check format, style, types and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile templates workflow
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakemake --lint

format: environment ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile templates workflow

docs: environment ## build the documentation as pages in build/docs, and check its links
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

benchmark: environment ## measure ratios against plain ways to the same, and what commands take
	$(BIN)/python benchmarks/run.py $(ARGS)

mutants: environment ## change the code in 300 places, one at a time, and see which changes no test notices
	$(BIN)/python benchmarks/mutants.py $(ARGS)

lock: environment ## pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile pyproject.toml --extra workflow --extra cluster --extra text --extra faces --extra crate --extra fairlearn --extra offline --extra dev \
		--universal --python-version 3.11 --upgrade --no-annotate --generate-hashes \
		--custom-compile-command "make lock" --quiet -o requirements.full
	@# torch has other contents for the CPU than for a GPU, and brings what a GPU needs: its version is that of pyproject.toml
	awk '/^[a-z]/ { kept = !/^(torch|triton|nvidia|cuda)[-=]/ } kept || /^#/' requirements.full > requirements.lock
	rm requirements.full

dist: environment ## build the package for PyPI, in dist, check it, and list the packages that it was tested with
	rm -rf dist
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python
	$(BIN)/uv tool run --quiet twine check --strict dist/*
	$(BIN)/uv tool run --quiet --from cyclonedx-bom cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml \
		--mc-type library --output-reproducible --output-file dist/fairpairs.cdx.json

clean: ## remove the data and the results; the environment stays
	rm -rf .snakemake logs demo build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find data results -mindepth 1 ! -name README.md -delete
