# Each target sets up all it needs, in .venv.
PYTHON ?= python3
BIN := .venv/bin
# Tests start many processes: each would compile all modules again if the environment forbade to keep them compiled.
export PYTHONDONTWRITEBYTECODE :=
NATIVE := $(shell find native -type f)
SOURCES := pyproject.toml CMakeLists.txt $(NATIVE)
# All kernels in one file, without their bindings: checked in seconds, and Python's headers are not needed.
KERNELS := $(patsubst native/%,%,$(filter %.hpp,$(filter-out $(wildcard native/*/bind* native/*/*/bind*),$(NATIVE))))

.PHONY: setup demo test test-cluster test-all check docs wheel bench papers fuzz mutants clean

setup: .venv/.tools .venv/.docs ## everything that work on Shoal needs, in .venv
	@echo "Ready: make test, make check, make docs. Activate it with: . .venv/bin/activate"

demo: .venv/.installed ## anonymize 20,000 generated baskets; ends in demo/report.html
	@echo "Anonymizing generated baskets: about 10 seconds."
	@$(BIN)/shoal demo

test: .venv/.tools ## all tests, with doctests
	$(BIN)/pytest -n auto -rs

test-cluster: .venv/.tools ## tests that start a Dask scheduler and workers
	$(BIN)/pytest -m cluster tests

test-all: .venv/.tools ## the slow tests too, and forty times as many random examples
	SHOAL_TEST_PROFILE=fuzz $(BIN)/pytest -n auto -m ''

check: .venv/.tools ## lint and types, of Python and of C++, and which room imports from which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror $(NATIVE)
	@mkdir -p build && printf '#include "%s"\n' $(KERNELS) > build/all_kernels.cpp
	$(BIN)/clang-tidy --quiet build/all_kernels.cpp -- -std=c++17 -Inative

docs: .venv/.docs ## the documentation site, in build/site; fails at a broken link, a missing page or a wrong docstring
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "Open build/site/index.html"

wheel: .venv/.docs ## sdist and wheel in build/dist, installed in an empty environment and tried
	$(BIN)/python -m tools.try_wheel

bench: .venv/.tools ## time, peak memory and information loss, side by side; curves in bench-out/
	$(BIN)/python -m benchmarks

papers: .venv/.tools ## all experiments of the five papers, and their pages; goes on where it was interrupted
	$(BIN)/python -m benchmarks papers

fuzz: .venv/.fuzz ## random problems, broken files, sanitized kernels: MINUTES=5 SEED= JOBS= (default: all cores)
	$(BIN)/python -m fuzz --minutes $(or $(MINUTES),5) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

mutants: .venv/.tools ## deliberate faults in guards, one at a time, that the default tests must notice: ONLY= JOBS=2
	$(BIN)/python -m mutants $(ONLY) $(if $(JOBS),--jobs $(JOBS))

clean:
	rm -rf .venv build bench-out demo .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

# The packages of some extras, without Shoal itself: to install it again would compile its kernels again.
EXTRAS = $(BIN)/python -c "import sys, tomllib; \
	extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
	print(*(one for name in sys.argv[1:] for one in extras[name]), sep='\n')"
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check

.venv/.installed: $(SOURCES)
	@echo "Installing Shoal and its libraries into .venv (NumPy, Arrow, OR-Tools), and compiling its kernels: 1 to 2 minutes, once."
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) -e .
	touch $@

.venv/.tools: .venv/.installed
	@echo "Installing the tools of developers (tests, checks, charts): about a minute, once."
	@$(EXTRAS) test check plots dask sign web > .venv/tools.txt
	$(INSTALL) -r .venv/tools.txt
	touch $@

.venv/.docs: .venv/.installed
	@echo "Installing what builds the documentation: half a minute, once."
	@$(EXTRAS) docs > .venv/docs.txt
	$(INSTALL) -r .venv/docs.txt
	touch $@

# atheris has wheels for some versions of Python only; without it, files are mutated blindly.
.venv/.fuzz: .venv/.tools
	@$(EXTRAS) fuzz > .venv/fuzz.txt
	$(INSTALL) --only-binary atheris -r .venv/fuzz.txt || $(INSTALL) nanobind
	touch $@
