#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# supervised.sh BUILD_DIR - eyotrun supervises processes of other hosts: exit codes, what it prints, what is left. On two hosts of machine.sh, of which neither is eyotrun's;
# their processes are no descendants of eyotrun (away), which therefore cannot kill them itself.
set -u
here=$(cd "$(dirname "$0")" && pwd)
eyotrun=$1/bin/eyotrun program=$1/tests/bin/run_end mutual="$1/tests/bin/bad_end mutual" bad=0

sh "$here/away" --serve &
until [ -p /run/away.requests ]; do # else a request would make a file of that name
  kill -0 $! || exit 1
  sleep 0.01
done

# Whether a process of a run is left on any host; they have some time to end.
left() {
  tries=0
  while pids=$(grep -lzsE '/(run_end|bad_end)$' /proc/[0-9]*/cmdline); [ -n "$pids" ] && [ $tries -lt 30 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  [ -z "$pids" ] || { echo "$1: processes are left: $(cat $pids | tr '\0' ' ')"; bad=1; return 1; }
}

# ends NAME CODE REGEX ARGUMENTS...: the exit code, and what eyotrun prints.
ends() {
  name=$1 want=$2 regex=$3
  shift 3
  output=$(timeout -k 5 20 "$eyotrun" --fabric mpi "$@" 2>&1 </dev/null)
  code=$?
  left "$name"
  if [ $code -eq "$want" ] && printf '%s\n' "$output" | tr '\n' ' ' | grep -Eq -- "$regex"; then
    echo "$name: ok"
  else
    echo "$name: exit code $code, expected $want and '$regex', got: $output"
    bad=1
  fi
}
on="-n 2 --hosts host1,host2 --launcher-exec $here/away"
lost="eyotrun: unit 1 .process [0-9]+ on host2. ended"
early="eyotrun: the process of rank 1 .process [0-9]+ on host2., before eyot_init, ended"
# shellcheck disable=SC2086
{
  ends "a unit leaves by a system call" 120 "$lost with code 0 without eyot_finalize; the run ends" $on "$program" raw 10
  ends "a unit is killed" 137 "$lost by signal 9 .Killed. without eyot_finalize" $on "$program" kill
  ends "exit_all with 0" 0 "found by unit 1" $on "$program" exit_all 0
  ends "exit_all with 5" 5 "found by unit 1" $on "$program" exit_all 5
  ends "a program's own 119" 119 "all finalized" $on "$program" code 119
  ends "a unit leaves before eyot_init" 3 "$early with code 3; 1 process waits in eyot_init for it" $on "$program" early leave
  ends "a unit returns before eyot_init" 120 "$early with code 0; 1 process waits in eyot_init for it" $on "$program" early return
  ends "no eyot_init, 0" 0 "^ $" $on "$program" never 0
  ends "no eyot_init, 7" 7 "^" $on "$program" never 7
  ends "units that are scripts" 0 "^all finalized" $on sh -c "$program work 10 && sleep 0.1"
  word="waits for its word at offset 0 of the memory .8 bytes, eyot_team_alloc at bad_end.c:[0-9]+ .mutual.. to be >= 5; it is 0; for [0-9.]+ s; called at bad_end.c"
  ends "a deadlock" 3 "deadlock: every unit.* unit 0 .process [0-9]+ on host1.: in eyot_wait_until, phase trading: $word.* unit 1 .process [0-9]+ on host2.: in eyot_wait_until, phase trading: $word" \
    $on --watchdog 0.5 $mutual
  ends "a stopped unit" 121 "unit 1 .process [0-9]+ on host2. is stopped .SIGSTOP. for 0.3 s" $on --heartbeat 0.3 "$program" stop
}

# Both processes of eyotrun are killed.
# shellcheck disable=SC2086
"$eyotrun" --fabric mpi $on "$program" hang >/run/killed 2>&1 </dev/null &
sleep 1
kill -KILL $(cat /proc/$!/task/$!/children) $!
wait $!
left "eyotrun is killed" && echo "eyotrun is killed: ok"

# The network to a host is cut while the run goes on.
# shellcheck disable=SC2086
timeout -k 5 20 "$eyotrun" --fabric mpi $on --heartbeat 0.5 "$program" hang >/run/cut 2>&1 </dev/null &
sleep 1
ip link set veth2 down
wait $!
code=$?
ip link set veth2 up
if [ $code -eq 121 ] && grep -q "on host2).* does not answer: its host is stopped or cut off for 0.5 s" /run/cut; then
  echo "a host that is cut off: ok"
else
  echo "a host that is cut off: exit code $code, expected 121; $(cat /run/cut)"
  bad=1
fi

# Hosts that cannot connect to eyotrun's: the agents have the launcher only.
printf '#!/bin/sh\nEYOTI_RUN_AT="1 10.77.0.1" exec mpiexec.mpich "$@"\n' >/run/mpich && chmod +x /run/mpich || exit 1
EYOT_MPIEXEC=/run/mpich
export EYOT_MPIEXEC
agent="eyotrun: unit 1 .process [0-9]+. on host2 ended"
# shellcheck disable=SC2086
{
  ends "alone: a system call" 120 "host host2 cannot reach eyotrun at port and addresses '1 10.77.0.1'.*$agent with code 0 without eyot_finalize; the run ends" $on "$program" raw 10
  ends "alone: killed" 137 "$agent by signal 9 .Killed." $on "$program" kill
  ends "alone: exit_all with 0" 0 "found by unit 1" $on "$program" exit_all 0
}
unset EYOT_MPIEXEC

# A host that has no eyotrun: said once for its two processes.
ssh host2 "mount -t tmpfs none $1/bin"
output=$(timeout 20 "$eyotrun" --fabric mpi -n 3 --hosts host1,host2:2 --launcher-exec "$here/away" "$program" work 10 2>&1 </dev/null)
code=$?
if [ $code -eq 0 ] && [ "$(printf '%s\n' "$output" | grep -c "host host2 has no $eyotrun: processes of this host are watched over by the launcher alone")" -eq 1 ]; then
  echo "a host without eyotrun: ok"
else
  echo "a host without eyotrun: exit code $code, expected 0 and one warning, got: $output"
  bad=1
fi
exit $bad
