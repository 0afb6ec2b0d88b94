#!/bin/sh
# words.sh BIN_DIR PROGRAM_DIR SANITIZED - what messages say: the public call and the program's line, the allocation by its name or place, no internals. And the
# exit code of runs whose program has made errors.
bin=$1 programs=$2 sanitized=$3
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/words.sh"
sim="$bin/eyotrun --fabric sim"
words=$programs/bad_words
grid="\"grid\" \(64 bytes, eyot_team_alloc at $(at made)grid\)\)"
lock="the lock \([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\)\)"

ends range 7 EYOT_ERRORS=return $sim -n 3 "$words" range
shows "unit [0-2]. error: eyot_put: 8 bytes at offset -8 of unit 0's part of $grid \(EYOT_ERANGE: .*, called at $(at range)range\)"
shows "error: eyot_put: the pointer is to offset -8 of the memory \(24 bytes, eyot_alloc at bad_words.c:[0-9]+ \(range\)\)"
shows "error: eyot_get: 8 bytes at offset 24 of the memory \(24 bytes, eyot_alloc at"
shows "error: eyot_fetch_add_u64: 8 bytes at offset 64 of unit 0's part of $grid"
shows "units 0-2. error, 3 times in all, first by unit [0-2]: eyot_put: 8 bytes at offset -8"
shows "units 0-2. warning, 3 times in all, .*calls of this unit returned 4 errors of the program.*eyot_errors_clear"
ends many 7 EYOT_ERRORS=return $sim -n 500 "$words" range
lines "eyot_put: 8 bytes at offset -8 of unit 0's part" 2
shows "units 0-499. error, 500 times in all"
ends clear 0 EYOT_ERRORS=return $sim -n 3 "$words" range clear
ends abort 7 $sim -n 3 "$words" range clear
shows "unit [0-2] aborted the run with code 7 .*eyot_put returned EYOT_ERANGE at $(at range)range\).*EYOT_ERRORS=return"
if [ "$sanitized" != ON ]; then # eyotcheck takes memory back, a sanitizer's cannot be
  ends check 1 "$bin/eyotcheck" --runs 1 -n 2 --save /dev/null "$words" range
  shows "eyotcheck: run 1 failed: .*eyot_put: 8 bytes at offset -8"
fi
ends names 0 EYOT_ERRORS=return $sim -n 3 "$words" names
ends one_name 0 EYOT_ERRORS=return $sim -n 1 "$words" names

ends lock 7 EYOT_ERRORS=return $sim -n 3 "$words" lock
shows "error: eyot_lock_release: unit [0-2] does not hold the lock \(kind mcs\): $lock \(EYOT_ESTATE: not possible in this state\), called at $(at release)lock_twice\)"
shows "error: eyot_lock_acquire: this unit holds the lock .* already; release it first: $lock .*called at $(at acquire)lock_twice\)"
shows "unit 0. warning: eyot_finalize: this unit still holds a lock \(kind mcs\): $lock"

ends standstill 3 $sim -n 3 "$words" standstill
shows "unit 0: in eyot_wait_until, .*: waits for its word at offset 8 of $grid to be == 1; it is 0"
shows "unit [12]: in eyot_lock_acquire of \"queue\" \([0-9]+ bytes, eyot_lock_create at $(at 'lock made')queue\)\).*called at $(at waits)standstill\)"

ends typed 3 $sim -n 2 "$words" typed
shows "unit 0: in eyot_wait_until_word, .*: waits for its 4-byte word at offset 12 of $grid to be < -5; it is -4, last written by unit 1"

ends race 1 $sim -n 3 --races "$words" race
shows "race: unit [01] in eyot_put \($(at race)race\)\), .*meet at unit 0, offset 16 of $grid \(8 bytes\)"
if [ "$sanitized" != ON ]; then
  ends race.check 1 "$bin/eyotcheck" --detect race -n 2 --save /dev/null "$words" race
  shows "failed: race: .*meet at unit 0, offset 16 of $grid \(8 bytes\)"
  shows "posts put of 8 bytes to unit 0, offset 16 of \"grid\""
fi

ends alive 0 $sim -n 3 "$words" alive
shows "unit 0. warning: eyot_finalize: not released before: $grid"
shows "not released before: $lock"
shows "not released before: the counter \(8 bytes, eyot_counter_create at $(at 'counter made')alive\)\)"
shows "not released before: the team \(eyot_team_create at $(at 'team made')alive\)\)"
lines "not released before" 4
shows "not waited for before: a handle \\(eyot_put_nb at $(at 'handle made')alive\\)\\)"

ends teams 0 $sim -n 2 "$words" teams
shows "error: eyot_team_split: no room for another team in the 8388608 bytes of control memory of some member: this unit is in 16385 teams; destroy those .*EYOT_ENOMEM: .*called at $(at full)teams\)"

# Memory and objects that were released say by which call; so many are remembered.
ends gone 7 EYOT_ERRORS=return $sim -n 2 "$words" gone
grid_gone="$grid was released by eyot_team_free at $(at 'grid freed')gone\)"
own_gone="the memory \(24 bytes, eyot_alloc at bad_words.c:[0-9]+ \(gone\)\) was released by eyot_free at $(at 'own freed')gone\)"
registered_gone="the registered memory \(32 bytes, eyot_register at bad_words.c:[0-9]+ \(gone\)\) was released by eyot_unregister at $(at unregistered)gone\)"
shows "unit [01]. error: eyot_put: segment [0-9]+ generation [0-9]+ does not exist here: $grid_gone .*called at $(at 'late put')gone\)"
shows "unit [01]. error: eyot_team_free: .*: $grid_gone"
shows "unit 0. error: eyot_get: memory of unit 0 that does not exist: $own_gone"
shows "unit 0. error: eyot_free: memory of unit 0 that does not exist: $own_gone"
shows "unit 0. error: eyot_get: memory of unit 0 that is not registered: $registered_gone"
shows "unit [01]. error: eyot_unregister: the memory is not registered: $registered_gone"
shows "unit [01]. error: eyot_lock_acquire: no lock .*: $lock was released by eyot_lock_destroy at $(at 'lock destroyed')gone\)"
shows "unit 0. error: eyot_counter_wait: no counter .*: the counter \(8 bytes, eyot_counter_create at bad_words.c:[0-9]+ \(gone\)\) was released by eyot_counter_destroy at $(at 'counter destroyed')gone\)"
shows "unit [01]. error: eyot_barrier: team 0x[0-9a-f]+: the team \(eyot_team_split at $(at split)gone\)\) was released by eyot_team_destroy at $(at 'team destroyed')gone\)"
shows "unit 0. error: eyot_put: memory of unit 0 that does not exist: it was freed, or never allocated by eyot_alloc"
# What both units do is said by the first, and counted.
both="units 0-1. error, 2 times in all, first by unit [01]:"
shows "$both eyot_put: segment [0-9]+ generation [0-9]+ does not exist here: $grid_gone"
shows "$both eyot_team_free: .*: $grid_gone"
shows "$both eyot_unregister: the memory is not registered: $registered_gone"
shows "$both eyot_lock_acquire: no lock .*: $lock was released by eyot_lock_destroy at"
shows "$both eyot_barrier: team 0x[0-9a-f]+: the team "

# What another unit has made and released.
ends far 7 EYOT_ERRORS=return $sim -n 3 "$words" far
far_words
ends far_wait 3 $sim -n 2 "$words" far_wait
shows "unit 1: in eyot_lock_acquire of \"kept\" \([0-9]+ bytes, eyot_lock_alloc at $(at 'kept lock made')far_wait\)\), .*called at $(at 'far waits')far_wait\)"

# What eyot itself does not expect, and what is the program's mistake nevertheless.
ends panics 134 $sim -n 2 "$words" panics
shows "^eyot: panic at src/sync/locks/queue\.c:[0-9]+ \[unit 1, in eyot_lock_acquire of $lock, called at $(at panics)panics\)\]: invariant does not hold: "
shows "^This is a defect of eyot, unless the program has overwritten memory of eyot's"
ends early 134 $sim -n 2 "$words" early
shows "eyot: error: eyot_check_fail ends the process, because .*, called at $(at early)main\)"
refused_words 'a false reason' 'defect of eyot'
if [ "$sanitized" != ON ]; then
  ends fickle 2 "$bin/eyotcheck" --strategy exhaustive --detect=-race -n 2 --save /dev/null "$words" fickle
  shows "^eyotcheck: worker 0 ended after [0-9]+ runs: Aborted"
  shows "^eyot: error.*: the program under test is not deterministic: "
  refused_words 'a false reason' 'defect of eyot'
  line="check_lin\.c:[0-9]+ \([a-z_]+\)"
  ends lin 1 "$bin/eyotcheck" -n 3 --detect=-race --runs 20000 --no-shrink --save /dev/null "$programs/check_lin" queue_empty
  shows "failed: queue \"it\": not linearizable: no place for dequeue\(\) -> empty by unit 0, eyot_check_call at $line, eyot_check_return at $line; eyot_check_object at $line$"
  shows "unit 0 +dequeue\(\) -> empty .*  has no place  $line$"
  shows "unit [12] +enqueue\(1[12]\) .*\]  +$line$"
fi

# Every message of the programs that make errors.
for way in before after mismatch heap collective argument; do
  ends "bad_call $way" 0 EYOT_ERRORS=return $sim -n 3 --heap-size 1M --heap-max 4M "$programs/bad_call" $way
done
ends bad_pointer 0 EYOT_ERRORS=return $sim -n 3 "$programs/bad_pointer"

# Places of messages that are not printed are not looked for.
looked=$(mktemp -d) || exit 1
printf '#!/bin/sh\necho >>"%s/asked"\n' "$looked" >"$looked/addr2line" && chmod +x "$looked/addr2line"
ends "looks at warn" 0 PATH="$looked:$PATH" $sim -n 3 "$words" alive
[ -e "$looked/asked" ] || { echo "looks at warn: addr2line was not asked"; bad=1; }
rm -f "$looked/asked"
ends "looks at error" 0 PATH="$looked:$PATH" $sim -n 3 --log error "$words" alive
lines "not released before" 0
[ ! -e "$looked/asked" ] || { echo "looks at error: addr2line was asked for lines that nobody reads"; bad=1; }
rm -rf "$looked"

# A compiler that is asked to warns of each ignored code.
ignoring=$(mktemp -d) || exit 1
trap 'rm -rf "$ignoring"' EXIT
printf '#include <eyot/eyot.h>\nvoid f(eyot_gptr_t g);\nvoid f(eyot_gptr_t g) {\n  eyot_put(g, "x", 1);\n  eyot_free(g);\n}\n' >"$ignoring/f.c"
name=unused
output=$("$bin/eyotcc" -Werror -c -o "$ignoring/f.o" "$ignoring/f.c" 2>&1) || { echo "unused: $output"; bad=1; }
output=$("$bin/eyotcc" -DEYOT_WARN_UNUSED -c -o "$ignoring/f.o" "$ignoring/f.c" 2>&1)
lines "warning: ignoring return value of" 2

# A fault near a unit's stack. Sanitizers catch it themselves.
[ "$sanitized" = ON ] && exit $bad
stack=$programs/bad_stack
for engine in fiber simgrid; do
  ends "stack $engine" 139 $sim --engine $engine -n 4 --stack-size 256K "$stack" 512
  shows "unit [0-3]: stack overflow: a unit's stack has 256 KiB, and at least [0-9]+ are needed here; give eyotrun or eyotcheck --stack-size [0-9]+M"
  shows "^  #[0-9]+ bad_stack.c:[0-9]+ \(fill\)"
  shows "^  #[0-9]+ bad_stack.c:[0-9]+ \(main\)"
  ends "few $engine" 0 $sim --engine $engine -n 4 "$stack" 4096
done
# A frame that does not fit is touched page by page; the size to try is that of all of it.
if [ "$(uname -m)" = x86_64 ]; then
  printf '#include <eyot/eyot.h>\nint main(int c, char **v) {\n  volatile char big[100u << 20];\n  if (eyot_init(&c, &v) != 0) return 1;\n  big[0] = 1;\n  return eyot_finalize();\n}\n' >"$ignoring/frame.c"
  name=frame
  output=$("$bin/eyotcc" -g -O1 -fstack-clash-protection -o "$ignoring/frame" "$ignoring/frame.c" 2>&1) || { echo "frame: $output"; bad=1; }
  ends frame 139 $sim -n 2 "$ignoring/frame"
  shows "unit [01]: stack overflow: a unit's stack has 8192 KiB, and at least 1024[0-9][0-9] are needed here; give eyotrun or eyotcheck --stack-size 128M"
fi
ends watchdog 134 $sim -n 2 --watchdog 1s "$programs/engine_fail" loop
shows "unit 1: no fabric call for 1.0 s .*its last operation: eyot_barrier"
shows "^  #[0-9]+ engine_fail.c:[0-9]+ \\(go_wrong\\)"
ends "stack check" 1 "$bin/eyotcheck" --runs 1 -n 2 --stack-size 256K --save /dev/null "$stack" 512
shows "failed: unit [01]: stack overflow: a unit's stack has 256 KiB"
exit $bad
