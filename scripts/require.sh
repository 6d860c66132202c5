#!/usr/bin/env bash
# Finds what `make` needs and says plainly what is missing.
#   require.sh python   prints the command of a Python >= 3.11 that can make environments
#   require.sh node     checks Node >= 20 and npm
set -euo pipefail

fail() { printf '\n%s\n\n' "$*" >&2; exit 1; }

python() {
  local candidate seen=""
  for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    seen="$seen  $candidate: $("$candidate" --version 2>&1)"$'\n'
    "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
    if ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      fail "$candidate is new enough but cannot make a virtual environment (module ensurepip or venv missing).
On Debian and Ubuntu: apt-get install python3-venv"
    fi
    printf '%s\n' "$candidate"
    return
  done
  fail "Python 3.11 or newer is needed and was not found.
${seen:+Found instead:
$seen}Install it, or name it:  make PYTHON=/path/to/python3.12 install"
}

node() {
  command -v node >/dev/null 2>&1 || fail "Node 20 or newer is needed and was not found (command node).
Install Node with npm, then run make again."
  local version
  version="$(command node --version)"
  if [ "$(printf '%s' "${version#v}" | cut -d. -f1)" -lt 20 ]; then
    fail "Node 20 or newer is needed; $(command -v node) is $version."
  fi
  command -v npm >/dev/null 2>&1 || fail "npm is needed beside Node and was not found.
On Debian and Ubuntu: apt-get install npm"
}

case "${1:-}" in
  python) python ;;
  node) node ;;
  *) fail "usage: require.sh python|node" ;;
esac
