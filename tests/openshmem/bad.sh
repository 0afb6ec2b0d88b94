#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bad.sh BIN_DIR PROGRAM sim|mpi [some] - the mistakes of bad.c: each ends the run with code 7 and with its sentence, which names the shmem call and the
# program's line. some: those whose sentence or way depends on the fabric; ./dev soak runs all over MPI.
bin=$1 program=$2 fabric=$3 some=${4:-}
source=$(dirname "$0")/bad.c
bad=0
run="$bin/eyotrun --fabric $fabric -n 3"

# made WAY CODE: runs the mistake; its output is left in $output.
made() {
  way=$1
  output=$(timeout 60 $run $more "$program" "$way" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$2" ] || wrong "exit code $got, expected $2"
  plain
  printf '%s\n' "$output" | grep -Eq '(^|[^a-z_])(eyoti|fab|fmpi|chk|osh)_[a-z_]+|called at (([^b ]|b[^a]|ba[^d])[^ ]*|main\.c)' && ! printf '%s\n' "$output" | grep -Eq 'called at check\.h:[0-9]+ \((begin|finish)\)' && wrong "it names internals, or another line than the program's"
}
# No word of eyot's own, but for codes, options and the address of an object.
plain() {
  words=$(printf '%s\n' "$output" | grep -v 'eyot_errors_clear\|eyot_abort: aborted outside a run' | grep -E '(^|[^A-Za-z_-])([Uu]nits?|eyot_[a-z_]+|EYOT_TEAM_ALL)([^A-Za-z_=-]|$)') && wrong "it speaks of eyot: $words"
}
wrong() { echo "$way: $1: $output"; bad=1; }
line() { grep -n "/\* $1 here \*/" "$source" | cut -d: -f1; }

# says WAY CALL TEXT [FUNCTION]: TEXT is a regex.
says() {
  if [ "$some" = some ]; then
    case " stack fixed waited beyond odd_word lock_twice lock_free freed past past_object free_twice sizes counts kinds before after " in *" $1 "*) ;; *) return ;; esac
  fi
  made "$1" 7
  printf '%s\n' "$output" | grep -Eq "error.*: $2: $3 \(EYOT_E[A-Z]+: [^()]*\), called at bad\.c:$(line "$1") \(${4:-$1}\)" ||
    wrong "expected '$2: $3' at line $(line "$1")"
}

pointer='\(0x[0-9a-f]+\)'
elsewhere="$pointer is not symmetric: it is on the stack, from malloc, thread-local or of a shared library; expected memory of shmem_malloc, or a global or static object"
differ='.*(different arguments|another collective).*'
says null shmem_long_put 'dest is NULL'
says stack shmem_long_put "dest $elsewhere"
says own shmem_putmem_nbi "dest $elsewhere"
says fixed shmem_long_p "$(printf %s "$pointer" | tr -d '()\\') \(static \"constant\"\) is in the program, but is not symmetric data: it is constant, .*; name a writable object that the program defines"
says source shmem_long_get "source $elsewhere"
says signal_word shmem_putmem_signal "sig_addr $elsewhere"
says waited shmem_long_wait_until "ivar $elsewhere"
says dest shmem_long_fcollect "dest $elsewhere"
says negative shmem_long_p 'pe is -1, expected 0 to 2'
says beyond shmem_long_g 'pe is 3, expected 0 to 2'
says beyond_atomic shmem_long_atomic_inc 'pe is 3, expected 0 to 2'
says no_context shmem_ctx_long_p 'ctx is SHMEM_CTX_INVALID'
says odd_word shmem_long_atomic_inc 'offset [0-9]+ of the program.s data of PE 1 \(offset 4 of static "array"\) is not a multiple of 8, the size of EYOT_UINT64'
says comparison shmem_long_wait_until 'cmp is 9, expected one of SHMEM_CMP_EQ to SHMEM_CMP_GE'
says signal_op shmem_long_put_signal 'sig_op is 7, expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD'
says stride shmem_long_iput 'dst is 0, expected 1 or more'
says lock_twice shmem_set_lock 'the caller holds the lock already, and it is not recursive'
says lock_tried shmem_test_lock 'the caller holds the lock already, and it is not recursive'
says lock_free shmem_clear_lock 'the caller does not hold the lock'
says lock_other shmem_set_lock "the lock's word was not 0 before its first use, or was overwritten"
says set_outside shmem_barrier 'the caller, PE 0, is not in the active set PE_start 1, logPE_stride 0, PE_size 1'
says set_beyond shmem_barrier 'the active set PE_start 0, logPE_stride 1, PE_size 3 is not within the 3 PEs'
says team_predefined shmem_team_destroy 'team is a predefined team, is not a team, or was destroyed'
says team_twice shmem_team_destroy 'team is a predefined team, is not a team, or was destroyed'
says config_negative shmem_team_split_strided 'num_contexts is -4, expected 0 or more'
says config_null shmem_team_split_strided 'config is NULL, expected one, as config_mask is not 0'
says config_mask shmem_team_split_2d 'config_mask is 0x6, expected 0 or SHMEM_TEAM_NUM_CONTEXTS \(0x1\)'
says context_default shmem_ctx_destroy 'SHMEM_CTX_DEFAULT cannot be destroyed'
says context_twice shmem_ctx_destroy 'ctx was destroyed'
says context_late shmem_ctx_long_p 'ctx was destroyed'
says context_quiet shmem_ctx_quiet 'ctx was destroyed'
says team_late shmem_team_sync 'team was destroyed'
says level shmem_init_thread 'requested is 9, expected SHMEM_THREAD_SINGLE, _FUNNELED, _SERIALIZED or _MULTIPLE'
says freed shmem_long_p "dest $pointer is byte 8 of symmetric memory of 32 bytes that shmem_free has released"
says past shmem_long_put "40 bytes from dest $pointer on are more than the 32 that the symmetric memory of shmem_malloc has there"
says too_many shmem_long_put 'nelems is 4611686018427387903, more than memory can have'
says strided_too_many shmem_long_iput '4611686018427387903 blocks at a stride of 9223372036854775807 are more than memory can have'
says strided_blocks shmem_long_alltoalls 'nelems is 6148914691236517206, more than memory can have'
says after_end shmem_long_p "dest $pointer is 16 bytes after the end of symmetric memory of 32 bytes"
says long_data shmem_putmem "1099511627776 bytes at 0x[0-9a-f]+ \(static \"array\"\) are more than the [0-9]+ that the program's data has there"
says free_inside shmem_free "ptr $pointer is byte 8 of an allocation; expected its first byte, as shmem_malloc has returned it"
says free_twice shmem_free "ptr $pointer has been released before"
says free_own shmem_free "ptr $pointer is not memory of shmem_malloc"
says resize_own shmem_realloc "ptr $pointer is not memory of shmem_malloc"
says alignment shmem_align 'alignment is 24, expected a power of two; NULL is returned'
says sizes shmem_malloc "$differ"
says counts shmem_long_broadcast "$differ"
# No PE receives anything: found by the next call that all PEs wait for, here the last one.
if [ "$some" != some ]; then
  made roots 7
  printf '%s\n' "$output" | grep -Eq 'error.*: shmem_finalize: members of SHMEM_TEAM_WORLD have called different broadcasts' || wrong "expected a difference at shmem_finalize"
fi
says root shmem_long_broadcast 'PE_root is 3, expected 0 to 2'
says reduced shmem_long_sum_reduce "$differ"
says kinds '(shmem_barrier_all|shmem_long_sum_reduce)' "($differ|PE [0-2] called (shmem_barrier_all|shmem_long_sum_reduce) in its place; .*)"
says no_team shmem_team_sync 'team is SHMEM_TEAM_INVALID'
says before shmem_long_p 'called before shmem_init' main
says before_pe shmem_my_pe 'called before shmem_init' main
says after shmem_long_p 'called after shmem_finalize' main

# The ends of global and static objects.
more=--check
says past_object shmem_long_put '40 bytes at 0x[0-9a-f]+ \(static "array"\) are more than the 32 that the object has there'
says past_result shmem_long_fcollect '48 bytes at 0x[0-9a-f]+ \(static "array"\) are more than the 32 that the object has there'
made none 0
more=

# NULL, and the program goes on.
export EYOT_ERRORS=return
made product 0
printf '%s\n' "$output" | grep -Eq "error.*: shmem_calloc: 4611686018427387903 elements of 8 bytes are more than memory can have, NULL is returned .*called at bad\.c:$(line product) \(product\)" || wrong 'the product is not named'
made full 0
printf '%s\n' "$output" | grep -Eq "error.*: shmem_malloc: 35184372088832 bytes with alignment 64 do not fit a heap that grows to 1073721280; raise SHMEM_SYMMETRIC_SIZE .*called at bad\.c:$(line full) \(full\)" || wrong 'SHMEM_SYMMETRIC_SIZE is not named'
[ "$(printf '%s\n' "$output" | grep -c 'called at')" -le 3 ] || wrong 'it says more than one line a PE'
export SHMEM_SYMMETRIC_SIZE=1M
made full 0
printf '%s\n' "$output" | grep -Eq "error.*: shmem_malloc: no room for 35184372088832 bytes, NULL is returned: the symmetric heap has 1048576, of which 0 are in use; raise SHMEM_SYMMETRIC_SIZE .*called at bad\.c:$(line full) \(full\)" || wrong 'SHMEM_SYMMETRIC_SIZE=1M is not named'
[ "$(printf '%s\n' "$output" | grep -c 'called at')" -le 3 ] || wrong 'it says more than one line a PE'
unset SHMEM_SYMMETRIC_SIZE
unset EYOT_ERRORS

export SHMEM_SYMMETRIC_SIZE=much
made none 2
printf '%s\n' "$output" | grep -q 'SHMEM_SYMMETRIC_SIZE=much is not a size: expected a number of bytes, with K, M, G or T, below 16T' || wrong 'the size is not refused'
unset SHMEM_SYMMETRIC_SIZE

[ "$fabric" = mpi ] && more='--watchdog 0.5'
made hang 3
printf '%s\n' "$output" | grep -Eq "PE 0.*: in shmem_long_wait_until, .*word.* to be == 7; it is 0.*; called at bad\.c:$(line hang) \(hang\)" || wrong 'the wait is not named'
more=
if [ "$fabric" = sim ]; then
  made exit_early 1
  printf '%s\n' "$output" | grep -q 'PE [0-2] called exit with code 0 before shmem_finalize' || wrong 'the missing finalize is not named'
  more=--shared-globals
  made none 7
  printf '%s\n' "$output" | grep -Eq 'error.*: shmem_init: .*--shared-globals' || wrong '--shared-globals is not refused'
fi
exit $bad
