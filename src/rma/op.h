/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h - element types and operators: widths, valid pairs, and the combine functions that atomics
 * (rma) and reductions (coll) share.
 *
 * Elements may have any alignment. Thread rule: the functions on a runtime are for one thread of a
 * unit at a time, the others for any. */
#ifndef EYOT_RMA_OP_H
#define EYOT_RMA_OP_H

#include <eyot/op.h>

struct eyot_rt;

/* Bytes of one element; 0 for EYOT_USER and for a value that is no type. */
uint32_t eyoti_type_width(eyot_type_t type);
bool eyoti_type_is_integer(eyot_type_t type);
bool eyoti_type_floats(eyot_type_t type);
/* True if the built-in `op` is defined on elements of `type`. */
bool eyoti_op_defined(eyot_type_t type, eyot_op_t op);
/* True if atomics have the pair: types of 4 and 8 bytes, SUM to NOOP. */
bool eyoti_op_atomic(eyot_type_t type, eyot_op_t op);
/* Logs why atomics do not have the pair, and returns EINVAL. */
int eyoti_op_refuse_atomic(eyot_type_t type, eyot_op_t op);
/* inout[i] = inout[i] OP in[i] for n elements. The pair must be defined. Integer sums and products
 * wrap. */
void eyoti_combine(eyot_type_t type, eyot_op_t op, void *inout, const void *in, uint64_t n);
/* Names for messages; "?" for anything else. */
const char *eyoti_type_name(eyot_type_t type);
const char *eyoti_op_name(eyot_op_t op);

/* out[i] = left[i] OP right[i]; out is left, or right, or overlaps neither. */
typedef void eyoti_combine_fn(void *out, const void *left, const void *right, uint64_t n);

/* A form of elements while they travel and are combined that is wider than the caller's. */
struct eyoti_wire {
  uint32_t element; /* bytes of an element in the caller's buffers */
  uint32_t wide;    /* bytes in this form, a multiple of 8 */
  void (*widen)(void *wide, const void *elements, uint64_t n);
  void (*round)(void *elements, const void *wide, uint64_t n);
};
#define EYOTI_WIRE_MOST 272u /* bytes of the widest form */

/* How a reduction combines elements. A value: it stays valid when a user operator is freed. */
struct eyoti_combiner {
  eyoti_combine_fn *builtin; /* NULL: user */
  eyot_op_fn_t user;
  void *context;
  const struct eyoti_wire *wire; /* NULL: elements travel as they are */
  uint32_t width;                /* bytes of an element that travels */
  bool commutative;              /* false: lower ranks must be on the left */
  bool exact;                    /* every order of combination gives the same bits */
  uint64_t token; /* equal on members whose operators match; for hashes of arguments */
};

/* op_user.c: finds how to reduce elements of `type` by `op`. Errors: EINVAL (the pair is not
 * defined, is for atomics only, the widths differ, or there is no such operator); logged. */
int eyoti_combiner_find(struct eyot_rt *rt, eyot_type_t type, eyot_op_t op,
                        struct eyoti_combiner *out);
/* Bytes of an element in the caller's buffers. */
static inline uint32_t eyoti_combiner_element(const struct eyoti_combiner *c) {
  return c->wire != NULL ? c->wire->element : c->width;
}
/* op_user.c: calls an operator of the program; eyot's functions refuse calls from inside. */
void eyoti_combiner_call(const struct eyoti_combiner *c, void *out, const void *left,
                         const void *right, uint64_t n);
static inline void eyoti_combiner_run(const struct eyoti_combiner *c, void *out, const void *left,
                                      const void *right, uint64_t n) {
  if (c->builtin != NULL)
    c->builtin(out, left, right, n);
  else
    eyoti_combiner_call(c, out, left, right, n);
}
/* The built-in function of a pair, or NULL. */
eyoti_combine_fn *eyoti_op_function(eyot_type_t type, eyot_op_t op);
#endif
