/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.h - exact sums of floating-point numbers (EYOT_SUM_EXACT): numbers as long integers, their
 * addition, and the rounding of a sum. For op_user.c.
 *
 * A sum is a fixed-point number of two's complement whose unit is the least denormal number, with
 * room for the greatest number 2^32 times: 2,168 bits for double, 312 for float. Additions lose
 * nothing, so their order has no effect, and one rounding at the end gives the number next to the
 * sum. That is the long accumulator of U. Kulisch (Computer Arithmetic and Validity, 2008, section
 * 8), the "small superaccumulator" of R. M. Neal, "Fast exact summation using small and large
 * superaccumulators", arXiv 1505.05571, 2015, section 3, with carries propagated at each addition:
 * every sum has one form.
 *
 * Elements have any alignment. Thread rule: any thread. */
#ifndef EYOT_RMA_EXACT_H
#define EYOT_RMA_EXACT_H

#include "rma/op.h"

#define EYOTI_EXACT_F32_BYTES 40u
#define EYOTI_EXACT_F64_BYTES 272u

/* The forms of EYOT_FLOAT and EYOT_DOUBLE. */
extern const struct eyoti_wire eyoti_exact_f32, eyoti_exact_f64;
/* Combine functions of elements in these forms. */
eyoti_combine_fn eyoti_exact_f32_add, eyoti_exact_f64_add;
#endif
