# Two commands do everything on a machine with Python >= 3.11, a Rust toolchain and make:
#   make demo     set up, then check the dining philosophers
#   make test     set up, then run the whole suite
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.built
RUST   := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml
# One more than there are cores: some tests wait for others to be interrupted.
JOBS   ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")

# Not the examples, which the linter compiles: for them, and for examples in the documentation, whole
# crates would be compiled once more.
CARGO_TEST := cargo test --profile testing --workspace --tests --quiet

# Compiled Python is kept, whatever is usual here: without it every start takes three times as long,
# and the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-build test-rust test-collect test-python bench soak loom tsan miri lint lint-rust lint-python format docs build clean

demo: build
	@echo '$$ plait check examples/philosophers.gal'
	@$(BIN)/plait check examples/philosophers.gal; status=$$?; [ $$status -le 1 ]
	@echo '$$ plait states examples/philosophers.gal'
	@$(BIN)/plait states examples/philosophers.gal

build: $(STAMP)

$(VENV)/.deps: pyproject.toml
	@echo 'setting up $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(PYTHON) -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	  print(*p['dependencies'], *p['optional-dependencies']['dev'], sep='\n')" > $(VENV)/requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/requirements.txt
	@touch $@

# What maturin and pip say is worth reading only when they fail.
$(STAMP): $(VENV)/.deps $(RUST) pyproject.toml
	@echo 'building the native core, which takes some minutes the first time'
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet > $(VENV)/build.log 2>&1 \
	  || { cat $(VENV)/build.log; exit 1; }
	@$(BIN)/python -m compileall -q python
	@touch $@

test: test-rust test-python

test-rust: test-build
	$(CARGO_TEST)

# Nicely: the wheel, which is linked on one core for minutes, must not wait for these.
test-build:
	nice $(CARGO_TEST) --no-run

# The workers of the tests below would each compile all of them at the same time.
test-collect: build
	@$(BIN)/python -m pytest --collect-only > $(VENV)/collected.txt || { tail -n 50 $(VENV)/collected.txt; exit 1; }

test-python: build
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

bench: build
	$(BIN)/python -m bench

soak: build loom
	PLAIT_SOAK=1 $(CARGO_TEST)
	$(BIN)/python -m pytest -n $(JOBS) -m soak

# What threads share without locks, in every order in which they can see each other's writes.
loom:
	cargo test --profile testing -p plait-loom --features loom --quiet loom_tests

# The same with real threads under ThreadSanitizer: `rustup component add rust-src --toolchain nightly`.
tsan:
	RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=target/tsan cargo +nightly test -Zbuild-std --quiet \
	  --target $$(rustc -vV | sed -n 's/^host: //p') -p plait-explicit --lib -- \
	  shared_tests staged_tests table together

# And in an interpreter that looks for races and undefined behaviour: `rustup component add miri
# --toolchain nightly`. It cannot call machine code, which the tests of compiled events are about.
miri:
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=2 CARGO_TARGET_DIR=target/miri \
	  cargo +nightly miri test --quiet -p plait-explicit --lib -- shared_tests

lint: lint-rust lint-python

# In the profile of the tests: macros and build scripts are compiled once for both.
lint-rust:
	cargo fmt --all --check
	nice cargo clippy --profile testing --workspace --all-targets --quiet -- -D warnings

# Needs the tools, not the wheel: the types of the native module are in `_core.pyi`.
lint-python: $(VENV)/.deps
	$(BIN)/ruff format --check python tests bench docs
	$(BIN)/ruff check python tests bench docs
	$(BIN)/mypy

format:
	cargo fmt --all
	$(BIN)/ruff format python tests bench docs
	$(BIN)/ruff check --fix python tests bench docs

docs: build
	$(BIN)/python docs/build.py

clean:
	rm -rf $(VENV) target
