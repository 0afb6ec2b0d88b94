/* SPDX-License-Identifier: BSD-3-Clause */
/* amo.h - one atomic on a resolved word: conversions and checks that atomic.c and array.c share. */
#ifndef EYOT_RMA_AMO_H
#define EYOT_RMA_AMO_H

#include "rma/op.h"
#include "rma/rma.h"

/* Converts between elements and the fabric's form: the bits in the low `width` bytes of a 64-bit
 * word. */
uint64_t eyoti_bits_load(const void *element, uint32_t width);
void eyoti_bits_store(void *element, uint64_t bits, uint32_t width);

/* True if the fabric executes the pair in one operation, which is *out. */
bool eyoti_amo_direct(eyot_type_t type, eyot_op_t op, enum fab_amo_op *out);

/* Checks type, operator and address of an atomic on `n` consecutive elements, and resolves the
 * address. Errors: EINVAL, EALIGN, ERANGE, those of resolve. */
int eyoti_amo_resolve(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                      uint64_t n, struct fab_addr *out);

/* atomic.c: as eyot_fetch_op, eyot_compare_swap and eyot_accumulate_nbi. waits false: *old may be
 * there only at the operation's local completion. */
int eyoti_rma_fetch(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                    const void *operand, void *old, bool waits);
int eyoti_rma_compare_swap(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type,
                           const void *expected, const void *desired, void *old, bool waits);
int eyoti_rma_accumulate(struct eyot_rt *rt, eyot_gptr_t dst, eyot_type_t type, eyot_op_t op,
                         const void *operand);
#endif
