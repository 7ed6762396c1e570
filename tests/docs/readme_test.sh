#!/usr/bin/env bash
# The README's example is samples/first_steps.cc, and what it shows is what that program prints.
# Usage: readme_test.sh README SOURCE PROGRAM
set -euo pipefail
readme=$1 source=$2 program=$3

contains() {  # the lines of a file, as one block, somewhere in the README
  python3 - "$readme" "$1" <<'PY'
import sys
readme, block = (open(p).read() for p in sys.argv[1:])
sys.exit(0 if block.strip() in readme else 1)
PY
}

contains "$source" || { echo "README.md does not show $source as it is"; exit 1; }
"$program" >"$TEST_TMPDIR/output"
contains "$TEST_TMPDIR/output" || { echo "README.md does not show what $program prints:"; cat "$TEST_TMPDIR/output"; exit 1; }
