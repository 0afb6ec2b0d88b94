# interface.sh - for the tests of messages about calls of an interface (eyot/caller.h): the ways of tests/programs/interface.c whose messages are the same in
# the simulator and over MPI. Variables: run (the command up to the program), program, watched (run with a watchdog),
# mapped (yes: units map each other's memory).
marked=interface
. "$(dirname "$0")/../support/words.sh"
inside='(layer_[a-z_]+\)|interface\.c:[0-9]+ \(layer_)'

interface_ways() {
  made="\(16 bytes, layer_malloc at $(at made)range\)\)"
  ends range 7 EYOT_ERRORS=return $run "$program" range
  shows "error: layer_put: 17 bytes at offset 0 of unit 0's part of the memory $made \(EYOT_ERANGE: .*, called at $(at put)range\)"
  shows "error: layer_put_word: 8 bytes at offset 16 of .*$made .*, called at $(at nested)range\)"
  shows "error: eyot_put: 8 bytes at offset 24 of .*, called at $(at 'own put')range\)"
  shows "error: layer_put: .*$made was released by layer_free at $(at freed)range\).*called at $(at 'late put')range\)"
  refused_words 'a line of the interface' "$inside"

  ends leave 0 $run "$program" leave
  shows "warning: layer_finalize: not released before: the memory \(32 bytes, layer_malloc at $(at left)leave\)\)"
  # a transfer of mapped memory is complete at once
  [ "$mapped" = yes ] || shows "warning: layer_finalize: not waited for before: a handle \(layer_start_get at $(at handle)leave\)"
  refused_words 'a line of the interface' "$inside"

  ends unmarked 7 EYOT_ERRORS=return $run "$program" unmarked
  shows "error: eyot_barrier: .*called at $(at 'own barrier')unmarked\)"
  ends before 0 EYOT_ERRORS=return $run "$program" before
  shows "error: (eyot|layer)_barrier: called before eyot_init"

  ends standstill 3 $watched "$program" standstill
  shows "unit 0.*: in layer_wait, .*: waits for its word at offset 0 of the memory \(8 bytes, layer_malloc at $(at waited)standstill\)\) to be == 1; it is 0"
  shows "called at $(at waits)standstill\)"
  shows "layer_barrier.*called at $(at barrier)standstill\)"
  refused_words 'a line of the interface' "$inside"
}
