#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# machine.sh HOSTS COMMAND [ARGUMENTS...] - runs COMMAND on a login host that has HOSTS further hosts beside it, all of them on this machine; 0: the login host alone.
#
# A host is a set of namespaces: network, host name, IPC, processes, and mounts with a /dev/shm and /run of its own, so that nothing can be shared by accident. A veth pair joins each
# to the bridge of the login host, and /etc/hosts knows them all: login is 10.77.0.1, host1 is 10.77.0.11, host2 is 10.77.0.12, ... The login host is in namespaces of
# its own as well, below which the others live. Nothing of this has a name outside; two runs cannot meet. It all ends with the login host's first process, which the kernel kills
# when whoever waits for it dies, however that happens: there is nothing to clean up, not even after SIGKILL.
#
# COMMAND's PATH has an `ssh` (net/ssh) that reaches these hosts, and HOSTS says which there are, separated by commas.
# The exit code is COMMAND's, or 77, with a reason, where hosts cannot be made. Root is not needed where users may have namespaces.
set -u
subnet=10.77.0 state=/run/eyot-hosts
hosts_max=16

skip() {
  echo "machine.sh: skipped: $*"
  exit 77
}

# In the namespaces of the machine's user: makes those of the login host, waits, and takes them down when told to.
outside() {
  case ${1:-} in '' | *[!0-9]*) echo "usage: machine.sh HOSTS COMMAND [ARGUMENTS...]; HOSTS is a number from 0 to $hosts_max" >&2; exit 2 ;; esac
  if [ $# -lt 2 ] || [ "$1" -gt $hosts_max ]; then echo "machine.sh: expected a command, and at most $hosts_max hosts" >&2; exit 2; fi
  for tool in ip nsenter unshare setpriv mount hostname; do
    command -v $tool >/dev/null || skip "there is no '$tool'; Debian has it in iproute2, util-linux, mount or hostname"
  done
  own="--mount --net --uts --ipc --pid --fork --kill-child --mount-proc"
  [ "$(id -u)" -eq 0 ] || own="--user --map-root-user $own"
  # shellcheck disable=SC2086
  reason=$(unshare $own sh "$0" --probe 2>&1) || skip "namespaces are not permitted here: $reason"
  setpriv --pdeathsig KILL unshare $own sh "$0" --inside "$@" <&0 &
  login=$!
  trap 'kill -KILL $login 2>/dev/null; wait $login 2>/dev/null; exit 143' INT TERM HUP
  wait $login
}

# What hosts need, tried before anything is promised.
probe() {
  mount -t tmpfs eyot /run && mount -t tmpfs eyot /dev/shm && ip link set lo up && ip link add eyot0 type bridge && ip link add eyot1 type veth peer name eyot2
}

login_host() {
  mount -t tmpfs eyot /run && mount -t tmpfs eyot /dev/shm && mkdir -p $state && chmod 755 /run $state && chmod 1777 /dev/shm || exit 1
  hostname login || exit 1
  { echo "127.0.0.1 localhost"; echo "$subnet.1 login"; i=1; while [ $i -le $hosts_max ]; do echo "$subnet.$((10 + i)) host$i"; i=$((i + 1)); done; } >$state/hosts
  mount --bind $state/hosts /etc/hosts && ip link set lo up || exit 1
  ip link add eyot0 type bridge && ip addr add $subnet.1/24 dev eyot0 && ip link set eyot0 up || exit 1
}

# one_host K: namespaces that a sleeping process keeps, whose id is in $state/hostK.pid.
one_host() {
  unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc sleep infinity </dev/null >/dev/null 2>&1 &
  pid=$!
  echo $pid >$state/host$1.pid
  # The namespaces exist once the process that sleeps does, and that is seen by where it lies.
  tries=0
  while [ "$(readlink /proc/$pid/ns/pid_for_children)" = "$(readlink /proc/self/ns/pid)" ] || [ ! -e /proc/$pid/task/$pid/children ] || [ -z "$(cat /proc/$pid/task/$pid/children)" ]; do
    tries=$((tries + 1))
    [ $tries -lt 1000 ] || { echo "machine.sh: host$1 does not come up"; exit 1; }
    sleep 0.01
  done
  ip link add veth$1 type veth peer name eth0 netns $pid && ip link set veth$1 master eyot0 up || exit 1
  sh "$here/ssh" host$1 "mount -t tmpfs eyot /dev/shm && chmod 1777 /dev/shm && hostname host$1 && ip link set lo up && ip addr add $subnet.$((10 + $1))/24 dev eth0 && ip link set eth0 up" || exit 1
}

inside() {
  n=$1
  shift
  login_host
  HOSTS=
  i=1
  while [ $i -le "$n" ]; do
    one_host $i
    HOSTS=$HOSTS${HOSTS:+,}host$i
    i=$((i + 1))
  done
  mkdir $state/bin && ln -s "$here/ssh" $state/bin/ssh
  PATH=$state/bin:$PATH
  export HOSTS PATH
  "$@" # not exec: the first process must outlive it, and its end takes everything along
}

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
  --probe) probe ;;
  --inside) shift; inside "$@" ;;
  *) outside "$@" ;;
esac
