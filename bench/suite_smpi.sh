# SPDX-License-Identifier: BSD-3-Clause
# suite_smpi.sh - the suite `smpi` of run.sh: what it costs to simulate the same programs with eyot
# and with SMPI, SimGrid's own simulation of MPI (smpicc, smpirun): barriers, a flood of small
# messages, heat3d; on one platform file, 16 units a host, in turns. Both verify what they compute.
# Nothing is said of which virtual time is right: the two model different networks' software.
#
# eyot: fibers, --network shared. eyot_flows: --engine simgrid --network simgrid, where long messages
# are flows of SimGrid's solver as SMPI's are. $BENCH_UNITS (1024) is the largest number of units;
# with 4096, SMPI's part takes many minutes. A run that takes longer than $BENCH_LIMIT (900) seconds
# is ended, and has a row that says so, with the memory that it had by then.

smpi_host_units=16 smpi_limit=${BENCH_LIMIT:-900}

# smpi_files UNITS: the platform and the list of hosts, one line a rank.
smpi_files() {
  smpi_hosts=$(($1 / smpi_host_units))
  cat >"$bin/smpi_$1.xml" <<EOF
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-$((smpi_hosts - 1))" speed="1Gf" core="$smpi_host_units" bw="10GBps" lat="500ns"/>
</platform>
EOF
  awk -v n="$1" -v k="$smpi_host_units" 'BEGIN { for (i = 0; i < n; i++) print "n" int(i / k) }' >"$bin/smpi_$1.hosts"
}

smpi_build() {
  heat=$here/../examples/heat3d
  smpicc -O2 -std=gnu17 -o "$bin/smpi_work" "$here/smpi_work.c" &&
    smpicc -O2 -std=gnu17 -I"$here/../include" -o "$bin/smpi_heat" "$here/smpi_heat.c" "$here/smpi_eyot.c" "$heat/heat3d.c" \
      "$heat/heat_grid.c" "$heat/heat_faces.c" "$heat/heat_kernel.c" "$heat/heat_verify.c" "$heat/heat_image.c" -lm
}

# smpi_values NAME OUTPUT: the lines of a run that has verified itself.
smpi_values() {
  echo "$2" | grep -q verified || { say "$1 did not verify: $2"; return 1; }
  echo "$2" | awk -v name="$1" '/^wall_s/ {
    print "value", name, "run_wall", "s", $2
    print "value", name, "run_cpu", "s", $4
    print "value", name, "peak_memory", "MB", $6 / 1024 }'
}

# smpi_run NAME COMMAND...
smpi_run() {
  name=$1
  shift
  if out=$(measured timeout -k 5 "$smpi_limit" "$@"); then
    smpi_values "$name" "$out"
  elif echo "$out" | grep -q '^wall_s.* exit 124$'; then
    say "$name was ended after $smpi_limit s"
    echo "$out" | awk -v name="$name" -v limit="$smpi_limit" '/^wall_s/ {
      print "value", name, "not_over_after", "s", limit
      print "value", name, "memory_by_then", "MB", $6 / 1024 }'
  else
    return 1
  fi
}

# smpi_round UNITS COUNT_OF_BARRIERS MESSAGES WITH_HEAT
smpi_round() {
  smpi="smpirun --log=root.thresh:warning --cfg=smpi/coll-selector:mpich --cfg=smpi/simulate-computation:no -hostfile $bin/smpi_$1.hosts -platform $bin/smpi_$1.xml -np $1"
  eyot="$build/bin/eyotrun --fabric sim --platform $bin/smpi_$1.xml --units-per-node $smpi_host_units -n $1"
  flows="$eyot --engine simgrid --network simgrid"
  for program in "barrier barrier $2" "flood flood $3" ${4:+"heat3d --block 4 --steps 5"}; do
    case=${1}_${program%% *} arguments=${program#* } ours=$bin/bench_messages theirs=$bin/smpi_work
    case $program in heat3d*) ours=$build/examples/heat3d theirs=$bin/smpi_heat ;; esac
    # The options and arguments are words.
    smpi_run "${case}_eyot" $eyot "$ours" $arguments || return 1
    smpi_run "${case}_eyot_flows" $flows "$ours" $arguments || return 1
    smpi_run "${case}_smpi" $smpi "$theirs" $arguments || return 1
    for metric in run_wall run_cpu peak_memory; do
      echo "reference ${case}_eyot $metric ${case}_smpi"
      echo "reference ${case}_eyot_flows $metric ${case}_smpi"
    done
  done
}

suite_smpi() {
  command -v smpicc >/dev/null && command -v smpirun >/dev/null || { say "smpi: smpicc and smpirun are not installed (Debian: libsimgrid-dev)"; return 1; }
  smpi_build || return 1
  for units in 256 1024 4096; do
    [ "$units" -le "${BENCH_UNITS:-1024}" ] || break
    smpi_files $units
    smpi_round $units 2 8 heat || return 1
  done
}
