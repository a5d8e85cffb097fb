# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after variables.sh: what a report says of how it was made.

# Prints the command that makes target $1 again: the variables that are not at their defaults.
command_of() {
  local name default _
  printf 'make %s' "$1"
  while IFS='|' read -r name default _; do
    case $name in INSTALL | BUILD) continue ;; esac
    [ "${!name}" = "$default" ] || printf ' %s=%q' "$name" "${!name}"
  done <<<"$(variable_rows)"
  echo
}

# Prints the commit of the sources, and whether they, reports aside, have changed since.
commit_of_sources() {
  local commit
  commit=$(git rev-parse --short HEAD 2>/dev/null) || { echo unknown; return; }
  [ -z "$(git status --porcelain --untracked-files=no -- . ":!reports" 2>/dev/null)" ] || commit+=", with changes"
  echo "$commit"
}

# Prints the first version number that each of the given tools says.
versions_of() {
  local tool text=""
  for tool in "$@"; do
    text+=", $(basename "$tool") $("$tool" --version | grep -om1 '[0-9][0-9.]*[0-9]' | head -n 1)"
  done
  echo "${text#, }"
}
