#!/usr/bin/env bash
# Runs one lit file: lit.sh FILE TOOL...; each TOOL's folder goes on the PATH of the RUN lines.
set -euo pipefail
file=$1 && shift
path=/usr/lib/llvm-22/bin:/usr/bin:/bin
for tool in "$@"; do path=$PWD/$(dirname "$tool"):$path; done
suite=$TEST_TMPDIR/suite
mkdir -p "$suite"
cp -L tools/build/lit.cfg.py "$suite/"
cp -L "$file" "$suite/"
NACRE_LIT_PATH=$path exec /usr/lib/llvm-22/bin/lit -v "$suite/$(basename "$file")"
