/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/signal.h - put-with-signal and wait-until: the way in which one unit tells another that data
 * have arrived. Sources: H. Zhou, "Communication Methods for Hierarchical Global Address Space
 * Models in HPC", 2016, section 9.2 (remote completion notification); OpenSHMEM 1.5,
 * put-with-signal.
 *
 * Thread rule: the thread that called eyot_init. */
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
/* These are its non-blocking forms: _nb is completed by wait or test of the handle, _nbi by flush.
 * src must stay untouched until local completion. Errors: as eyot_put_signal. */
EYOT_RET int eyot_put_signal_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                eyot_signal_op_t op, uint64_t value, eyot_handle_t *handle);
EYOT_RET int eyot_put_signal_nbi(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                 eyot_signal_op_t op, uint64_t value);

/* eyot_wait_until waits until the 64-bit word at `sig`, in the caller's own memory, satisfies `word
 * cmp value`; *seen (seen may be NULL) is the value that did. Called by one unit, blocking; makes
 * progress. Full acquire: bytes that were put before the signal are visible. Errors: ESTATE, ESEG
 * (also registered or dynamic memory), ERANGE, EUNIT (not the caller's word), EALIGN, EINVAL. */
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

#ifdef __cplusplus
}
#endif
#endif
