/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - element types and operators: widths, valid pairs, and the combine function that atomics
 * (rma) and reductions (coll) share. */
#ifndef EYOT_RMA_OP_H
#define EYOT_RMA_OP_H

#include <eyot/types.h>

/* Bytes of one element; 0 for a value that is no type. */
uint32_t eyoti_type_width(eyot_type_t type);
bool eyoti_type_is_integer(eyot_type_t type);
bool eyoti_type_floats(eyot_type_t type);
/* True if `op` is defined on elements of `type` (bit operators: integers only; EYOT_BYTE: none). */
bool eyoti_op_defined(eyot_type_t type, eyot_op_t op);
/* inout[i] = inout[i] OP in[i] for n elements. The pair must be defined. Integer sums and products
 * wrap. */
void eyoti_combine(eyot_type_t type, eyot_op_t op, void *inout, const void *in, uint64_t n);
/* Names for messages; "?" for anything else. */
const char *eyoti_type_name(eyot_type_t type);
const char *eyoti_op_name(eyot_op_t op);
#endif
