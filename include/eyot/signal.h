/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/signal.h - put-with-signal and wait-until: the way in which one unit tells another that data
 * have arrived, and waits for words of any type and for several of them. Sources: H. Zhou,
 * "Communication Methods for Hierarchical Global Address Space Models in HPC", 2016, section 9.2
 * (remote completion notification); OpenSHMEM 1.5, put-with-signal.
 *
 * Thread rule: that of eyot/init.h. */
#ifndef EYOT_SIGNAL_H
#define EYOT_SIGNAL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum eyot_signal_op { EYOT_SIGNAL_SET = 0, EYOT_SIGNAL_ADD = 1 } eyot_signal_op_t;

/* eyot_put_signal puts len bytes (with 0, dst may be null and src NULL) and then sets, or adds
 * `value` to, the 64-bit signal word at `sig`, which must be on the same unit. A unit that sees the
 * signal sees the bytes. Called by one unit, blocking: remotely complete on return. Errors: those
 * of rma.h, EALIGN (sig is not aligned to 8), EUNIT (different units). */
EYOT_RET int eyot_put_signal(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                             eyot_signal_op_t op, uint64_t value);
/* eyot_put_signal_local returns at local completion: src may be reused; bytes and signal arrive at
 * some time, as those of eyot_put_signal_nbi. Blocking. Errors: as eyot_put_signal. */
EYOT_RET int eyot_put_signal_local(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                   eyot_signal_op_t op, uint64_t value);
/* These are its non-blocking forms: _nb is completed by wait or test of the handle, _nbi by flush.
 * src must stay untouched until local completion. Errors: as eyot_put_signal. */
EYOT_RET int eyot_put_signal_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                eyot_signal_op_t op, uint64_t value, eyot_handle_t *handle);
EYOT_RET int eyot_put_signal_nbi(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                 eyot_signal_op_t op, uint64_t value);

/* -- waiting for a word ------------------------------------------------------------------------
 * A unit waits for words of its own memory: allocated, registered or dynamic. Signals, atomics and
 * puts of other units, and results of its own operations, change them. A wait is a full acquire:
 * what a signal, an atomic, or an aligned put of 2, 4 or 8 bytes has made it see, it sees with all
 * that the sender had completed or ordered before. A longer or unaligned put may end a wait too; it
 * synchronizes nothing. See docs/memory-model.md, rules 9 and 10. */

/* eyot_wait_until waits until the unsigned 64-bit word at `sig` satisfies `word cmp value`; *seen
 * (seen may be NULL) is the value that did. Called by one unit, blocking; makes progress. Errors:
 * ESTATE, ESEG, ERANGE, EUNIT (not the caller's word), EALIGN, EINVAL. */
EYOT_RET int eyot_wait_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen);
/* eyot_wait_until_timeout is eyot_wait_until for at most timeout_ns (virtual time on sim,
 * wall-clock time on mpi). Errors: also ETIMEOUT. */
EYOT_RET int eyot_wait_until_timeout(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value,
                                     uint64_t timeout_ns, uint64_t *seen);
/* eyot_test_until looks once and sets *done to whether the comparison holds; does not block. If
 * *done is true it is an acquire like eyot_wait_until, and *seen is as there. Errors: as
 * eyot_wait_until. */
EYOT_RET int eyot_test_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen,
                             bool *done);

/* -- words of any type, and several (OpenSHMEM 1.5, section 9.10: point-to-point synchronization)
 *    ------------------------------------------------------------------------------------------- */

/* The condition `*word cmp value`. word: aligned to its width. type: EYOT_INT32, EYOT_UINT32,
 * EYOT_INT64 or EYOT_UINT64. value: converted to the type, so that (uint64_t)-1 stands for -1. In a
 * list a condition whose word is EYOT_GPTR_NULL is left out; the others keep their indices. */
typedef struct eyot_cond {
  eyot_gptr_t word;
  eyot_type_t type;
  eyot_cmp_t cmp;
  uint64_t value;
} eyot_cond_t;

#define EYOT_FOREVER UINT64_MAX /* as timeout_ns: without end */
#define EYOT_NO_COND SIZE_MAX   /* no index of a list */

/* eyot_wait_until_word waits until the condition holds, for at most timeout_ns (EYOT_FOREVER; 0:
 * looks once). *seen (seen may be NULL): the value that did, of 4 bytes extended by its type:
 * (int64_t)*seen is a signed value. Called by one unit, blocking; makes progress. Errors: as
 * eyot_wait_until, and ETIMEOUT. */
EYOT_RET int eyot_wait_until_word(const eyot_cond_t *cond, uint64_t timeout_ns, uint64_t *seen);
/* eyot_test_until_word looks once and sets *done to whether the condition holds; does not block.
 * Errors: as eyot_wait_until. */
EYOT_RET int eyot_test_until_word(const eyot_cond_t *cond, uint64_t *seen, bool *done);

/* eyot_wait_until_any waits until one of n conditions holds; *index is the lowest that does. If all
 * are left out (or n is 0) it returns at once, and *index is EYOT_NO_COND. _some waits likewise and
 * returns all conditions that hold: *count indices, ascending, in indices[n]; 0 if all are left
 * out. _all waits until each condition has held once, not necessarily all at the same time. All
 * conditions are checked before the wait, whether they are reached or not. A list may have
 * thousands of conditions; more than 16 are copied to allocated memory. Called by one unit,
 * blocking; makes progress. Errors: as eyot_wait_until_word; ENOMEM (_any and _some). */
EYOT_RET int eyot_wait_until_any(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns,
                                 size_t *index);
EYOT_RET int eyot_wait_until_some(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns,
                                  size_t *indices, size_t *count);
EYOT_RET int eyot_wait_until_all(const eyot_cond_t *conds, size_t n, uint64_t timeout_ns);
/* The tests look once at each condition and do not block. If none holds, *index is EYOT_NO_COND,
 * *count 0. *done of _all: whether each holds, which is so for a list without conditions. Errors:
 * as those of the waits, without ETIMEOUT. */
EYOT_RET int eyot_test_until_any(const eyot_cond_t *conds, size_t n, size_t *index);
EYOT_RET int eyot_test_until_some(const eyot_cond_t *conds, size_t n, size_t *indices,
                                  size_t *count);
EYOT_RET int eyot_test_until_all(const eyot_cond_t *conds, size_t n, bool *done);

#ifdef __cplusplus
}
#endif
#endif
