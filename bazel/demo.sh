#!/bin/bash
# Installs what is missing, builds nfscat, and shows it: a server of our own on
# loopback, a file streamed off it without a mount, and what readahead is for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bazel/install.sh build
scratch=$(mktemp -d)
servers=()
cleanup() {
  kill "${servers[@]}" 2>/dev/null || true
  wait "${servers[@]}" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

echo "building nfscat and a small NFSv3 server..."
bazel build -c opt //client/tools:nfscat //tests/server:nfs3d 2>"$scratch/log" ||
  { cat "$scratch/log" >&2; exit 1; }
bin=$(bazel info -c opt bazel-bin 2>/dev/null)
nfscat=$bin/client/tools/nfscat

# serve ARGUMENT... - starts a server, and puts what to read from it into $url.
serve() {
  mkfifo "$scratch/first.${#servers[@]}"
  "$bin/tests/server/nfs3d" "$@" >"$scratch/first.${#servers[@]}" &
  local first=$scratch/first.${#servers[@]}
  servers+=($!)
  read -r _ _ url <"$first"
}

# file NAME - the URL of a file of the server started last.
file() { echo "${url%%\?*}/$1?${url#*\?}"; }

show() {
  printf '\n$ %s\n' "$1"
  shift
  "$@" 2>&1
}

# read_time ARGUMENT... - how long nfscat takes, as text.
read_time() {
  local begin=$EPOCHREALTIME
  "$nfscat" --no-progress "$@" >/dev/null
  awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.2f s", end - begin }'
}

mkdir "$scratch/export"
head -c 256M /dev/urandom >"$scratch/export/random"
echo "Streamed off an NFS server, with no mount." >"$scratch/export/hello"
serve --serve="$scratch/export"

show "nfscat $(file hello)" "$nfscat" "$(file hello)"
show "nfscat $(file random) | sha256sum     # 256 MiB in $(read_time "$(file random)")" \
  sh -c '"$0" --no-progress "$1" | sha256sum' "$nfscat" "$(file random)"
show "sha256sum export/random               # the file itself" \
  sh -c 'sha256sum <"$0"' "$scratch/export/random"
show "nfscat $(file missing)" "$nfscat" "$(file missing)" || echo "(exit status $?)"

echo
echo "The same server, but every answer takes 20 ms, as over a long path. 64 MiB take:"
serve --pattern=file:64M --rule='READ delay=20ms'
echo "  --readahead=0      $(read_time --readahead=0 "$(file file)")   one READ at a time"
echo "  --readahead=4M     $(read_time --readahead=4M "$(file file)")   four in flight"
echo "  --readahead=64M    $(read_time --readahead=64M "$(file file)")   all of them"
echo
echo "nfscat is at $nfscat"
echo "Against your own server:  nfscat nfs://server/export/file > copy"
