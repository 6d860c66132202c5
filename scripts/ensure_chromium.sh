#!/usr/bin/env bash
# Prints the path of a Chromium or Chrome for the browser tests; on Debian installs one if none is there.
set -euo pipefail

say() { printf '%s\n' "$*" >&2; }

find_browser() {
  local name
  if [ -n "${CHROMIUM:-}" ]; then
    command -v "$CHROMIUM" && return
    say "CHROMIUM=$CHROMIUM is not a program that can be run."
    exit 1
  fi
  for name in chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    command -v "$name" 2>/dev/null && return
  done
  # what `playwright install chromium` left behind on an earlier day
  find "${PLAYWRIGHT_BROWSERS_PATH:-$HOME/.cache/ms-playwright}" "$HOME/Library/Caches/ms-playwright" \
    -type f \( -name chrome -o -name Chromium \) -perm -u+x 2>/dev/null | sort | tail -n 1 | grep . && return
  return 1
}

install_debian() {
  [ -r /etc/os-release ] && grep -Eq '^ID=debian$' /etc/os-release || return 1
  command -v apt-get >/dev/null 2>&1 || return 1
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || return 1
    root=(sudo -n)
  fi
  say "No Chromium here: installing Debian's package chromium."
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get install -y --no-install-recommends chromium >&2 ||
    { "${root[@]}" apt-get update >&2 && "${root[@]}" apt-get install -y --no-install-recommends chromium >&2; }
}

find_browser && exit 0
if install_debian && find_browser; then exit 0; fi
say "
The browser tests need Chromium or Chrome and none was found. One of these helps:
  Debian, as root     apt-get install chromium
  Fedora              dnf install chromium
  any system          .venv/bin/playwright install chromium
  already installed   CHROMIUM=/path/to/chrome make test
"
exit 1
