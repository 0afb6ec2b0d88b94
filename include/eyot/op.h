/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/op.h - operators of reductions: what the built-in ones do with each type, value-index pairs,
 * and operators of the program.
 *
 * Operands are combined along one tree over the ranks of the team, the lower ranks' operand on the
 * left, whatever the size, the algorithm and the placement of units (docs/collectives.md). */
#ifndef EYOT_OP_H
#define EYOT_OP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Integers of 8 to 64 bits take SUM, PROD, MIN, MAX, BAND, BOR, BXOR, LAND, LOR and LXOR; FLOAT,
 * DOUBLE and LONG_DOUBLE take SUM, PROD, MIN and MAX; FLOAT_COMPLEX, DOUBLE_COMPLEX and
 * LONG_DOUBLE_COMPLEX SUM and PROD; value-index pairs MINLOC and MAXLOC; FLOAT and DOUBLE also
 * SUM_EXACT.
 *
 * Sums and products of integers wrap. The product of complex numbers is (ac-bd) + (ad+bc)i, without
 * C's recovery of infinities (C17, annex G.5.1). MIN and MAX of floating-point numbers are those of
 * IEEE 754-2019, section 9.6, minimum and maximum: if an operand is not a number the result is not
 * a number, always with the bits of C's NAN; -0 is less than +0. Thus they do not depend on the
 * order of operands. EYOT_MIN and EYOT_MAX of atomics (eyot/atomic.h) do the same. */

/* EYOT_SUM_EXACT is the exact sum of the operands, rounded once to the nearest number of the type,
 * of two the even one, whatever the rounding mode; it raises no floating-point exceptions. It is an
 * infinity only if it rounds to one or an operand is one; NaN if an operand is, or if both
 * infinities are operands, always with the bits of C's NAN; -0 only if all operands are -0, so that
 * -0 is an operand without effect. The result depends on the operands alone, and not on the number
 * of members or their order; what a member has summed before is rounded, and is one operand. While
 * it travels, an element of DOUBLE takes 272 bytes and one of FLOAT 40. Source: U. Kulisch,
 * "Computer Arithmetic and Validity", 2008, section 8; R. M. Neal, "Fast exact summation using
 * small and large superaccumulators", arXiv 1505.05571, 2015, section 3. */

/* A value and its index, which have no padding. MINLOC takes the pair with the least value, MAXLOC
 * that with the greatest one; among equal values (-0 and +0 are equal) that with the least index;
 * if the indices are equal too, the left operand. A value that is not a number is taken before all
 * others, so that it is not lost. */
typedef struct eyot_int32_index {
  int32_t value;
  int32_t index;
} eyot_int32_index_t;
typedef struct eyot_uint32_index {
  uint32_t value;
  int32_t index;
} eyot_uint32_index_t;
typedef struct eyot_float_index {
  float value;
  int32_t index;
} eyot_float_index_t;
typedef struct eyot_int64_index {
  int64_t value;
  int64_t index;
} eyot_int64_index_t;
typedef struct eyot_uint64_index {
  uint64_t value;
  int64_t index;
} eyot_uint64_index_t;
typedef struct eyot_double_index {
  double value;
  int64_t index;
} eyot_double_index_t;

#define EYOT_OP_BYTES_MAX 4096u /* bytes of an element of an operator of the program */
#define EYOT_OP_MAX 1024u       /* such operators of a unit that exist at a time */

/* An operator of the program sets out[i] = left[i] OP right[i] for n elements. It must be
 * associative. out is the same memory as left or as right, or overlaps neither. Elements have any
 * alignment that the buffers of the call have, but at least that of 8 bytes in memory of eyot. The
 * function runs inside a call of eyot on the unit that combines, any number of times with any n; it
 * must not call eyot. context is what eyot_op_create was told. */
typedef void (*eyot_op_fn_t)(void *out, const void *left, const void *right, uint64_t n,
                             void *context);

/* eyot_op_create makes an operator of the program, for reductions of elements of `bytes`
 * bytes, 1..EYOT_OP_BYTES_MAX: those of type EYOT_USER, or of a built-in type of that width.
 * `commutative` says that left and right may be exchanged; no algorithm of this version does so.
 * Each member of a team makes its own; those that are used in one call must agree in `bytes` and
 * `commutative` (else EMISMATCH), and should do the same. Local, not blocking. Errors: ESTATE,
 * EINVAL (function or op is NULL, bytes out of range), EBUSY (EYOT_OP_MAX exist), ENOMEM. Thread
 * rule: that of eyot/init.h. The form follows MPI_Op_create (MPI 4.1, section 6.9.5), but has three
 * operands. */
EYOT_RET int eyot_op_create(eyot_op_fn_t function, void *context, uint64_t bytes, bool commutative,
                            eyot_op_t *op);
/* eyot_op_free ends an operator of the program, and sets *op to EYOT_NOOP. eyot_finalize
 * frees those that are left. Local, not
 * blocking. Errors: ESTATE, EINVAL (NULL, or not an operator of the program that exists). */
EYOT_RET int eyot_op_free(eyot_op_t *op);

#ifdef __cplusplus
}
#endif
#endif
