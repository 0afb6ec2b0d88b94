#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hosts.sh BUILD_DIR - eyotrun's options that say where processes run: those that must work, and bad ones that must be refused with a reason. On two hosts of machine.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../support/refuse.sh"
program=$1/examples/hello eyotrun=$1/bin/eyotrun
mpi() { timeout 30 "$eyotrun" --fabric mpi "$@"; }

# on WHERE OPTIONS...: three processes, one line each: how many ran on which host. mpiexec itself may lose a line of a program that ends at once, if the connection to
# a host closes before it has read it; it says so by an assertion of its own, and the job is repeated.
on() {
  where=$1
  shift
  for try in 1 2 3; do
    got=$(mpi -n 3 "$@" "$(command -v hostname)" 2>/run/said | sort | uniq -c | awk '{printf "%s%s:%s", sep, $2, $1; sep = ","}')
    cat /run/said >&2
    grep -q 'control_cb .*assert (!closed) failed' /run/said || break
    echo "try $try: mpiexec has lost a connection"
  done
  if [ "$got" = "$where" ]; then echo "$*: ok"; else echo "$*: processes on $got, expected $where"; bad=1; fi
}
printf '# two of them\nhost1:2\nhost2\n' >/run/two
printf 'host1\nhost2:x\n' >/run/wrong
: >/run/empty
on "host1:2,host2:1" --hosts host1,host2
on "host1:2,host2:1" --hosts host1:2,host2
on "host2:3" --hosts host2
on "host1:2,host2:1" --hosts host1,host2 --per-host 2
on "host1:2,host2:1" --hostfile /run/two
on "host1:2,host2:1" --hosts host1,host2 --launcher ssh --launcher-exec "$here/ssh" --iface eyot0
on "host1:2,host2:1" --hosts host1,host2 --mpiexec-args "-ppn 2"
runs "a program" "unit 2 of 3 .*greeted by unit 1" mpi -n 3 --hosts host1,host2 "$program"

# Progress processes: one more for each host that has units, and for each virtual node.
printf '  host1:2 # two\n\nhost2\n' >/run/spaced
printf 'host1 ifname=eth0\n' >/run/options
on "host1:3,host2:2" --hosts host1,host2 --progress 1
on "host1:3,host2:2" --hosts host1:2,host2 --progress 1
on "host1:4,host2:3" --hosts host1,host2 --per-host 2 --progress 2
on "host1:3,host2:2" --hosts host2:1,host1:5,host2:9 --progress 1 --launcher ssh
on "host1:4" --hosts host1:9,host2 --progress 1
on "host1:4,host2:2" --hosts host1:2,host2 --progress 1 --node-size 1
on "host1:3,host2:2" --hostfile /run/spaced --progress 1
on "host1:2,host2:1" --hosts host1:2,host2 --progress thread
runs "a program with progress processes" "unit 2 of 3 .*greeted by unit 1" mpi -n 3 --hosts host1,host2 --progress 1 "$program"
refused "options in a hostfile" "options after the name, which --progress cannot keep" mpi --hostfile /run/options --progress 1 "$program"
refused "progress and mpiexec-args" "nodes cannot be counted" mpi --hosts host1 --progress 1 --mpiexec-args "-ppn 2" "$program"

for list in "" , host1, ,host1 host1,,host2 "host1 host2" -oProxy=x; do
  refused "hosts '$list'" "hosts is (empty|'$list', where '.*' is no host; expected names separated by commas)" mpi --hosts="$list" "$program"
done
for count in 0 x -1 70000 ""; do refused "host1:$count" "where 'host1:$count' is no host.*for K processes" mpi --hosts "host1:$count" "$program"; done
refused "no hosts" "needs a value: --hosts" mpi --hosts
refused "hostfile" "hostfile is '/run/none': No such file.*expected a file with the name of a machine on each line" mpi --hostfile /run/none "$program"
refused "a folder" "hostfile is '/run': .*expected a file" mpi --hostfile /run "$program"
refused "no host in it" "which names no host" mpi --hostfile /run/empty "$program"
refused "a line" "/run/wrong:2: 'host2:x' is no host" mpi --hostfile /run/wrong "$program"
refused "both" "both say which machines to use" mpi --hosts host1 --hostfile /run/two "$program"
refused "per host" "per-host is '0'; expected a whole number from 1" mpi --hosts host1 --per-host 0 "$program"
refused "launcher" "unrecognized launcher: telnet" mpi --hosts host1,host2 --launcher telnet "$program"
refused "launcher-exec" "launcher-exec is 'nowhere', which is not found" mpi --hosts host1 --launcher-exec nowhere "$program"
refused "iface" "iface is 'eth7', which is no network interface of this machine; it has: lo eyot0" mpi --hosts host1 --iface eth7 "$program"
# Hydra waits for such hosts for ever: a name that nobody knows, and an address at which no host is.
refused "a host that is not there" "host 'host9' cannot be reached: (Could not resolve hostname host9|No route)" timeout 10 "$eyotrun" -n 2 --hosts host1,host9 "$program"
refused "a host that does not answer" "host '10.77.0.99' cannot be reached" timeout 10 "$eyotrun" -n 2 --hosts host1,10.77.0.99 "$program"
refused "sim" "for --fabric mpi, the simulator has machines of its own .--platform.: --hosts" "$eyotrun" --fabric sim --hosts host1 "$program"
exit $bad
