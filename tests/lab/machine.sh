# shellcheck shell=bash
# The lab's virtual machine, as seen from the host. To be sourced, in the project's root.
#
# The image is kept in ~/.cache/nfscat-lab, or in $LAB. Needs no root, and neither gives the machine
# a network nor changes the host.

lab=${LAB:-${XDG_CACHE_HOME:-$HOME/.cache}/nfscat-lab}

# need PROGRAM PACKAGE
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); }
need_programs() {
  need qemu-system-x86_64 qemu-system-x86
  need cpio cpio
  need apt-get apt
  need dpkg-deb dpkg
  [ ${#missing[@]} = 0 ] && return
  echo "$0: missing: ${missing[*]}; install with apt-get --no-install-recommends" >&2
  exit 1
}

# The program under test, in `nfscat`: $NFSCAT, or what the tree has.
find_nfscat() {
  nfscat=${NFSCAT:-}
  [ -z "$nfscat" ] || return 0
  bazel build -c opt //client/tools:nfscat
  nfscat=bazel-bin/client/tools/nfscat
}

scratch=$(mktemp -d)
machine=
devices=() # of the machine, beside those that all have; as QEMU's options

# add_disk BYTES BYTES_A_SECOND: an empty one, /dev/vda there, that is read no faster.
add_disk() {
  truncate -s "$1" "$scratch/disk"
  devices+=(-drive "file=$scratch/disk,format=raw,if=none,id=disk,throttling.bps-read=$2"
    -device "virtio-blk-pci,drive=disk")
}
clean_up() {
  [ -z "$machine" ] || kill "$machine" 2>/dev/null
  rm -rf "$scratch"
}
trap clean_up EXIT

# boot MEBIBYTES MAIN SETTING...: runs tests/lab/guest/MAIN in the machine, which can source the
# settings; what it says comes out, and its status. Without KVM the processor is emulated.
boot() {
  local memory=$1 main=$2 status='' line accelerator=tcg,thread=multi
  shift 2
  [ -w /dev/kvm ] && accelerator=kvm
  # The kernel takes archives one after the other: the image, and what is ours.
  mkdir -p "$scratch/root/lab"
  cp tests/lab/guest/init "$scratch/root/init"
  cp tests/lab/guest/server.sh "$scratch/root/lab/"
  cp "tests/lab/guest/$main" "$scratch/root/lab/main"
  cp "$nfscat" "$scratch/root/lab/nfscat"
  printf 'readonly %s\n' "$@" >"$scratch/root/lab/settings.sh"
  chmod -R u+w,a+rX "$scratch/root"
  chmod 755 "$scratch"/root/{init,lab/main,lab/nfscat}
  (cd "$scratch/root" && find . | cpio --quiet -o -H newc -R 0:0) | cat "$lab/root.cpio" - >"$scratch/initrd"
  mkfifo "$scratch/console"
  qemu-system-x86_64 -accel "$accelerator" -cpu max -smp 2 -m "$memory" \
    -nodefaults -no-user-config -no-reboot -display none -nic none -serial stdio \
    -device virtio-rng-pci "${devices[@]}" -kernel "$lab/vmlinuz" -initrd "$scratch/initrd" \
    -append "console=ttyS0 quiet loglevel=1 panic=-1 mitigations=off rdinit=/init" \
    </dev/null >"$scratch/console" &
  machine=$!
  trap clean_up EXIT # in a subshell as well
  while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
      "lab: exit status "*) status=${line##* } ;;
      *) [ -n "$status" ] || printf '%s\n' "$line" ;;
    esac
  done <"$scratch/console"
  wait "$machine" || true
  machine=
  return "${status:-1}"
}
