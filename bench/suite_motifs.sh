# SPDX-License-Identifier: BSD-3-Clause
# suite_motifs.sh - the suite `motifs` of run.sh: the two motifs of foMPI (section 4, figure 9) over
# the number of units: the rate of inserts into a distributed hash table, and the time of a dynamic
# sparse data exchange by five protocols. Every run verifies itself.

# motif_run CASE KIND HASHTABLE_OPTIONS DSDE_OPTIONS EYOTRUN_OPTIONS...
motif_run() {
  name=$1 kind=$2 table=$3 exchange=$4
  shift 4
  # The options are words, no text.
  out=$(measured "$build/bin/eyotrun" "$@" "$build/examples/hashtable" $table) || return 1
  echo "$out" | grep -q 'hashtable: verified' || { say "hashtable did not verify: $name"; return 1; }
  echo "$out" | awk -v name="$name" -v kind="$kind" '/inserts\/s in/ { print "value", name "_hashtable", "rate_" kind, "inserts/s", $2 }'
  out=$(measured "$build/bin/eyotrun" "$@" "$build/examples/dsde" $exchange) || return 1
  echo "$out" | grep -q 'dsde: verified' || { say "dsde did not verify: $name"; return 1; }
  echo "$out" | awk -v name="$name" -v kind="$kind" '/us an exchange in/ { sub(":", "", $2); print "value", name "_dsde_" $2, "exchange_" kind, "us", $3 }'
  for protocol in accumulate notify reduce_scatter nbx; do echo "reference ${name}_dsde_$protocol exchange_$kind ${name}_dsde_alltoall"; done
}

suite_motifs() {
  for platform in xe6 xc40; do
    for units in 64 256 1024; do
      motif_run "${platform}_$units" virtual "" "" --fabric sim --platform $platform -n $units || return 1
      [ $units -eq 64 ] || echo "reference ${platform}_${units}_hashtable rate_virtual ${platform}_64_hashtable"
    done
  done
  i=0
  while [ $i -lt "$rounds" ]; do
    for node_size in 0 1; do motif_run "mpi_2_node_size_$node_size" wall "" "--rounds 101" --fabric mpi -n 2 --node-size $node_size || return 1; done
    i=$((i + 1))
  done
}
