#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [SUITE...|--list] - runs benchmark suites (all without arguments) on the build in
# $EYOT_BUILD_DIR (default: build). Each prints a Markdown table, writes
# $EYOT_BUILD_DIR/bench/SUITE.csv, and plots measurements over sizes, distances or units. Virtual
# and wall time are never in one row. No suite passes or fails by its figures. $BENCH_ROUNDS (5) is
# the number of rounds of jobs in each suite. docs/benchmarks.md describes the suites;
# suite_sizes.sh uses --on-hosts FUNCTION.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${EYOT_BUILD_DIR:-$here/../build}
[ "${1:-}" = --list ] || build=$(cd "$build" && pwd)
bin=$build/bench
rounds=${BENCH_ROUNDS:-5}
suites="put node shmem upc sizes distance coll coll-scale gups overlap atomics waiting shared start sync motifs messages ownership fusion cachemisses apps heat3d twins sim scale smpi fidelity noise routes calibrate check"

say() { echo "bench: $*" >&2; }

# word NAME: prints the word after NAME in the text on stdin, at its last occurrence.
word() { awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) v = $(i + 1) } END { print v }'; }

# measured COMMAND...: prints its output and the line of bench_measure; names the command if it fails.
measured() {
  "$bin/bench_measure" "$@" 2>"$bin/stderr" || {
    say "failed: $*"
    tail -n 20 "$bin/stderr" >&2
    return 1
  }
}

suite_put() {
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$bin/bench_put" | grep '^value'
  for way in put get; do
    echo "reference ${way}_8B_eyot time ${way}_8B_raw"
    echo "reference ${way}_8B_raw_again time ${way}_8B_raw"
    for mib in 1 2 4 8 16 32; do
      echo "reference ${way}_${mib}MiB_eyot time ${way}_${mib}MiB_raw"
      echo "reference ${way}_${mib}MiB_raw_again time ${way}_${mib}MiB_raw"
    done
  done
}

heat_run() { # UNITS VARIANT
  out=$(measured "$build/bin/eyotrun" --fabric sim --platform xc40 -n "$1" "$build/examples/heat3d" --variant "$2" --verify) || return 1
  echo "$out" | grep -q 'heat3d: verified' || { say "heat3d on $1 units did not verify"; return 1; }
  virtual=$(echo "$out" | awk '/virtual time/ { for (i = 1; i < NF; i++) if ($i == "time") print $(i + 1) }')
  echo "value ${1}_$2 run_virtual ms $virtual"
  echo "value ${1}_$2 whole_process_wall s $(echo "$out" | word wall_s)"
  echo "$out" | word peak_kb | awk -v name="${1}_$2" '{ print "value", name, "peak_memory", "MB", $1 / 1024 }'
}

suite_heat3d() {
  for n in 1024 4096; do
    for variant in blocking nonblocking; do heat_run $n $variant || return 1; done
    echo "reference ${n}_nonblocking run_virtual ${n}_blocking"
  done
}

for part in peer.sh coll_places.sh coll_sim.sh coll_modes.sh suite_sim.sh suite_scale.sh suite_node.sh suite_shmem.sh suite_upc.sh suite_sizes.sh suite_distance.sh suite_coll.sh suite_coll_scale.sh suite_gups.sh suite_motifs.sh suite_apps.sh suite_messages.sh suite_cachemisses.sh suite_sync.sh suite_check.sh suite_calibrate.sh suite_overlap.sh suite_atomics.sh suite_waiting.sh suite_start.sh suite_fidelity.sh suite_noise.sh suite_routes.sh suite_twins.sh suite_smpi.sh; do . "$here/$part"; done

# takes SUITE: about so many seconds, on two processors that do nothing else: once, and for each round.
takes() {
  case $1 in
    put) echo 4 0 ;;
    node) echo 8 8 ;;
    shmem) echo 2 3 ;;
    upc) echo 60 12 ;;
    sizes) echo 2 13 ;;
    distance) echo 3 0 ;;
    coll) echo 2 80 ;;
    coll-scale) echo 150 0 ;;
    gups) echo 55 2 ;;
    overlap) echo 50 26 ;;
    atomics) echo 2 21 ;;
    waiting) echo 2 9 ;;
    shared) echo 2 8 ;;
    start) echo 2 6 ;;
    sync) echo 60 14 ;;
    motifs) echo 100 6 ;;
    messages) echo 1 6 ;;
    ownership) echo 1 4 ;;
    fusion) echo 1 6 ;;
    cachemisses) echo 110 0 ;;
    apps) echo 50 9 ;;
    heat3d) echo 60 0 ;;
    twins) echo 2 20 ;;
    sim) echo 130 45 ;;
    smpi) echo 150 0 ;;
    calibrate) echo 2 25 ;;
    fidelity) echo 270 0 ;;
    noise) echo 15 38 ;;
    routes) echo 60 0 ;;
    scale) echo 190 0 ;;
    check) echo 100 25 ;;
  esac | awk -v rounds="$rounds" '{ print $1 + $2 * rounds }'
}

about() {
  case $1 in
    put) echo "blocking put and get of 8 bytes and of 1 to 32 MiB, two units on one node (mpi), wall time. raw: memcpy through MPI_Win_shared_query; raw_again: the same loop once more (A/A)" ;;
    node) echo "within a node (mpi), wall time, two units (barriers: also more units than processors). floor: the same by hand on an MPI shared window; again: the floor once more (A/A); mpi: MPI's own" ;;
    shmem) echo "OpenSHMEM within a node (mpi), wall time, two PEs. own: eyot's own call in the same process; own again: the same once more (A/A); Open MPI, Sandia: their OpenSHMEM, the same source, jobs in between" ;;
    upc) echo "UPC's library. n2, n4_oversubscribed, n8_oversubscribed: within a node (mpi), wall time, two, four and eight threads; floor: eyot's own calls in the same process, with the same promises; again: the same once more (A/A); openmpi: its OpenSHMEM, jobs in between. NAME@THREADS: virtual time on xc40 (sim), 2 threads on a node each. notify: ours beside an atomic to every thread (Lewis 2020, chapter IV)" ;;
    sizes) echo "put and get over the size of a message, wall time, two units: within a node, between virtual nodes of one machine, and between hosts that are namespaces of this machine. latency: remotely complete, one after the other; bandwidth: up to 64 in flight and a flush. MPI: MPI_Put, MPI_Get and MPI_Win_flush on a window of the same kind in the same job; again: the same once more (A/A); OpenSHMEM: jobs in between" ;;
    coll) echo "collectives over the size of a message, wall time, 2 units, 4 and 8 (few sizes), and virtual nodes. by hand: on a shared window, within a node; MPI in the same job; again: the same once more (A/A); OpenSHMEM: jobs in between, its interval that of quartiles. The size is that of a block in allgather and alltoall. Heat maps: the choice of algorithms beside each, by BENCH_MACHINE, a file of eyot-calibrate, if given" ;;
    coll-scale) echo "collectives over the number of simulated units, from a common start to the end of the last unit, virtual time, strict order; verified. bound: LogP over nodes, or bytes at NICs or memory; model: multi-object with the best radix; both from the platform's figures. alltoall_8B_wall: wall time of one call. Heat maps: the choice of algorithms beside each. BENCH_PLATFORM (xc40), up to BENCH_SCALE_MAX units (65536)" ;;
    distance) echo "blocking put and get from unit 0 to each other unit of the job, all others in a barrier: virtual time on a simulated xc40. virtual_xc40: 256 units, 24 a node; virtual_xc40_one_a_node: 512 nodes, one unit each. Distances at which a time does not change are one line" ;;
    gups) echo "RandomAccess: reading, writing and counting (by an atomic) of random words, step by step, over the number of units; verified. virtual: simulated xc40; eyot's xor atomics: examples/gups, HPCC's own. wall: one node, and two virtual nodes of half the units each. MPI in the same job; again: the same once more (A/A); OpenSHMEM: jobs in between" ;;
    sim) echo "operations a second in the simulator: dissemination barriers, then floods of 64 puts, atomics or gets in flight a unit, a lock that all want, and heat3d's exchange (BENCH_SIM_UNITS=\"1024 4096 16384\" for more units). rate_wall: a second of wall time; rate_cpu: a second of processor time, steadier on a busy machine; instructions: of an operation, by valgrind. bare: the same pattern and an event an operation; again: the same program once more (A/A); booked: --network booked, the price of sharing" ;;
    smpi) echo "the cost of simulating the same programs, 16 units a host of one platform file, wall and processor time and memory of the whole process; verified. eyot: fibers, --network shared; eyot_flows: --engine simgrid --network simgrid; smpi: SimGrid's simulation of MPI (3.32 in Debian 12). Published: LogGOPSim more than 1 million events a second on one processor, without running a program (Hoefler, Schneider, Lumsdaine 2010, abstract); xSim 134,217,728 processes on a cluster of 960 cores, 139,810 a core (its home page)" ;;
    motifs) echo "the motifs of foMPI (section 4): a distributed hash table, and a dynamic sparse data exchange with six random targets a unit; verified. CASE is machine, units, motif" ;;
    messages) echo "two-sided messages between two units, wall time: half a round trip by size, and the time of one of 64 outstanding (stream), within a node and between two virtual nodes; copy: 64 KiB to 4 MiB to the other process by one, by both, half each, and as a message. heap, private: buffers of eyot_alloc, of malloc. mpi: MPI_Send and MPI_Recv in the same job; mpi_again: the same once more (A/A); by_hand: a flag and a copy" ;;
    ownership) echo "messages that pass a buffer instead of its bytes, wall time, two units of a node: half a round trip in which the reader changes a word of each line; untouched: nobody does; loan: until it is returned (eyot_clone: cloned), or the answer to a message comes; layout: 8 bytes of each line, as they are, or packed there and unpacked back; alloc+free: of a buffer (eyot_part: of a part of eight), by a heap under a lock and by malloc. eyot_heap: the bytes as a message. mpi, mpi_again: as in messages" ;;
    fusion) echo "an exchange between two units of a node, wall time: each finds its atoms of 24 bytes by a list, and the other one wants them in a row. mpi, eyot_msg: packed messages; mpi_again: the same once more (A/A); eyot_own: packed into a buffer of a pool, which passes; flags: by hand, packed into the receiver's only buffer, for which the sender waits; eyot_exchange: one loop from place to place; fused_flags: that by hand. The programs with these ways are in apps (Friedley 2013, sections 5.1 and 5.2)" ;;
    cachemisses) echo "cache misses that callgrind counts, caches of 32 KiB and 256 KiB. PLACE_ORDER_DATA_MESSAGE: of the lines of a buffer, those that miss when it is read again after a ping-pong of another buffer (separate) or itself (common), two units on mpi; APP_UNITS_WAY: whole runs of 10 steps. mpi: MPI's own messages. Each process has simulated caches of its own, that nobody else changes" ;;
    apps) echo "programs with several ways of communication (examples/fft2d, minimd, lulesh_halo, after Friedley 2013; fft3d, milc, after Gerstenberger, Besta, Hoefler 2013; late is rma without overlap), whose steps take turns in one job; verified. mpi: MPI's own messages; mpi_again: the same once more (A/A); communication includes packing and unpacking. Cab: the same ways in virtual time on the machine of the source; mpi: two copies, msg: one. Then the gains that the source reports beside those here, wall and virtual time apart" ;;
    sync) echo "locks. xc40_1024_*: virtual time, 1,024 simulated units under full contention, empty critical section; acquisitions a second and Jain's index over the units. Others: wall time on mpi, two units on one node; an acquire and a release, or two exchanges; again: the same loop once more (A/A). Schmid, Besta, Hoefler 2016 report up to 81% (queue) and 73% (reader-writer) lower latency than MPI-3 RMA locks on a Cray XC30" ;;
    check) echo "eyotcheck, wall time on one core: complete runs a second, from eyot_check_begin to eyot_check_end, taking memory back included; exhaustive searches; the race detector's price in processor time of simulated runs" ;;
    overlap) echo "what of a transfer's time is left to the program, two units on mpi, wall time. availability: share of a transfer's time in which the origin computes, while the target sleeps; alone: no progress processes; engine: one a node; apart: virtual nodes of one unit. thread: a progress thread in each unit. private: of a buffer from malloc, by its unit (direct) or by a progress process. Blocks in which the transfer alone took another time before than after are left out. cell_wall: a step of a five-point stencil of CELLS x CELLS cells, for each cell of a unit. Seed 000 section 7.2 reports 71 to 76 % at 16 KiB" ;;
    atomics) echo "atomics, signals and locks in jobs of several virtual nodes with a progress process each (mpi), wall time. 2x2, 4x1: nodes x units. own_node, other_node: of whom unit 0 changes a word; mixed: all units change one word; mpi, owner: EYOT_ATOMICS; again: mpi once more (A/A)" ;;
    waiting) echo "one-sided operations to a target that waits inside eyot, wall time, two units: between virtual nodes of one machine, and between hosts that are namespaces of this machine. in_barrier, in_wait: in eyot_barrier or eyot_wait_until; floor: MPI, its target in MPI_Barrier or MPI_Recv; again: MPI once more (A/A)" ;;
    shared) echo "4 and 8 units of one node (mpi), wall time: of a step of all; of a lock: one acquisition, all want it. token_floor: a token passed round by futexes, one pass" ;;
    start) echo "start and end of whole jobs (mpi), wall time, 2, 4 and 8 units. nodes2: virtual nodes of two units; mpi: MPI_Init and MPI_Finalize and nothing else, started by eyotrun too; again: the same once more (A/A)" ;;
    calibrate) echo "programs on this machine, two units, each bound to a processor, and what the simulator predicts for them with the file of eyot-calibrate, which has not seen them: wall time beside virtual time. measured: median and quartiles; A/A: the same once more, after the calibration of the round; error: of each round, with the file of that round, median and quartiles; a row whose A/A differs by more than 10 % is not judged" ;;
    fidelity) echo "published figures beside virtual times: costs of calls on a Cray XE6 (foMPI, section 3); distance, 3D heat conduction, RandomAccess, allocation and availability on a Cray XC40 (Zhou; Zhou and Gracia); messages on LLNL Cab (Friedley). Deviations with their reasons; docs/fidelity.md" ;;
    noise) echo "what noise of the system adds to a step of 1 ms of work and a barrier or an allreduce, virtual time, over the number of units; rounds are seeds. A detour of 25 us each 100 ms of a unit; amplification: in units of the 250 ns that a unit alone loses; expected: 25 us x (1 - 0.99^units), if only the work is struck. PROFILE_UNITS: the named noises of eyot-info --noise, to a step with a barrier; amplification: in units of what the noise adds to a unit alone" ;;
    routes) echo "latency of a flushed put of 8 and of 1,024 bytes, virtual time, by the routing of a simulated xc40 of 1,024 units: idle, beside flows that share one link by fours (shift), and 16 at once from all units to random ones (flood)" ;;
    scale) echo "simulated runs (xc40) over the number of units, phase by phase: start, an allocation, a barrier, a ring of puts, a lock that each unit takes once, an allreduce, a split into blocks of 64; verified. All units share the globals; private: each has its own. heat3d: 8 cells a unit, 5 steps, up to 65536 units, start and end of the process included, memory at its peak. 4_of_...: start and end of a run of 4 units. Up to BENCH_SCALE_MAX units (65536)" ;;
    heat3d) echo "heat3d on a simulated xc40: 50 steps, 12x12x12 cells a unit, verified. whole_process_wall includes loading and verification" ;;
    twins) echo "heat3d on mpi, wall time of a step, 32x32x32 cells a unit, verified: communication by eyot, by MPI with one window (flat), and by MPI with shared windows within a node; eyot_again: the first once more (A/A). Cases are units, place, way; two_virtual_nodes: half of the units each. code_lines: of the three communication parts, without comments. Zhou and Gracia 2017 report 96 more lines for shared windows than for DART" ;;
  esac
}

# The table, and $bin/SUITE.csv.
print_table() {
  [ "$1" != calibrate ] || { awk -v csv="$bin/$1.csv" -f "$here/calibrate.awk" "$bin/$1.values"; return; }
  [ "$1" != fidelity ] || { awk -v csv="$bin/$1.csv" -f "$here/fidelity.awk" "$here"/fidelity/*.tsv "$bin/$1.values"; return; }
  awk -v suite="$1" -v csv="$bin/$1.csv" -f "$here/table.awk" "$bin/$1.values" >"$bin/$1.table"
  case $1 in
    sizes) awk -f "$here/sizes.awk" "$bin/$1.values" ;;
    coll) awk -v shmem=1 -f "$here/sizes.awk" "$bin/$1.values" ;;
    gups) awk -v over_what=units -f "$here/sizes.awk" "$bin/$1.values" ;;
    distance) awk -f "$here/steps.awk" "$bin/$1.values" ;;
    scale) awk -f "$here/scale.awk" "$bin/$1.values" ;;
    coll-scale) awk -f "$here/coll_scale.awk" "$bin/$1.values" ;;
    *) cat "$bin/$1.table" ;;
  esac
}

# Heat maps of the choice of algorithms: virtual times are exact, wall times are not.
print_heat() { # SUITE
  case $1 in coll) limit=1.15 ;; *) limit=1.1 ;; esac
  awk -v limit=$limit -v csv="$bin/$1_heat.csv" -f "$here/coll_heat.awk" "$bin/$1.values" || return 1
  printf '\n(%s)\n' "${bin#"$PWD"/}/$1_heat.csv"
  sh "$here/coll_heat_plot.sh" "$bin/$1_heat.csv" "$bin" "$1" $limit | sed "s|^$PWD/||; s/.*/(&)/"
}

run_suite() {
  say "suite $1, about $(takes "$1") s"
  if ! "suite_$(echo "$1" | tr - _)" >"$bin/$1.values"; then
    say "suite $1 stopped"
    return 1
  fi
  printf '\n## %s: %s\n\n' "$1" "$(about "$1")"
  print_table "$1" || return 1
  printf '\n(%s)\n' "${bin#"$PWD"/}/$1.csv"
  [ "$1" = fidelity ] || [ "$1" = calibrate ] || sh "$here/plot.sh" "$bin/$1.csv" "$bin" | sed "s|^$PWD/||; s/.*/(&)/"
  if [ "$1" = apps ]; then
    printf '\n### Gains: the source, and here\n\n'
    awk -v gains="$here/apps_gains.tsv" -f "$here/apps_gains.awk" "$here/apps_gains.tsv" "$bin/$1.values"
  fi
  if grep -q '^mode ' "$bin/$1.values"; then awk -f "$here/coll_modes.awk" "$bin/$1.values"; fi
  if grep -q '^place ' "$bin/$1.values"; then print_heat "$1" || return 1; fi
  if grep -q '^goal ' "$bin/$1.values"; then
    printf '\n### Round by round, and the goals\n\n'
    case $1 in
      shmem) awk -v peers="openmpi=Open MPI;sandia=Sandia" -v floor_name=own -v eyot_name=eyot-shmem -f "$here/node.awk" "$bin/$1.values" ;;
      upc) awk -v peers="openmpi=Open MPI" -v floor_name=own -v eyot_name=UPC -f "$here/node.awk" "$bin/$1.values" ;;
      *) awk -f "$here/node.awk" "$bin/$1.values" ;;
    esac
  fi
  if grep -q '^cost ' "$bin/$1.values"; then
    printf '\n### Cost table of foMPI (section 3.2): xe6, virtual time\n\n'
    awk -v csv="$bin/$1_cost.csv" -f "$here/cost.awk" "$bin/$1.values"
    printf '\n(%s)\n' "${bin#"$PWD"/}/$1_cost.csv"
  fi
}

# After the table of `check`: the planted faults that are found, after how many runs, and the size of the shrunk runs.
planted() {
  printf '\n### Planted faults (tests/mutants): found by run, of 10,000 random and 5,000 pct\n\n'
  sh "$here/../tests/mutants/check.sh" "$build"
}

case ${1:-} in
  --list)
    for suite in $suites; do printf '%-8s about %3d s   %s\n' "$suite" "$(takes "$suite")" "$(about "$suite" | sed 's/[:.;].*//')"; done
    exit 0 ;;
  --on-hosts)
    "$2"
    exit ;;
esac
[ $# -gt 0 ] || set -- $suites
total=0
for suite in "$@"; do
  case " $suites " in
    *" $suite "*) total=$((total + $(takes "$suite"))) ;;
    *) say "no suite '$suite'; there are: $suites"; exit 2 ;;
  esac
done
say "about $((total / 60 + 1)) min for: $*"
failed=0
for suite in "$@"; do
  begin=$(date +%s)
  run_suite "$suite" || failed=1
  [ "$suite" != check ] || planted || failed=1
  say "suite $suite took $(($(date +%s) - begin)) s"
done
exit $failed
