/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/signal.h - put-with-signal and wait-until: the way one unit tells another that data have arrived (seed 000 section 9, future work:
 * remote completion notification; OpenSHMEM 1.5's put-with-signal). */
#ifndef EYOT_SIGNAL_H
#define EYOT_SIGNAL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum eyot_signal_op { EYOT_SIGNAL_SET = 0, EYOT_SIGNAL_ADD = 1 } eyot_signal_op_t;

/* Puts len bytes (0 is allowed: then dst may be null) and afterwards sets or adds to the 64-bit signal word at `sig`, which must be on the same unit.
 * Whoever sees the signal sees the bytes. Blocking: remotely complete. Errors: those of rma.h, EALIGN (sig), EUNIT (different units). */
EYOT_API int eyot_put_signal(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                             eyot_signal_op_t op, uint64_t value);
/* Non-blocking; completed by wait/test of the handle, or by flush for the implicit form. */
EYOT_API int eyot_put_signal_nb(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                eyot_signal_op_t op, uint64_t value, eyot_handle_t *handle);
EYOT_API int eyot_put_signal_nbi(eyot_gptr_t dst, const void *src, uint64_t len, eyot_gptr_t sig,
                                 eyot_signal_op_t op, uint64_t value);

/* Blocks until the 64-bit word at `sig`, in the caller's own memory, satisfies `word cmp value`; *seen (may be NULL) is the value that did. Makes
 * progress. Full acquire: bytes that were put before the signal are visible. Errors: ESEG, ERANGE, EUNIT (not the caller's word), EALIGN, EINVAL. */
EYOT_API int eyot_wait_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen);
/* The same for at most timeout_ns (virtual time on sim, wall time on mpi). Errors: also ETIMEOUT. */
EYOT_API int eyot_wait_until_timeout(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value,
                                     uint64_t timeout_ns, uint64_t *seen);
/* Looks once; does not block. */
EYOT_API int eyot_test_until(eyot_gptr_t sig, eyot_cmp_t cmp, uint64_t value, uint64_t *seen,
                             bool *done);

#ifdef __cplusplus
}
#endif
#endif
