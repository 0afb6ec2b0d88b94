#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tables.sh SOURCE_DIR - the tables of ./dev bench: from lines as the benchmarks print them to medians, ratios round by round, quartiles, and what is said to be reached.
set -u
bench=$1/bench work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# has FILE TEXT: a line of the file is TEXT.
has() {
  grep -qxF -- "$2" "$1" && return 0
  echo "tables.sh: expected the line: $2"
  cat "$1"
  bad=1
}

# Three rounds: the medians of eyot and MPI are from different rounds, so a ratio of medians would be 4/3.
cat >"$work/values" <<'END'
value eyot@8 put_latency us 2
value mpi@8 put_latency us 1
value mpi_again@8 put_latency us 1
value eyot@8 put_latency us 4
value mpi@8 put_latency us 4
value mpi_again@8 put_latency us 4
value eyot@8 put_latency us 6
value mpi@8 put_latency us 3
value mpi_again@8 put_latency us 6
value shmem@8 put_latency us 9
value eyot@2048 put_latency us 5
value mpi@2048 put_latency us 5
END
awk -f "$bench/sizes.awk" "$work/values" >"$work/sizes"
has "$work/sizes" "### put latency, us (less is better)"
has "$work/sizes" "| size | eyot | MPI | MPI again | OpenSHMEM | eyot / MPI | MPI again / MPI (A/A) | OpenSHMEM / MPI |"
has "$work/sizes" "| 8 B | 4 | 3 | 4 | 9 | 2 (1 to 2) | 1 (1 to 1) | 3 |"
has "$work/sizes" "| 2 KiB | 5 | 5 |  |  | 1 (1 to 1) |  |  |"

# Units behind the @, of which more is better; levels of distances.
printf 'value mpi@4 rate_wall GUP/s 2\nvalue eyot@4 rate_wall GUP/s 3\nvalue eyot_xor@2048 rate_wall GUP/s 5\n' | awk -v over_what=units -f "$bench/sizes.awk" >"$work/units"
has "$work/units" "### rate wall, GUP/s (more is better)"
has "$work/units" "| units | eyot | eyot's xor atomics in flight | MPI | eyot / MPI |"
has "$work/units" "| 4 | 3 |  | 2 | 1.5 (1.5 to 1.5) |"
has "$work/units" "| 2048 |  | 5 |  |  |"
for line in 1:100:7 2:100.4:7 3:200:7 4:200:7 5:200:8; do
  distance=${line%%:*} rest=${line#*:}
  printf 'value put_8B@%s latency us %s\nvalue get_8B@%s latency us %s\n' "$distance" "${rest%%:*}" "$distance" "${rest##*:}"
done >"$work/distances"
awk -f "$bench/steps.awk" "$work/distances" >"$work/steps"
has "$work/steps" "| distance (units) | put 8B | get 8B |"
has "$work/steps" "| 1 to 2 | 100 | 7 |"
has "$work/steps" "| 3 to 4 | 200 | 7 |"
has "$work/steps" "| 5 | 200 | 8 |"

# reached: the goal; not, but as the floor differs from itself; neither.
for case in fast:102:100 noisy:120:130 slow:120:101; do
  what=${case%%:*} rest=${case#*:}
  for round in 1 2 3; do printf 'value %s_floor time ns 100\nvalue %s_eyot time ns %s\nvalue %s_again time ns %s\n' $what $what "${rest%%:*}" $what "${rest##*:}"; done
  echo "goal $what near 1.05"
done >"$work/values"
printf 'value plus_floor time ns 10\nvalue plus_eyot time ns 14\nvalue plus_again time ns 10\nvalue plus_shmem time ns 50\ngoal plus plus 3\n' >>"$work/values"
awk -f "$bench/node.awk" "$work/values" >"$work/node"
has "$work/node" "| fast | 100 | 102 |  |  | of MPI, the floor here | 1.02 (1.02 to 1.02) | 1.00 (1.00 to 1.00) | 1.05 | yes |"
has "$work/node" "| noisy | 100 | 120 |  |  | of MPI, the floor here | 1.20 (1.20 to 1.20) | 1.30 (1.30 to 1.30) | 1.05 | within A/A |"
has "$work/node" "| slow | 100 | 120 |  |  | of MPI, the floor here | 1.20 (1.20 to 1.20) | 1.01 (1.01 to 1.01) | 1.05 | no |"
has "$work/node" "| plus | 10 | 14 |  | 50 | floor + ns | +4.00 (+4.00 to +4.00) | +0.00 (+0.00 to +0.00) | +3 | no |"

# Published beside measured: numbers, ranges, rows over units, what is beyond its bounds or not known.
printf '# a comment\nt\t*\tTitle\nt\ta\t100\tns\tpredicted\t-20..5\tsource\ta reason.\nt\tb\t2..4\tus\tcalibrated\t10\t\t\nt\tb@8\t3\tus\tpredicted\t-\tsource\t\nt\tc\t..5\tus\tpredicted\t0\t\t\n' >"$work/p.tsv"
# A prediction beside its measurement; a row whose A/A differs by more than 10 % is not judged.
for w in 1 3 2; do printf 'measured a %s000\nagain a 2100\npredicted a 1500\nmeasured b 1000\nagain b 1200\npredicted b 1000\n' $w; done >"$work/values"
awk -v csv="$work/predicted.csv" -f "$bench/calibrate.awk" "$work/values" >"$work/predicted"
has "$work/predicted" "| a | 2 | 1.5 to 2.5 | +5.0 % | 1.5 | -26.8 % | -34.0 to -15.0 |"
has "$work/predicted" "| b | 1 | 1 to 1 | +20.0 % | 1 | -9.1 %, not judged | -9.1 to -9.1 |"
has "$work/predicted" "1 of 2 rows judged; error: median 26.8 %, worst 26.8 %"
has "$work/predicted.csv" "a,2,1.5,2.5,2.1,1.5,-0.2683,-0.3400,-0.1503"

printf 'fidelity t b@8 6\nfidelity t b@4 1\nfidelity t b@2 3\nfidelity t c 6.1\nfidelity t a 80\n' >"$work/values"
awk -f "$bench/fidelity.awk" "$work/p.tsv" "$work/values" >"$work/fidelity" 2>"$work/beyond" || { echo "tables.sh: fidelity.awk fails"; bad=1; }
has "$work/fidelity" "### Title"
has "$work/fidelity" "| a | ns | 100 | 80 | -20 % | predicted | a reason. (source) |"
has "$work/fidelity" "| b, 4 units | us | 2 to 4 | 1 | -50 % | calibrated |  |"
has "$work/fidelity" "| b, 2 units | us | 2 to 4 | 3 | +0 % | calibrated |  |"
has "$work/fidelity" "| b, 8 units | us | 3 | 6 | +100 % | predicted | (source) |"
has "$work/fidelity" "| c | us | at most 5 | 6.1 | +22 % | predicted |  |"
has "$work/beyond" "fidelity.awk: t b@4: 1 us beside the published 2..4: -50.0 %, allowed 10"
has "$work/beyond" "fidelity.awk: t c: 6.1 us beside the published ..5: +22.0 %, allowed 0"
[ "$(wc -l <"$work/beyond")" -eq 2 ] || { echo "tables.sh: rows within their bounds are reported"; cat "$work/beyond"; bad=1; }
awk -v check=1 -f "$bench/fidelity.awk" "$work/p.tsv" "$work/values" 2>/dev/null && { echo "tables.sh: fidelity.awk check=1 passes rows beyond their bounds"; bad=1; }
grep -v 'b@4\| c ' "$work/values" | awk -v check=1 -f "$bench/fidelity.awk" "$work/p.tsv" - || { echo "tables.sh: fidelity.awk check=1 fails rows within their bounds"; bad=1; }
for line in 'fidelity t d 1' 'fidelity u a 1' 'fidelity t a' 'fidelity t a 1e' 'fidelity t a 80'; do
  { cat "$work/values"; echo "$line"; } | awk -f "$bench/fidelity.awk" "$work/p.tsv" - >/dev/null 2>&1 && { echo "tables.sh: fidelity.awk takes: $line"; bad=1; }
done

# A table and a file from which pictures are drawn.
printf 'value eyot@64 time_of_2 us 3\nvalue eyot@8 time_of_2 us 3\nvalue eyot@8 time_of_2 us 1\nvalue eyot@8 time_of_2 us 2\nvalue mpi@8 time_of_2 us 4\nreference eyot@8 time_of_2 mpi@8\n' >"$work/values"
awk -v suite=demo -v csv="$work/demo.csv" -f "$bench/table.awk" "$work/values" >"$work/table"
has "$work/demo.csv" "demo,eyot@8,time_of_2,us,2,1,3,mpi@8,4,0.5000"
if command -v gnuplot >/dev/null; then
  sh "$bench/plot.sh" "$work/demo.csv" "$work" >"$work/pictures"
  for form in png svg; do
    has "$work/pictures" "$work/demo_time_of_2.$form"
    [ -s "$work/demo_time_of_2.$form" ] || { echo "tables.sh: no picture demo_time_of_2.$form"; bad=1; }
  done
fi
# Distances and units are drawn over axes that say so.
if command -v gnuplot >/dev/null; then
  awk -v suite=distance -v csv="$work/distance.csv" -f "$bench/table.awk" "$work/distances" >"$work/table"
  printf 'value eyot@2 rate_wall GUP/s 2\nvalue eyot@2 rate_wall GUP/s 3\n' | awk -v suite=gups -v csv="$work/gups.csv" -f "$bench/table.awk" >"$work/table"
  for suite in distance gups; do sh "$bench/plot.sh" "$work/$suite.csv" "$work"; done >"$work/pictures" 2>"$work/complaints"
  [ ! -s "$work/complaints" ] || { echo "tables.sh: complaints about pictures:"; cat "$work/complaints"; bad=1; }
  grep -q 'distance (units)' "$work/distance_latency.svg" || { echo "tables.sh: the picture over distances does not say so"; bad=1; }
  grep -q '>units<' "$work/gups_rate_wall.svg" || { echo "tables.sh: the picture over units does not say so"; bad=1; }
  ! grep -q 'size of a message' "$work/distance_latency.svg" "$work/gups_rate_wall.svg" || { echo "tables.sh: a picture over distances or units speaks of sizes"; bad=1; }
fi
# Gains are those of a round, in which both ways were measured: 60, 40 and 50 percent, whatever the rounds took.
cat >"$work/apps" <<'END'
value minimd_2_one_node_mpi communication_wall us 100
value minimd_2_one_node_msg communication_wall us 40
value minimd_2_one_node_mpi communication_wall us 1000
value minimd_2_one_node_msg communication_wall us 600
value minimd_2_one_node_mpi communication_wall us 10
value minimd_2_one_node_msg communication_wall us 5
value fft2d_cab_16_mpi communication_virtual us 200
value fft2d_cab_16_mpi step_virtual us 400
value fft2d_cab_16_mpi_again communication_virtual us 202
value fft2d_cab_16_own communication_virtual us 150
value fft2d_cab_16_own step_virtual us 350
END
awk -v gains="$bench/apps_gains.tsv" -f "$bench/apps_gains.awk" "$bench/apps_gains.tsv" "$work/apps" >"$work/gains"
grep -Fq '| minimd | msg | mpi | 3.14 | 5.0 to 18.5 | 0.9 to 9.6 | 2 | 50.0 (40.0 to 60.0) |  |' "$work/gains" || { echo "tables.sh: the gains of apps"; cat "$work/gains"; bad=1; }
grep -q '^| fft2d | own .*| not measured |' "$work/gains" || { echo "tables.sh: gains of apps that were not measured"; bad=1; }
# Virtual time has a table of its own, with A/A; rows of the Cray are not in it.
sed -n '/virtual time/,$p' "$work/gains" >"$work/virtual"
grep -Fq '| fft2d | own | mpi | 4.15 | up to 54 | - | 16 | 25.0 | 12.5 | -1.0 |' "$work/virtual" || { echo "tables.sh: the gains of apps on cab"; cat "$work/gains"; bad=1; }
! grep -q 'fft3d\|50.0' "$work/virtual" || { echo "tables.sh: the gains of apps on cab are not those of cab alone"; cat "$work/virtual"; bad=1; }
sh "$bench/run.sh" --list >"$work/list"
for suite in put node sizes distance coll coll-scale gups overlap atomics sync motifs messages ownership fusion apps heat3d sim fidelity noise routes check; do
  grep -q "^$suite  *about  *[1-9][0-9]* s   [^ ]" "$work/list" || { echo "tables.sh: --list says nothing of $suite, or not how long it takes"; cat "$work/list"; bad=1; }
done
# Growth over the number of units: a run that leaves a phase out does not count as one without memory.
printf 'value 1024 split_memory MB 30\nvalue 4096 split_memory MB 120\nvalue 4096 start_memory MB 80\nvalue 1048576 start_memory MB 12000\nstrict next 1024 0.001 5000\n' >"$work/values"
awk -f "$bench/scale.awk" "$work/values" >"$work/scale"
has "$work/scale" "| KiB a unit | 30.0 | 11.7 |"
has "$work/scale" "| 1048576 | | 12000 |"
has "$work/scale" "| 1024 | 200 |"
# Bounds and models of collectives from a platform's figures: 43 nodes of 24 units, where a node sends
# 42 messages 10 ns apart and the last one is known after 800 ns.
cat >"$work/platform" <<'END'
cores 24 - given
numa 2 - given
nodes 4 - given
blades 16 - given
chassis 6 - given
lat_green 100 ns -
lat_black 100 ns -
lat_blue 222 ns -
overhead_put 100 ns -
tx 300 ns -
rx 300 ns -
router 100 ns -
gap 10 ns -
poll 10 ns -
overhead_node 20 ns -
lat_node 130 ns -
bw_nic_put 10 GB/s -
bw_memory 55 GB/s -
END
cat >"$work/cases" <<'END'
case barrier bytes 0 units 1024 virtual_ns 6643 wall_s 0.1
case alltoall bytes 8 units 1024 virtual_ns 256100 wall_s 0.1
case broadcast bytes 1048576 units 24 virtual_ns 676400 wall_s 0.1
case alltoall_once bytes 8 units 2048 virtual_ns 1 wall_s 4
case alltoall_once bytes 8 units 1024 virtual_ns 1 wall_s 1
END
awk -f "$bench/coll_model.awk" "$work/platform" "$work/cases" >"$work/values"
awk -f "$bench/coll_scale.awk" "$work/values" >"$work/scale"
has "$work/scale" "| 1024 | 6.643 | 1.21 | 1.98 | 5.49 | 3.36 |"
has "$work/scale" "| 1024 | 256.1 | 20 |  | 12.81 |  |"
has "$work/scale" "| 24 | 676.4 | 457.6 |  | 1.48 |  |"

# Heat maps. Exact times of one round: an algorithm that cannot be had is passed over, although it was asked for.
cat >"$work/places" <<'END'
may 2 broadcast 8 binomial taken
may 2 broadcast 8 multi -
may 2 broadcast 2048 binomial taken
may 25 broadcast 8 binomial -
may 25 broadcast 8 multi taken
may 25 broadcast 2048 binomial taken
place 2 broadcast 8 choice 100
place 2 broadcast 2048 choice 100
place 2 broadcast 8 binomial 100
place 2 broadcast 2048 binomial 101
place 2 broadcast 8 multi 80
place 2 broadcast 2048 multi 50
place 25 broadcast 8 choice 100
place 25 broadcast 2048 choice 100
place 25 broadcast 8 binomial 99
place 25 broadcast 2048 binomial 100
place 25 broadcast 8 multi 100
END
awk -v csv="$work/heat.csv" -f "$bench/coll_heat.awk" "$work/places" >"$work/heat" || { echo "tables.sh: coll_heat.awk fails"; bad=1; }
has "$work/heat" "### broadcast: who wins (bold: the choice loses more than 10 %)"
has "$work/heat" "| units | 8 B | 2 KiB |"
has "$work/heat" "| 2 | **multi** | binomial |"
has "$work/heat" "| 25 | binomial | binomial |"
has "$work/heat" "| 2 | **1.25** | 1.00 |"
has "$work/heat" "| 25 | 1.01 | 1.00 |"
has "$work/heat" "choice: places=4 within_10_percent=3 worst=1.250 (broadcast, 2 units, 8 bytes); the same algorithm twice: places=4 within_10_percent=4"
has "$work/heat.csv" "broadcast,2,8,multi,binomial,1.2500,1.25,1.25,1"
awk -v brief=1 -v check=1 -f "$bench/coll_heat.awk" "$work/places" >"$work/heat" && { echo "tables.sh: one place in four beyond the limit is not seen"; bad=1; }
has "$work/heat" "coll_heat: broadcast, 2 units, 8 bytes: binomial takes 1.25 of the time of multi"
awk -v limit=1.3 -v brief=1 -v check=1 -f "$bench/coll_heat.awk" "$work/places" >"$work/heat" || { echo "tables.sh: places within the limit fail"; bad=1; }
awk -v limit=1.3 -v most=1.2 -v check=1 -f "$bench/coll_heat.awk" "$work/places" >"$work/heat" && { echo "tables.sh: a place beyond the most is not seen"; bad=1; }
grep -v 'place 2 broadcast 8 multi' "$work/places" | awk -v limit=2 -v check=1 -f "$bench/coll_heat.awk" >"$work/heat" && { echo "tables.sh: an algorithm that was not measured is not missed"; bad=1; }
has "$work/heat" "coll_heat: broadcast, 2 units, 8 bytes: was not measured by: multi"
# A place without a measurement is no good one.
for case in 'want 3 broadcast 8:was not measured by: any' 'place 25 broadcast 8 binomial 0:has no time: binomial 0' 'place 2 broadcast 8 choice -:has no time: choice -'; do
  { cat "$work/places"; echo "${case%%:*}"; } | awk -v limit=2 -v check=1 -f "$bench/coll_heat.awk" >"$work/heat" && { echo "tables.sh: taken for a good place: $case"; bad=1; }
  grep -qF -- "${case#*:}" "$work/heat" || { echo "tables.sh: expected '${case#*:}'"; cat "$work/heat"; bad=1; }
done
# Rounds: the ratio of each round, its median and quartiles; a ratio of medians would be 1.
cat >"$work/places" <<'END'
may 4/2 reduce 8 binomial taken
may 4/2 reduce 8 multi -
place 4/2 reduce 8 choice 10
place 4/2 reduce 8 multi 5
place 4/2 reduce 8 binomial 10
may 4/2 reduce 8 binomial taken
may 4/2 reduce 8 multi -
place 4/2 reduce 8 choice 30
place 4/2 reduce 8 multi 20
place 4/2 reduce 8 binomial 10
place 4/2 reduce 8 choice 40
place 4/2 reduce 8 multi 100
place 4/2 reduce 8 binomial 40
END
awk -v limit=1.15 -f "$bench/coll_heat.awk" "$work/places" >"$work/heat"
has "$work/heat" "| 4, 2 a node | **1.50 (0.40 to 2.00)** |"
has "$work/heat" "choice: places=1 within_15_percent=0 worst=1.500 (reduce, 4, 2 a node units, 8 bytes); the same algorithm twice: places=1 within_15_percent=1"
has "$work/heat" "choice, by the least of 3 rounds: places=1 within_15_percent=0 worst=2.000 (reduce, 4, 2 a node units, 8 bytes); the same algorithm twice: places=1 within_15_percent=1"
if command -v gnuplot >/dev/null; then
  sh "$bench/coll_heat_plot.sh" "$work/heat.csv" "$work" demo 1.1 >"$work/pictures" 2>"$work/complaints"
  [ ! -s "$work/complaints" ] || { echo "tables.sh: complaints about heat maps:"; cat "$work/complaints"; bad=1; }
  for form in png svg; do has "$work/pictures" "$work/demo_heat_broadcast.$form"; [ -s "$work/demo_heat_broadcast.$form" ] || { echo "tables.sh: no picture demo_heat_broadcast.$form"; bad=1; }; done
  for text in multi 1.25 25 '2 KiB'; do grep -q ">$text" "$work/demo_heat_broadcast.svg" || { echo "tables.sh: the heat map does not say $text"; bad=1; }; done
fi
# Where the lines come from: sets of algorithms, each of which a call takes under its rule.
(
  . "$bench/coll_places.sh"
  printf 'sim broadcast,allgather 2,3 8,24\nsim broadcast 3 64\nmpi allgather 2/1 8\n' >"$work/grid"
  tell() { shape=$1; shift; case "$shape $*" in "3 broadcast --bytes 24") printf 'title\noperators that give:\n  binomial 1 \n  multi k=2 2  taken, the cheapest\noperators that do not:\n  doubling 1\n' ;; *) printf 'title\n  bruck 1  taken, by a rule\n' ;; esac; }
  run() { shape=$1 rules=$2; shift 2; for case in "$@"; do echo "case ${case%:*} bytes ${case#*:} units $shape wall_ns ${#rules}"; done; }
  coll_places "$work/grid" sim tell run 3
  coll_places "$work/grid" sim false run 3 >"$work/heat" && echo "tables.sh: coll_places goes on without eyot-info"
) >"$work/places"
has "$work/places" "want 3 broadcast 64"
has "$work/places" "may 3 broadcast 24 binomial -"
has "$work/places" "may 3 broadcast 24 multi taken"
has "$work/places" "may 3 allgather 8 bruck taken"
has "$work/places" "place 3 broadcast 64 choice 0"
has "$work/places" "place 3 broadcast 64 binomial 120"
has "$work/places" "place 3 allgather 24 bruck 120"
has "$work/places" "place 3 allgather 24 nodeagg 124"
grep -q 'doubling\|direct\|^place 2\|/\|goes on' "$work/places" && { echo "tables.sh: coll_places measures what is not of the grid"; cat "$work/places"; bad=1; }
# Modes of collectives on global memory beside the plain function, round by round.
(
  . "$bench/coll_modes.sh"
  [ "$(coll_modes_cases 8 512 | wc -l)" = 32 ] || echo "not 32 cases"
  for t in 10 20; do printf 'case broadcast bytes 8 units 4 wall_ns %s\ncase global_broadcast_nosync bytes 8 units 4 wall_ns %s\ncase global_gather_all_allsync bytes 8 units 4 wall_ns 3000\n' ${t}00 2000 | coll_modes_lines 4/2; done
) | awk -f "$bench/coll_modes.awk" >"$work/modes"
has "$work/modes" "| broadcast | 4, 2 a node | 8 | 1.5 | 2 |  |  | 1.50 (1.00 to 2.00) |  |  |"
has "$work/modes" "| gather_all | 4, 2 a node | 8 |  |  |  | 3 |  |  |  |"

# The gates of self-consistency: one that fails and is not listed, one that is listed and holds, one
# without reason, one that was not measured; and a list that says what is.
gates=$1/tests/sim/coll_gates.awk
cat >"$work/cases" <<'END'
case reduce bytes 8 units 2 virtual_ns 100 wall_s 0
case broadcast bytes 8 units 2 virtual_ns 100 wall_s 0
case allreduce bytes 8 units 2 virtual_ns 201 wall_s 0
case broadcast bytes 8 units 3 virtual_ns 94 wall_s 0
END
echo '# none' >"$work/none"
awk -f "$gates" "$work/none" "$work/cases" >"$work/judged" && { echo "tables.sh: gates that fail are not seen"; bad=1; }
has "$work/judged" "allreduce<=reduce+broadcast: 0 hold, 1 fail"
has "$work/judged" "coll_gates: fails: allreduce<=reduce+broadcast 2/8: 201 ns, limit 200 ns"
has "$work/judged" "coll_gates: fails: broadcast:p<=p+1 2/8: 100 ns, limit 98.7 ns"
awk -v write=1 -f "$gates" "$work/none" "$work/cases" | sed 's/$/why/' >"$work/list"
awk -f "$gates" "$work/list" "$work/cases" >"$work/judged" || { echo "tables.sh: listed gates are refused"; cat "$work/judged"; bad=1; }
awk -v whole=1 -f "$gates" "$work/list" "$work/cases" >"$work/judged" && { echo "tables.sh: rules without a case are not seen"; bad=1; }
has "$work/judged" "coll_gates: judged nowhere: broadcast<=scatter+allgather"
printf 'reduce<=allreduce\t2/8\twhy\nbroadcast:p<=p+1\t2..3/8\twhy\nx\t1/1\t\n' >"$work/list"
awk -f "$gates" "$work/list" "$work/cases" >"$work/judged" && { echo "tables.sh: a wrong list of gates is not seen"; bad=1; }
has "$work/judged" "coll_gates: holds, but is listed as failing: reduce<=allreduce 2/8"
has "$work/judged" "coll_gates: listed, but not measured: broadcast:p<=p+1 3/8"
grep -q "^coll_gates: expected rule, places and reason" "$work/judged" || { echo "tables.sh: a gate without reason is not seen"; bad=1; }

exit $bad
