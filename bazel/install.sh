#!/bin/bash
# Installs from Debian 12 what this project needs and the machine does not have.
#
#   bazel/install.sh build      tool chain and libraries: enough for nfscat
#   bazel/install.sh test       also what the tests are made with and talk to
#   bazel/install.sh benchmark  what the comparison with other clients needs
#   bazel/install.sh clang      also the second compiler and the formatter
#
# Says nothing and needs no network when nothing is missing.
set -euo pipefail

build=(
  bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto
  g++ libabsl-dev liburing-dev
)
test=(
  "${build[@]}"
  libbenchmark-dev libgmock-dev libgtest-dev libnfs-utils libssl-dev libtirpc-dev
  netbase nfs-ganesha nfs-ganesha-vfs nftables rpcbind rpcsvc-proto
)
benchmark=("${test[@]}")
clang=("${test[@]}" clang-19 clang-format-19 clang-tidy-19)

policy=/usr/sbin/policy-rc.d

die() {
  echo "install.sh: $*" >&2
  exit 1
}

# Prints those of the packages named that are not installed.
missing_of() {
  local installed
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)
  printf '%s\n' "$@" | grep -vxF "$installed" || true
}

become_root() {
  [ "$(id -u)" = 0 ] && return
  command -v sudo >/dev/null || die "missing: $* - run this once as root"
  exec sudo "$BASH" "${BASH_SOURCE[0]}" "$profile"
}

# Runs apt-get with its chatter kept for the case that it fails.
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >"$log" 2>&1 || { tail -n 40 "$log" >&2; die "apt-get $1 failed"; }
}

forbid_service_starts() {
  [ -e "$policy" ] && return
  printf '#!/bin/sh\n# Made by install.sh for as long as it runs: no daemon is started.\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  made_policy=$policy
}

# Servers come with the test packages, but only the tests start them: neither the
# installation nor the machine's next start may. Those that were here before stay.
keep_services_off() {
  local package
  command -v systemctl >/dev/null || return 0
  for package in "$@"; do
    case $package in
      nfs-ganesha) systemctl --quiet disable nfs-ganesha.service nfs-ganesha-lock.service ;;
      rpcbind) systemctl --quiet disable rpcbind.service rpcbind.socket ;;
    esac
  done
}

install() {
  echo "install.sh: installing $*"
  log=$(mktemp)
  made_policy=
  trap 'rm -f "$log" $made_policy' EXIT
  forbid_service_starts
  apt update
  apt install -y --no-install-recommends "$@"
  keep_services_off "$@"
  echo "install.sh: done in $SECONDS s"
}

# Ganesha looks there for file systems. Every installed Debian has it, a bare base not.
ensure_mtab() {
  [ -e /etc/mtab ] && return
  become_root /etc/mtab
  ln -s ../proc/self/mounts /etc/mtab
}

profile=${1:-}
case $profile in
  build | test | benchmark | clang) ;;
  *) die "usage: bazel/install.sh build|test|benchmark|clang" ;;
esac
command -v dpkg-query >/dev/null || die "this is not Debian; see the package names in this file"
declare -n packages=$profile
mapfile -t missing < <(missing_of "${packages[@]}")
if [ ${#missing[@]} != 0 ]; then
  become_root "${missing[@]}"
  install "${missing[@]}"
fi
[ "$profile" = build ] || ensure_mtab
