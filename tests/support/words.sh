# words.sh - for the tests of messages, in the simulator and over MPI: runs a command, judges what it prints, and sets bad=1 where it is wrong.

# ends NAME CODE [NAME=VALUE...] COMMAND...: must end with this code; its output is left in $output.
ends() {
  name=$1 want=$2
  shift 2
  output=$(timeout 300 env "$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $output"; bad=1; }
  well_said "$name"
}

# shows REGEX: a line of $output has it. lines REGEX N: N lines have it.
shows() { printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: expected '$1', got: $output"; bad=1; }; }
lines() { [ "$(printf '%s\n' "$output" | grep -Ec -- "$1")" -eq "$2" ] || { echo "$name: expected $2 lines '$1', got: $output"; bad=1; }; }

# at PLACE: a regex of the line of the program, bad_words.c or ${marked}.c, that the comment "PLACE here" marks, up to the function's name.
at() { echo "${marked:-bad_words}\\.c:$(grep -n "/\\* $1 here \\*/" "$(dirname "$0")/../programs/${marked:-bad_words}.c" | cut -d: -f1) \\("; }

# far_words: $output of "bad_words far" names what another unit has made, and the call that released it.
far_words() {
  box="\"box\" \(24 bytes, eyot_alloc at $(at 'box made')far_make\)\)"
  plain="\"a name that is much longer t\.\.\.\" \(40 bytes, eyot_alloc at $(at 'plain made')far_make\)\)"
  slice="the registered memory \(32 bytes, eyot_register at $(at registered)far_make\)\)"
  alone="the lock \([0-9]+ bytes, eyot_lock_alloc at $(at 'far lock made')far_make\)\)"
  count="the counter \(8 bytes, eyot_counter_alloc at $(at 'far counter made')far_make\)\)"
  shows "unit 1. error: eyot_put: 8 bytes at offset 20 of $box of unit 0 \(EYOT_ERANGE: .*called at $(at 'far put')far\)"
  shows "unit 1. error: eyot_get: the pointer is to offset -8 of $plain of unit 0"
  shows "unit 1. error: eyot_get: 8 bytes at offset 32 of $slice of unit 0"
  shows "unit 1. error: eyot_free: the memory is unit 0's, and only the owner may free it: $box of unit 0"
  shows "unit 1. error: eyot_name: the memory is unit 0's, and only its owner names it: $plain of unit 0"
  shows "unit 1. error: eyot_unregister: the memory is unit 0's, .*: $slice of unit 0"
  shows "unit 1. error: eyot_free: $slice of unit 0 is not from eyot_alloc"
  shows "unit 1. error: eyot_unregister: $box of unit 0 is not from eyot_register"
  shows "unit 1. error: eyot_unregister: a null pointer is not from eyot_register"
  shows "unit 1. error: eyot_lock_free: the lock was made by unit 0, .*: $alone of unit 0"
  shows "unit 1. error: eyot_counter_wait: the counter is unit 0's, .*: $count of unit 0"
  shows "unit 1. error: eyot_lock_acquire: this unit holds the lock .* already; release it first: $alone of unit 0"
  shows "unit 1. error: eyot_fetch_add_u64: offset 4 of $box of unit 0 is not a multiple of 8, the size of EYOT_UINT64"
  shows "unit 1. error: eyot_wait_until: the word is at offset 8 of $box of unit 0; a unit waits only for words in its own memory"
  shows "unit 1. error: eyot_put_signal: the signal word is at offset 12 of $box of unit 0; expected a multiple of 8"
  shows "unit 1. error: eyot_fetch_add_u64: memory of unit 0 that does not exist: $box was released by eyot_free at $(at 'box freed')far_release\).*called at $(at 'far late add')far\)"
  shows "unit 1. error: eyot_get: memory of unit 0 that is not registered: $slice was released by eyot_unregister at $(at 'far unregistered')far_release\)"
  shows "unit 1. error: eyot_free: the memory is unit 0's, .*: $plain was released by eyot_free at"
  shows "unit 1. error: eyot_lock_acquire: memory of unit 0 that does not exist: $alone was released by eyot_lock_free at $(at 'far lock freed')far_release\)"
  shows "unit 1. error: eyot_counter_wait: the counter is unit 0's, .*: $count was released by eyot_counter_destroy at $(at 'far counter freed')far_release\)"
}

# well_said NAME: judges $output by what no message may have.
well_said() {
  refused_words 'an internal name' '(^|[^a-z_])(eyoti|fab|sim|fmpi|chk)_[a-z_]+'
  refused_words 'an address' '0x(7[ef]|5[56])[0-9a-f]{10}'
  refused_words 'a number near 2^64' '1844674407[0-9]{10}'
  refused_words 'an unknown place' 'an unknown place'
  errors=$(printf '%s\n' "$output" | grep -E '^eyot: \[unit [0-9]+\] error: ' | grep -Ev 'error: (eyot|layer)_[a-z0-9_]+: .*\(EYOT_E[A-Z]+: [^()]*\), called at [a-z_]+\.(c|h):[0-9]+ \([a-z_0-9]+\)$')
  [ -z "$errors" ] || { echo "$1: without the public call or the line: $errors"; bad=1; }
}

# refused_words WHAT REGEX
refused_words() {
  found_words=$(printf '%s\n' "$output" | grep -v '^  #' | grep -E -- "$2")
  [ -z "$found_words" ] || { echo "$name: $1 in: $found_words"; bad=1; }
}
