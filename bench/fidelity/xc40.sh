# SPDX-License-Identifier: BSD-3-Clause
# xc40.sh - the part of the suite `fidelity` for the Cray XC40 of Zhou, and of Zhou and Gracia
# (xc40.tsv). Their plots are not at hand, so rows without a published figure are what the text says
# of them. Reordering of operations is off (--order strict): the prices show alone. Tests run
# fidelity_xc40_small. $xc40_engine is the executor.
xc40_engine=fiber

# xc40_run UNITS KEYS [OPTIONS OF eyotrun] -- PROGRAM [ARGUMENTS]: one program on xc40 with KEYS.
xc40_run() {
  xc40_units=$1 xc40_platform=xc40${2:+:}$2 xc40_options=
  shift 2
  while [ "$1" != -- ]; do
    xc40_options="$xc40_options $1"
    shift
  done
  shift
  xc40_program=$1
  shift
  # Words.
  measured "$build/bin/eyotrun" --fabric sim --platform "$xc40_platform" --engine $xc40_engine --order strict -n "$xc40_units" $xc40_options "$bin/$xc40_program" "$@"
}

# xc40_upto COUNTS...: those that $BENCH_UNITS allows.
xc40_upto() {
  for count in "$@"; do [ "$count" -gt "$fidelity_units" ] || echo "$count"; done
}

# row TABLE NAME NUMERATOR [DENOMINATOR]: a measured row; of nothing if a part was not measured.
row() {
  [ -z "$3" ] || [ "${4-1}" = "" ] || awk -v t="$1" -v r="$2" -v a="$3" -v b="${4:-1}" 'BEGIN { printf "fidelity %s %s %.6g\n", t, r, a / b }'
}

# Puts to nodes of all distances, in ns, and within a node.
xc40_distance() {
  out=$(xc40_run 512 '' --units-per-node 1 -- bench_distance x) || return 1
  echo "$out" | awk '$1 == "value" && $2 ~ /^put_8B@/ {
      d = substr($2, 8) + 0; name = d < 4 ? "blade" : d < 64 ? "chassis" : d < 384 ? "group" : "machine"
      sum[name] += $5 * 1e3; n[name]++ }
    END { for (name in sum) printf "fidelity xc40_distance put_8B_%s %.6g\n", name, sum[name] / n[name] }'
  out=$(xc40_run 25 '' -- bench_distance x) || return 1
  for way in put get; do
    for size in 8B 1MiB; do
      echo "$out" | awk -v w="${way}_$size@" '$1 == "value" && index($2, w) == 1 { t[substr($2, length(w) + 1) + 0] = $5 }
        END { printf "fidelity xc40_distance across_sockets_%s %.6g\n", substr(w, 1, length(w) - 1), t[23] / t[1]
              printf "fidelity xc40_distance leaving_the_node_%s %.6g\n", substr(w, 1, length(w) - 1), t[24] / t[23] }'
    done
  done
}

# The price of memory within a node that makes the halo of 16 units what is published (0.76 s for
# 5,000 steps), and that of the flat MPI program there (1.85 s): 100 ns more an operation.
xc40_fitted=lat_numa=31 xc40_flat=lat_numa=31,overhead_node=119

# heat_rows UNITS KEYS VARIANT ARGUMENTS: sets $halo, $exchange and $barriers, in us a step.
heat_rows() {
  heat_units=$1 heat_keys=$2 heat_variant=$3
  shift 3
  # Words.
  out=$(xc40_run "$heat_units" "$heat_keys" $heat_options -- bench_heat_rows "$@" --steps 1 --variant "$heat_variant" --no-verify) || return 1
  halo=$(echo "$out" | word halo) exchange=$(echo "$out" | word exchange) barriers=$(echo "$out" | word barriers)
}
heat_options=

# Blocks along each axis, ours: z, y, x of the text. They double from those of 16 and of 64 to 512
# units, which are given, to those of 4,096.
heat_parts() {
  case $1 in
    16) echo 4,2,2 ;;
    32) echo 4,4,2 ;;
    64) echo 4,4,4 ;;
    128) echo 8,4,4 ;;
    256) echo 8,8,4 ;;
    *) echo 8,$(($1 / 64)),8 ;;
  esac
}

xc40_heat_weak() {
  heat_rows 16 '' blocking --block 32 --parts 4,2,2 || return 1
  row xc40_heat halo_preset@16 "$halo"
  last=$halo heat_options='--on-node nic'
  heat_rows 16 '' blocking --block 32 --parts 4,2,2 || return 1
  heat_options=
  row xc40_heat flat_by_NIC_over_aware@16 "$halo" "$last"
  ratios= last=
  for n in $(xc40_upto 16 32 64 128 256 512 1024 2048 4096); do
    heat_rows "$n" $xc40_flat blocking --block 32 --parts "$(heat_parts "$n")" || return 1
    flat=$halo
    [ "$n" != 16 ] || row xc40_heat halo_flat@16 "$flat"
    heat_rows "$n" $xc40_fitted blocking --block 32 --parts "$(heat_parts "$n")" || return 1
    row xc40_heat "halo@$n" "$halo"
    row xc40_heat "exchange@$n" "$exchange"
    row xc40_heat "barriers@$n" "$barriers"
    row xc40_heat "flat_over_aware@$n" "$flat" "$halo"
    [ -z "$last" ] || row xc40_heat "halo_growth@$n" "$halo" "$last"
    last=$halo ratios="$ratios $flat/$halo"
  done
  # The published mean is over 16 to 4,096 units.
  [ "$n" -ge 1024 ] || return 0
  # Words.
  row xc40_heat "flat_over_aware_mean@$n" "$(printf '%s\n' $ratios | awk -F/ '{ s += $1 / $2 } END { print s / NR }')"
}

# A machine on which 512 units lie in two chassis and 1,024 in two groups, as the text says of its.
xc40_spread=chassis=2,blades=4

xc40_heat_spread() {
  last=
  for n in $(xc40_upto 256 512 1024); do
    heat_rows "$n" $xc40_fitted,$xc40_spread blocking --block 32 --parts "$(heat_parts "$n")" || return 1
    row xc40_heat "exchange_spread@$n" "$exchange"
  done
}

xc40_heat_strong() {
  for n in $(xc40_upto 64 128 256 512); do
    heat_rows "$n" $xc40_flat blocking --size 512,256,128 --parts "$(heat_parts "$n")" || return 1
    flat=$halo
    heat_rows "$n" $xc40_fitted blocking --size 512,256,128 --parts "$(heat_parts "$n")" || return 1
    row xc40_heat "strong_exchange@$n" "$exchange"
    row xc40_heat "strong_flat_over_aware@$n" "$flat" "$halo"
  done
}

xc40_heat_nonblocking() {
  for case in 16:1,4,4 32:1,8,4 64:1,8,8 128:2,8,8 256:4,8,8 512:4,16,8 1024:4,16,16; do
    n=${case%%:*}
    [ -n "$(xc40_upto "$n")" ] || continue
    heat_rows "$n" $xc40_flat nonblocking --block 512,8,8 --parts "${case##*:}" || return 1
    flat=$halo
    heat_rows "$n" $xc40_fitted nonblocking --block 512,8,8 --parts "${case##*:}" || return 1
    row xc40_heat "nonblocking_flat_over_aware@$n" "$flat" "$halo"
  done
}

gups_rate() { # UNITS KEYS: sets $rate, in 10^6 updates a second
  rate=$(xc40_run "$1" "$2" -- bench_gups x 10 1 256) || return 1
  rate=$(echo "$rate" | awk '$1 == "value" { print $5 * 1e3 }')
}

xc40_gups() {
  last=
  for n in $(xc40_upto 2 4 8 16 32 64 128 256 512 1024 2048); do
    gups_rate "$n" '' || return 1
    row xc40_gups "updates@$n" "$rate"
    [ "$n" != 512 ] || row xc40_gups 512_over_256 "$rate" "$last"
    last=$rate
  done
  [ "$fidelity_units" -ge 512 ] || return 0
  gups_rate 256 $xc40_spread || return 1
  last=$rate
  gups_rate 512 $xc40_spread || return 1
  row xc40_gups 512_over_256_in_two_chassis "$rate" "$last"
}

xc40_alloc() {
  for n in $(xc40_upto 2 8 24 64 256 1024); do
    out=$(xc40_run "$n" '' -- bench_alloc x 3) || return 1
    time_of() { echo "$out" | awk -v w="$1@$n" '$1 == "value" && $2 == w { print $5 }'; }
    row xc40_alloc "allocation@$n" "$(time_of alloc_1B)"
    row xc40_alloc "allgather@$n" "$(time_of allgather)"
    row xc40_alloc "allocation_over_allgather@$n" "$(time_of alloc_1B)" "$(time_of allgather)"
    [ "$n" != 8 ] || row xc40_alloc 1MiB_over_1B@8 "$(time_of alloc_1MiB)" "$(time_of alloc_1B)"
  done
}

xc40_available() {
  for place in node apart; do
    own=
    [ $place = node ] || own='--units-per-node 1'
    # Words.
    out=$(xc40_run 2 '' $own -- bench_available x) || return 1
    for way in put get; do
      percent=$(echo "$out" | awk -v w="$way@16384" '$1 == "value" && $2 == w { print $5 }')
      row xc40_available "${way}_${place}_beside_MPI_alone" "$percent"
    done
  done
}

# beside WAY PLACE FROM TO: the bandwidth by a progress process beside that without, mean over the sizes.
beside() {
  echo "$out" | awk -v way="$1" -v place="$2" -v from="$3" -v to="$4" '$1 == "value" && index($2, way "@") == 1 {
      bytes = substr($2, length(way) + 2) + 0; split($3, name, "_"); rate[name[2], bytes] = $5
      if (name[2] == "direct" && bytes >= from && bytes <= to) sizes[bytes] }
    END { for (b in sizes) { sum += rate["engine", b] / rate["direct", b]; n++ }; printf "%.6g\n", sum / n }'
}

# Transfers and a stencil by progress processes, which units play.
xc40_progress() {
  for place in node apart; do
    own=3
    [ $place = node ] || own=2
    out=$(xc40_run 3 '' --units-per-node $own -- bench_engine $place) || return 1
    for way in put get; do
      row xc40_available "${way}_${place}_beside_the_engine" "$(echo "$out" | awk -v w=$way '$2 == w { print $5 }')"
      if [ $place = node ]; then
        row xc40_progress "${way}_node_up_to_4_KiB" "$(beside $way node 8 4096)"
        row xc40_progress "${way}_node_below_16_KiB" "$(beside $way node 8 8192)"
        row xc40_progress "${way}_node_64_KiB" "$(beside $way node 65536 65536)"
      else
        row xc40_progress "${way}_apart_up_to_4_KiB" "$(beside $way apart 8 4096)"
        row xc40_progress "${way}_apart_from_8_KiB" "$(beside $way apart 8192 1048576)"
      fi
    done
  done
  for cells in 32768 65536; do
    for nodes in 12 24 47 94; do
      workers=$((nodes * 22))
      [ -n "$(xc40_upto $workers)" ] && [ $cells$nodes != 6553612 ] || continue
      out=$(xc40_run $((nodes * 24)) '' -- bench_engine stencil $cells 24) || return 1
      step() { echo "$out" | awk -v w="step_$1" '$1 == "value" && $3 == w { print $5 }'; }
      row xc40_progress "stencil_${cells}@$workers" "$(step inside)" "$(step engine)"
    done
  done
}

fidelity_xc40_small() {
  for part in heat_weak heat_strong heat_nonblocking gups alloc available progress; do "xc40_$part" || return 1; done
}

fidelity_xc40() {
  for part in distance heat_weak heat_spread heat_strong heat_nonblocking gups alloc available progress; do "xc40_$part" || return 1; done
}
