#!/bin/bash
# Installs what is missing, builds everything and runs every test.
#
#   bazel/test.sh                           all tests
#   bazel/test.sh --config=asan             all tests, other options
#   bazel/test.sh //tests/xdr/...           some tests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Whether one of the arguments is a target, not an option.
names_targets() {
  local argument
  for argument in "$@"; do
    case $argument in -*) ;; *) return 0 ;; esac
  done
  return 1
}

bazel/install.sh test
names_targets "$@" || set -- "$@" //...
exec bazel test "$@"
