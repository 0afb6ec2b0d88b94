/* SPDX-License-Identifier: BSD-3-Clause */
/* op_user.c - operators of the program (eyot/op.h), and the check of a reduction's type and
 * operator.
 *
 * A value of eyot_op_t that names one has bit 30, then a generation, then an index of the unit's
 * table: an operator that was freed is recognized. */
#include <inttypes.h>
#include <stdlib.h>

#include "rma/exact.h"
#include "rma/op.h"
#include "rma/rma.h"

#define USER_BIT (1u << 30)
#define INDEX_BITS 10u
#define GEN_BITS 20u
_Static_assert(1u << INDEX_BITS == EYOT_OP_MAX && INDEX_BITS + GEN_BITS == 30,
               "index and generation fill the bits below USER_BIT");

/* Tokens of built-in pairs have the type in the upper half and the operator in the lower one. */
#define TOKEN_COMMUTATIVE (UINT64_C(1) << 31)

struct user_op {
  eyot_op_fn_t function;
  void *context;
  uint32_t bytes;
  bool commutative;
};

static bool is_user(eyot_op_t op) {
  return ((uint32_t)op & (3u << 30)) == USER_BIT;
}

static struct user_op *user_op_get(const struct eyot_rt *rt, eyot_op_t op) {
  if (!is_user(op)) return NULL;
  uint32_t bits = (uint32_t)op & (USER_BIT - 1);
  return eyoti_idtab_get(&rt->rma->ops, bits & (EYOT_OP_MAX - 1), bits >> INDEX_BITS, GEN_BITS);
}

int eyot_op_create(eyot_op_fn_t function, void *context, uint64_t bytes, bool commutative,
                   eyot_op_t *op) {
  EYOTI_ENTER(rt);
  if (function == NULL) return EYOTI_FAIL(EYOT_EINVAL, "the function of the operator is NULL");
  if (op == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "op is NULL, expected where to store the operator");
  if (bytes == 0 || bytes > EYOT_OP_BYTES_MAX)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "an element of the operator has %" PRIu64 " bytes, expected 1..%u", bytes,
                      EYOT_OP_BYTES_MAX);
  struct eyoti_idtab *t = &rt->rma->ops;
  uint32_t index = eyoti_idtab_next(t);
  if (index == EYOTI_IDTAB_NONE)
    return EYOTI_FAIL(EYOT_EBUSY, "%u operators of the program exist; free some by eyot_op_free",
                      t->live);
  EYOTI_TRY(eyoti_idtab_reserve(t, index));
  struct user_op *u = malloc(sizeof *u);
  if (u == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for an operator (%zu bytes)", sizeof *u);
  *u = (struct user_op){function, context, (uint32_t)bytes, commutative};
  uint64_t gen = eyoti_idtab_next_gen(t, index);
  eyoti_idtab_put(t, index, gen, u);
  uint32_t name = (uint32_t)gen & ((1u << GEN_BITS) - 1);
  *op = (eyot_op_t)(USER_BIT | name << INDEX_BITS | index);
  return EYOT_OK;
}

static int no_op(eyot_op_t op) {
  return EYOTI_FAIL(EYOT_EINVAL,
                    "0x%x is no operator of eyot_op_create that exists here: freed, or another "
                    "unit's",
                    (unsigned)op);
}

int eyot_op_free(eyot_op_t *op) {
  EYOTI_ENTER(rt);
  if (op == NULL) return EYOTI_FAIL(EYOT_EINVAL, "op is NULL, expected an operator to free");
  if (!is_user(*op))
    return EYOTI_FAIL(EYOT_EINVAL, "%s (%d) is no operator of eyot_op_create", eyoti_op_name(*op),
                      (int)*op);
  struct user_op *u = user_op_get(rt, *op);
  if (u == NULL) return no_op(*op);
  eyoti_idtab_del(&rt->rma->ops, (uint32_t)*op & (EYOT_OP_MAX - 1));
  free(u);
  *op = EYOT_NOOP;
  return EYOT_OK;
}

void eyoti_ops_stop(struct eyot_rt *rt) {
  struct eyoti_idtab *t = &rt->rma->ops;
  for (uint32_t i = 0; i < eyoti_idtab_top(t); i++) free(eyoti_idtab_at(t, i));
  eyoti_idtab_fini(t);
}

/* A mark of the calling thread that eyot's functions refuse (rt/threads.c). */
void eyoti_combiner_call(const struct eyoti_combiner *c, void *out, const void *left,
                         const void *right, uint64_t n) {
  struct eyot_rt *rt = eyot_current;
  const void *owner = rt->owner;
  __atomic_store_n(&rt->in_operator, eyoti_rt_thread(), __ATOMIC_RELAXED);
  __atomic_store_n(&rt->owner, NULL, __ATOMIC_RELAXED);
  c->user(out, left, right, n, c->context);
  __atomic_store_n(&rt->owner, owner, __ATOMIC_RELAXED);
  __atomic_store_n(&rt->in_operator, NULL, __ATOMIC_RELAXED);
}

/* -- the operator of a reduction --------------------------------------------------------------- */

static int find_user(struct eyot_rt *rt, eyot_type_t type, eyot_op_t op,
                     struct eyoti_combiner *out) {
  const struct user_op *u = user_op_get(rt, op);
  if (u == NULL) return no_op(op);
  uint32_t width = type == EYOT_USER ? u->bytes : eyoti_type_width(type);
  if (width != u->bytes)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "an element of type %s (%d) has %u bytes, the operator combines elements of "
                      "%u; expected EYOT_USER or a type of that width",
                      eyoti_type_name(type), (int)type, width, u->bytes);
  uint64_t kind = (u->commutative ? TOKEN_COMMUTATIVE : 0) | USER_BIT | u->bytes;
  *out = (struct eyoti_combiner){.user = u->function,
                                 .context = u->context,
                                 .width = u->bytes,
                                 .commutative = u->commutative,
                                 .token = (uint64_t)type << 32 | kind};
  return EYOT_OK;
}

/* Integers, and minima and maxima of numbers, are exact in every order. */
static bool is_exact(eyot_type_t type, eyot_op_t op) {
  return eyoti_type_is_integer(type) || op == EYOT_MIN || op == EYOT_MAX ||
         ((op == EYOT_MINLOC || op == EYOT_MAXLOC) && type != EYOT_FLOAT_INDEX &&
          type != EYOT_DOUBLE_INDEX);
}

/* In any order, by additions that lose nothing. */
static int find_exact(eyot_type_t type, struct eyoti_combiner *out) {
  bool wide = type == EYOT_DOUBLE;
  if (!eyoti_type_floats(type))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "SUM_EXACT is no reduction on type %s (%d), expected EYOT_FLOAT or "
                      "EYOT_DOUBLE; sums of integers are exact by EYOT_SUM",
                      eyoti_type_name(type), (int)type);
  const struct eyoti_wire *wire = wide ? &eyoti_exact_f64 : &eyoti_exact_f32;
  *out = (struct eyoti_combiner){.builtin = wide ? eyoti_exact_f64_add : eyoti_exact_f32_add,
                                 .wire = wire,
                                 .width = wire->wide,
                                 .commutative = true,
                                 .exact = true,
                                 .token = (uint64_t)type << 32 | (uint32_t)EYOT_SUM_EXACT};
  return EYOT_OK;
}

int eyoti_combiner_find(struct eyot_rt *rt, eyot_type_t type, eyot_op_t op,
                        struct eyoti_combiner *out) {
  if (is_user(op)) return find_user(rt, type, op, out);
  if (type == EYOT_USER)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s (%d) is no operator on type USER; expected one of eyot_op_create",
                      eyoti_op_name(op), (int)op);
  if (op == EYOT_SUM_EXACT) return find_exact(type, out);
  if (op == EYOT_REPLACE || op == EYOT_NOOP || !eyoti_op_defined(type, op))
    return EYOTI_FAIL(EYOT_EINVAL,
                      "%s (%d) is no reduction on type %s (%d); eyot/op.h lists the pairs",
                      eyoti_op_name(op), (int)op, eyoti_type_name(type), (int)type);
  *out = (struct eyoti_combiner){.builtin = eyoti_op_function(type, op),
                                 .width = eyoti_type_width(type),
                                 .commutative = true,
                                 .exact = is_exact(type, op),
                                 .token = (uint64_t)type << 32 | (uint32_t)op};
  return EYOT_OK;
}
