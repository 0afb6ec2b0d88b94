#!/bin/sh
# words.sh BIN_DIR PROGRAM_DIR SANITIZED - what messages say over MPI, and the exit code of runs whose program has made errors. The simulator's are in
# tests/sim/words.sh.
bin=$1 programs=$2 sanitized=$3
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/words.sh"
mpi="$bin/eyotrun --fabric mpi -n 2"
words=$programs/bad_words
grid="\"grid\" \\(64 bytes, eyot_team_alloc at $(at made)grid\\)\\)"

for node_size in 0 1; do
  ends "range $node_size" 7 $mpi --node-size $node_size "$words" range
  shows "unit [01]. error: eyot_put: 8 bytes at offset -8 of unit 0's part of $grid \\(EYOT_ERANGE: .*, called at $(at range)range\\)"
  shows "error: eyot_put: the pointer is to offset -8 of the memory \\(24 bytes, eyot_alloc at bad_words.c:[0-9]+ \\(range\\)\\)"
  shows "unit [01]. warning: eyot_finalize: calls of this unit returned 4 errors of the program"
done
# A mistake of all processes is printed once and counted.
ends many 7 $bin/eyotrun --fabric mpi -n 6 "$words" range
lines "error: eyot_put: 8 bytes at offset -8 of unit 0's part" 1
lines "first by unit [0-5]: eyot_put: 8 bytes at offset -8 of unit 0's part" 1
shows "^eyot: .units 0-5. error, 6 times in all, first by unit [0-5]: eyot_get: 8 bytes at offset 24"
shows "units 0-5. warning, 6 times in all, .*calls of this unit returned 4 errors of the program"
ends "many, each" 7 EYOT_LOG=info $bin/eyotrun --fabric mpi -n 3 "$words" range
lines "error: eyot_put: 8 bytes at offset -8 of unit 0's part" 3
# Who waits for what: the same words as the simulator's (tests/sim/words.sh).
for node_size in 0 1; do
  ends "standstill $node_size" 3 $mpi --node-size $node_size --watchdog 0.5 "$words" standstill
  shows "unit 0 .process [0-9]+.: in eyot_wait_until, .*: waits for its word at offset 8 of $grid to be == 1; it is 0;"
  shows "unit 1 .process [0-9]+.: in eyot_lock_acquire of \"queue\" \\([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\\)\\), .*called at $(at waits)standstill\\)"
done
ends typed 3 $mpi --watchdog 0.5 "$words" typed
shows "unit 0 .process [0-9]+.: in eyot_wait_until_word, .*: waits for its 4-byte word at offset 12 of $grid to be < -5; it is -4;"
# Locks for which a unit tries again and again, or waits for a turn.
polls="unit 1 .process [0-9]+.: in eyot_lock_acquire of \"queue\" \\([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\\)\\), .*: (tries again and again, with pauses|waits for its turn); for [0-9.]+ s; called at $(at waits)standstill\\)"
for kind in tas ticket rw; do
  ends "standstill $kind" 3 $mpi --watchdog 0.5 "$words" standstill $kind
  [ $kind = rw ] || shows "$polls"
done
ends "standstill ticket 1" 3 $mpi --node-size 1 --watchdog 0.5 "$words" standstill ticket
shows "$polls"
ends "standstill limit" 124 $mpi --time-limit 2 "$words" standstill
shows "waits for its word at offset 8 of $grid to be == 1"
ends clear 0 $mpi "$words" range clear
ends abort 7 $mpi --errors abort "$words" range clear
shows "aborts the run with code 7: eyot_put returned EYOT_ERANGE at $(at range)range\\)"
ends lock 7 $mpi "$words" lock
shows "error: eyot_lock_release: unit [01] does not hold the lock \\(kind mcs\\): the lock \\([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\\)\\)"
ends alive 0 $mpi "$words" alive
shows "not released before: $grid"
shows "not released before: the counter \\(8 bytes, eyot_counter_create at $(at 'counter made')alive\\)\\)"
ends names 0 $mpi "$words" names
for node_size in 0 1; do
  ends "gone $node_size" 7 $mpi --node-size $node_size "$words" gone
  shows "error: eyot_put: segment [0-9]+ generation [0-9]+ does not exist here: $grid was released by eyot_team_free at $(at 'grid freed')gone\\)"
  shows "error: eyot_lock_acquire: no lock .* was released by eyot_lock_destroy at $(at 'lock destroyed')gone\\)"
done
# What another unit has made and released, on its node and on another one.
for node_size in 0 1; do
  ends "far $node_size" 7 EYOT_CHECK=1 $mpi --node-size $node_size "$words" far
  far_words
  ends "far unchecked $node_size" 7 EYOT_CHECK=0 $mpi --node-size $node_size "$words" far
  shows "error: eyot_get: the pointer is to offset -8 of $plain of unit 0"
  shows "error: eyot_free: the memory is unit 0's, .*: $box of unit 0"
  shows "error: eyot_free: the memory is unit 0's, .*: $plain was released by eyot_free at"
  ends "far_wait $node_size" 3 $mpi --node-size $node_size --watchdog 0.5 "$words" far_wait
  shows "unit 1 .process [0-9]+.: in eyot_lock_acquire of \"kept\" \([0-9]+ bytes, eyot_lock_alloc at $(at 'kept lock made')far_wait\)\), .*called at $(at 'far waits')far_wait\)"
done
ends panics 134 $mpi "$words" panics
shows "eyot: panic at src/sync/locks/queue\\.c:[0-9]+ \\[unit 1, in eyot_lock_acquire of the lock \\([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\\)\\), called at $(at panics)panics\\)\\]: "
for way in before after mismatch collective argument; do
  ends "bad_call $way" 0 $mpi "$programs/bad_call" $way
done

# An overflow of the process's stack. Sanitizers catch it themselves.
[ "$sanitized" = ON ] && exit $bad
small() { (ulimit -s 8192 2>/dev/null && ends stack 139 $mpi "$programs/bad_stack" 16384
  shows "unit [01]. has crashed with SIGSEGV .*stack overflow, of [0-9]+ KiB, and at least [0-9]+ are needed; raise ulimit -s"
  shows "^  #[0-9]+ bad_stack.c:[0-9]+ \\(fill\\)"
  exit $bad); }
small || bad=1
exit $bad
