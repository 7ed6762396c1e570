#!/usr/bin/env bash
# Installs the systems that bench/compare measures beside Nacre, into .cache/peers of this tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-python3}
if ! "$python" -c 'import ensurepip' 2> /dev/null; then
  echo "setup.sh: $python cannot make virtual environments; apt-get install python3-venv, or set PYTHON" >&2
  exit 1
fi
"$python" -m venv .cache/peers
.cache/peers/bin/pip install --quiet --requirement bench/peers/requirements.txt
echo "peers are in .cache/peers"
