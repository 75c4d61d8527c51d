# shellcheck shell=bash
# knfsd in a network namespace of its own, `server` (10.0.0.1), with a link to another,
# `client` (10.0.0.2). To be sourced.
#
# knfsd's threads are the kernel's: nothing kills or freezes them. `rpc.nfsd 0` ends
# them, and closes their connections; what hangs knfsd is its mountd, which it asks
# about every client and export that it does not know yet.

readonly address=10.0.0.1 nfs_port=2049 mount_port=20048

on_server() { nsenter --net=/run/netns/server "$@"; }
on_client() { nsenter --net=/run/netns/client "$@"; }

make_link() {
  ip netns add server
  ip link add to_client netns server type veth peer name to_server netns client
  ip -n server addr add $address/24 dev to_client
  ip -n client addr add 10.0.0.2/24 dev to_server
  ip -n server link set lo up
  ip -n server link set to_client up
  ip -n client link set to_server up
}

# All that Debian's nfs-server.service does, and what it depends on.
start_server() {
  on_server rpcbind -w
  on_server mount -t nfsd nfsd /proc/fs/nfsd # the one of its network namespace
  on_server exportfs -r
  on_server rpc.nfsd -N 4 8
  start_mountd
}

# Mountd goes into the background before rpcbind knows it. A second one would take the
# first one's name there, and then end.
start_mountd() {
  if pidof rpc.mountd >/run/mountd; then return; fi
  on_server rpc.mountd -p $mount_port
  until on_server rpcinfo -t $address mountd 3 >/run/mountd 2>&1; do sleep 0.2; done
}

stop_nfsd() { on_server rpc.nfsd 0; }
start_nfsd() { on_server rpc.nfsd -N 4 8; }

# A crash and the start after it, as far as others notice: the link is gone before the
# connections are, so that the client hears of their end only when it sends again. (The
# client's end of the link goes with it, and with that its route.)
crash_server() {
  ip -n server link del to_client
  stop_nfsd
  kill -KILL $(pidof rpc.mountd rpcbind)
  umount /proc/fs/nfsd
  : >/var/lib/nfs/etab
  ip netns del server
}

boot_server() {
  make_link
  start_server
}

# The rules of a firewall in front of the server; `filter ''` takes them away.
filter() {
  on_server nft flush ruleset
  [ -z "$1" ] || on_server nft "table inet cut { chain input { type filter hook input priority 0; $1; }; }"
}
