#!/usr/bin/env bash
# Runs lint.py on the working tree: from `bazel run` or directly.
set -euo pipefail
cd "${BUILD_WORKSPACE_DIRECTORY:-$(dirname "${BASH_SOURCE[0]}")/../..}"
exec python3 tools/lint/lint.py "$@"
