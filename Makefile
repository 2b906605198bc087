# On a fresh machine with Python 3.11, pip and make: `make run` and `make test` do all the rest.

NETWORK ?= assets/city.wayfront
OUTPUT ?= out
SEED ?= 1
SOAK ?=
MUTANTS ?=

# Some machines tell Python to keep no bytecode: each of the many processes of tests and checks would compile all that it
# imports again, which takes 5 s where it is the engine.
unexport PYTHONDONTWRITEBYTECODE

# A process more than there are cores: tests wait for timers, windows and disks a quarter of their time.
TESTS = -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadfile --no-loadscope-reorder --durations 25 --durations-min 3

.PHONY: help run test test-without-cuda lint format benchmark docs types notebooks structure platforms page wheel app qgis setup soak mutants kernel-mutants sanitize clean

help:
	@echo "make run        set up, then open the window on the bundled city (or write its pictures to $(OUTPUT)/)"
	@echo "make test       set up, then run the tests"
	@echo "make test-without-cuda  the tests as on macOS, where numba-cuda cannot be installed"
	@echo "make lint       set up, then check format, style, types and layers"
	@echo "make format     put the code into its format"
	@echo "make benchmark  measure searches, map and opening on NETWORK=$(NETWORK)"
	@echo "make types      check that the library's types are complete, as its users' type checkers see them"
	@echo "make notebooks  run the notebooks of docs/notebooks and store what they show"
	@echo "make docs       build the documentation as a site in out/docs"
	@echo "make page       build what pages (wayfront render -o search.html) bring to browsers; needs Node.js"
	@echo "make wheel      build the wheels and try them in a bare environment, without Qt and with it"
	@echo "make app        freeze the program for Linux, in a folder that needs no Python, and try that (minutes)"
	@echo "make qgis       pack the add-on for QGIS as out/wayfront-qgis.zip"
	@echo "make platforms  check that the packages can be installed on every platform"
	@echo "make soak       attack the program for about an hour: files, searches, interrupts, kills (SEED=, SOAK='--files 5000')"
	@echo "make mutants    change the code that reads files in thousands of places, and count what no test notices"
	@echo "make kernel-mutants   the same with chosen changes of kernels, most of them in what only cards run"
	@echo "make sanitize   run every kernel under CUDA's compute-sanitizer (needs a card)"
	@echo "make structure  draw which folder imports which (needs Graphviz)"

run:
	@tools/setup.sh run
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		.venv/bin/wayfront; \
	else \
		echo "There is no display here, so the first search goes into files."; \
		.venv/bin/wayfront first-light --output "$(OUTPUT)"; \
	fi

setup:
	@tools/setup.sh test

test: setup
	@QT_QPA_PLATFORM="$${QT_QPA_PLATFORM:-offscreen}" .venv/bin/python $(TESTS)

test-without-cuda:
	@tools/setup.sh without-cuda
	@QT_QPA_PLATFORM="$${QT_QPA_PLATFORM:-offscreen}" .venv-without-cuda/bin/python $(TESTS)

lint: setup
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/lint-imports
	@tools/page.sh lint

format: setup
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

benchmark: setup
	.venv/bin/wayfront benchmark search "$(NETWORK)"
	.venv/bin/python tools/benchmark_canvas.py "$(NETWORK)"
	.venv/bin/python tools/benchmark_open.py "$(NETWORK)"

docs:
	@tools/setup.sh docs
	@tools/page.sh quietly
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet
	@echo "docs: out/docs/index.html"

types: setup
	@.venv/bin/python tools/public_types.py

notebooks: setup
	@QT_QPA_PLATFORM=offscreen .venv/bin/python tools/notebooks.py

platforms:
	@tools/check-platforms.sh

page:
	@tools/page.sh

wheel:
	@tools/page.sh quietly
	@tools/check-wheel.sh

app: setup
	@tools/make-app.sh

qgis:
	@PYTHONPATH=engine python3 tools/qgis_addon.py

structure: setup
	.venv/bin/python tools/structure.py --output docs/images/structure-after.svg

soak: setup
	@PYTHONPATH=tools:tests/support .venv/bin/python -m soak --seed "$(SEED)" --json out/soak/table.json $(SOAK)

mutants:
	@tools/setup.sh mutants
	@.venv-mutants/bin/python tools/mutants.py $(MUTANTS)

kernel-mutants: setup
	@PYTHONPATH=engine:gui .venv/bin/python tools/kernel_mutants.py $(MUTANTS)

sanitize: setup
	@.venv/bin/python tools/sanitize.py

clean:
	rm -rf .venv .venv-app .venv-docs .venv-mutants .venv-without-cuda .tools out dist web/node_modules gui/wayfront_gui/assets .mypy_cache .ruff_cache .pytest_cache .hypothesis
