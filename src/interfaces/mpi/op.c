/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c - operators of the MPI interface. A function of MPI's has two operands, the second of which
 * becomes the result; a function of eyot's has three. */
#include "interfaces/mpi/op.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FACE_OP(name_)                                                                    \
  FACE_PREDEFINED_HANDLE(ops)                                                             \
  struct eyot_mpi_op eyot_mpi_op_##name_ = {FACE_LIVE, EYOT_##name_, "MPI_" #name_, NULL, \
                                            true,      NULL,         NULL};
EYOT_MPI_OPS(FACE_OP)

int face_op(const struct eyot_mpi_comm *comm, const struct eyot_mpi_op *op) {
  if (face_handle_known(FACE_HANDLE_OP, op) && op->live == FACE_LIVE) return MPI_SUCCESS;
  return face_handle_refuse(comm, FACE_HANDLE_OP, "op", op);
}

/* Whether the type is one of a list, whose last member is NULL. */
static bool is_one_of(const struct eyot_mpi_type *type, const struct eyot_mpi_type *const *list) {
  while (*list != NULL && *list != type) list++;
  return *list != NULL;
}
static const struct eyot_mpi_type *const LOGICAL[] = {MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL, NULL};
/* Integers that are not C's, which logical operators do not take. */
static const struct eyot_mpi_type *const OTHER_INTEGERS[] = {
    MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
    MPI_AINT,    MPI_COUNT,    MPI_OFFSET,   NULL};

enum op_group { ADDS, COMPARES, BITS, LOGIC, LOCATES };
static enum op_group group_of(eyot_op_t op) {
  if (op == EYOT_SUM || op == EYOT_PROD) return ADDS;
  if (op == EYOT_MIN || op == EYOT_MAX) return COMPARES;
  if (op == EYOT_BAND || op == EYOT_BOR || op == EYOT_BXOR) return BITS;
  return op == EYOT_MINLOC || op == EYOT_MAXLOC ? LOCATES : LOGIC;
}

/* The table of MPI 4.1, section 6.9.2. */
static bool takes(enum op_group group, const struct eyot_mpi_type *type) {
  switch (type->element) {
    case EYOT_USER:
      return group == LOCATES && type->located != FACE_NOT_LOCATED;
    case EYOT_INT32_INDEX:
    case EYOT_FLOAT_INDEX:
      return group == LOCATES;
    case EYOT_FLOAT_COMPLEX:
    case EYOT_DOUBLE_COMPLEX:
    case EYOT_LONG_DOUBLE_COMPLEX:
      return group == ADDS;
    case EYOT_FLOAT:
    case EYOT_DOUBLE:
    case EYOT_LONG_DOUBLE:
      return group == ADDS || group == COMPARES;
    case EYOT_BYTE:
      return group == BITS;
    default:
      if (is_one_of(type, LOGICAL)) return group == LOGIC;
      return group != LOCATES && (group != LOGIC || !is_one_of(type, OTHER_INTEGERS));
  }
}

int face_takes(const struct eyot_mpi_comm *comm, const struct eyot_mpi_op *op,
               const struct eyot_mpi_type *type) {
  static const char *const expected[] = {
      [ADDS] = "integers, floating-point or complex numbers",
      [COMPARES] = "integers or floating-point numbers",
      [BITS] = "integers or MPI_BYTE",
      [LOGIC] = "integers of C, MPI_C_BOOL, MPI_CXX_BOOL or MPI_LOGICAL",
      [LOCATES] = "pairs of a value and an index, as MPI_2INT or MPI_DOUBLE_INT"};
  const struct eyot_mpi_type *t = type->predefined_as != NULL ? type->predefined_as : type;
  if (op->function != NULL || takes(group_of(op->op), t)) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_OP, "%s does not take elements of %s, expected %s", op->name,
                   type->name, expected[group_of(op->op)]);
}

/* -- functions with MPI's parameters ----------------------------------------------------------- */

void face_apply(const struct face_pair *pair, const void *in, void *inout, uint64_t n) {
  const char *from = in;
  char *to = inout;
  while (n > 0) {
    int len = n > INT_MAX ? INT_MAX : (int)n;
    MPI_Datatype type = pair->type;
    if (pair->function != NULL)
      pair->function((void *)(uintptr_t)from, to, &len, &type);
    else
      face_apply_predefined(pair->op, type, from, to, (uint64_t)len);
    n -= (uint64_t)len;
    from += (uint64_t)len * (uint64_t)type->extent;
    to += (uint64_t)len * (uint64_t)type->extent;
  }
}

static void minloc(void *in, void *inout, int *len, MPI_Datatype *type) {
  face_apply_predefined(MPI_MINLOC, *type, in, inout, (uint64_t)*len);
}
static void maxloc(void *in, void *inout, int *len, MPI_Datatype *type) {
  face_apply_predefined(MPI_MAXLOC, *type, in, inout, (uint64_t)*len);
}

MPI_User_function *face_function(const struct eyot_mpi_op *op, const struct eyot_mpi_type *type) {
  if (op->function != NULL) return op->function;
  if (type->located == FACE_NOT_LOCATED) return NULL;
  return op == MPI_MINLOC ? minloc : maxloc;
}

/* An eyot_op_fn_t. The function overwrites its second operand: where the result is to lie on the
 * first one, that is copied before, in pieces. */
static void combine(void *out, const void *left, const void *right, uint64_t n, void *context) {
  static _Alignas(max_align_t) char copy[EYOT_OP_BYTES_MAX];
  const struct face_pair *pair = context;
  uint64_t bytes = (uint64_t)pair->type->extent;
  if (out != left) {
    if (out != right) memcpy(out, right, n * bytes);
    face_apply(pair, left, out, n);
    return;
  }
  for (uint64_t i = 0, some; i < n; i += some) {
    some = sizeof copy / bytes;
    if (some > n - i) some = n - i;
    char *to = (char *)out + i * bytes;
    memcpy(copy, to, some * bytes);
    memcpy(to, (const char *)right + i * bytes, some * bytes);
    face_apply(pair, copy, to, some);
  }
}

/* No new collective takes the operator of a pair. */
static void close_pair(struct face_pair *pair) {
  if (pair->eyot != EYOT_NOOP && eyot_op_free(&pair->eyot) != EYOT_OK) face_failed();
}

/* Frees a pair that no collective uses. */
static void end_pair(struct face_pair **at) {
  struct face_pair *pair = *at;
  *at = pair->next;
  close_pair(pair);
  face_type_release(pair->type);
  free(pair);
}

/* Frees the pairs whose operator or datatype the program has freed. */
static void end_dead_pairs(struct eyot_mpi_op *op) {
  struct face_pair **at = &op->pairs;
  while (*at != NULL) {
    bool dead = op->live != FACE_LIVE || (*at)->type->live != FACE_LIVE;
    if (dead && (*at)->pending == 0)
      end_pair(at);
    else
      at = &(*at)->next;
  }
}

void face_pair_done(struct face_pair *pair) {
  pair->pending--;
  end_dead_pairs(pair->op);
}

int face_pair(const struct eyot_mpi_comm *comm, struct eyot_mpi_op *op, struct eyot_mpi_type *type,
              struct face_pair **pair) {
  for (struct face_pair *p = op->pairs; p != NULL; p = p->next) {
    if (p->type != type) continue;
    *pair = p;
    return MPI_SUCCESS;
  }
  end_dead_pairs(op);
  struct face_pair *p = malloc(sizeof *p);
  if (p == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for an operator");
  *p = (struct face_pair){face_function(op, type), op, type, EYOT_NOOP, 0, op->pairs};
  int error = MPI_SUCCESS;
  uint64_t bytes = (uint64_t)type->extent; /* gaps go along */
  if (bytes > 0 && bytes <= EYOT_OP_BYTES_MAX)
    error = face_check(comm, eyot_op_create(combine, p, bytes, op->commutative, &p->eyot));
  if (error != MPI_SUCCESS) {
    free(p);
    return error;
  }
  face_type_hold(type);
  op->pairs = p;
  *pair = p;
  return MPI_SUCCESS;
}

/* -- operators of the program ------------------------------------------------------------------ */

FACE_DEFINE(int, Op_create, (MPI_User_function * user_fn, int commute, MPI_Op *op)) {
  FACE_ENTER("MPI_Op_create");
  FACE_TRY(face_output(NULL, "op", op));
  if (user_fn == NULL)
    return face_fail(NULL, MPI_ERR_ARG, "user_fn is NULL, expected a function that combines");
  struct eyot_mpi_op *made = calloc(1, sizeof *made);
  if (made == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for an operator");
  int error = face_handle_add(NULL, FACE_HANDLE_OP, made);
  if (error != MPI_SUCCESS) {
    free(made);
    return error;
  }
  *made = (struct eyot_mpi_op){.live = FACE_LIVE,
                               .op = EYOT_NOOP,
                               .name = "an operator of MPI_Op_create",
                               .function = user_fn,
                               .commutative = commute != 0,
                               .next = face.ops};
  face.ops = made;
  *op = made;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Op_free, (MPI_Op * op)) {
  FACE_ENTER("MPI_Op_free");
  FACE_TRY(face_output(NULL, "op", op));
  FACE_TRY(face_op(NULL, *op));
  if ((*op)->function == NULL)
    return face_fail(NULL, MPI_ERR_OP, "op is %s, which cannot be freed", (*op)->name);
  (*op)->live = FACE_DEAD;
  end_dead_pairs(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Op_commutative, (MPI_Op op, int *commute)) {
  FACE_ENTER("MPI_Op_commutative");
  FACE_TRY(face_op(NULL, op));
  FACE_TRY(face_output(NULL, "commute", commute));
  *commute = op->commutative;
  return MPI_SUCCESS;
}

static void close_pairs(const struct eyot_mpi_op *op) {
  for (struct face_pair *p = op->pairs; p != NULL; p = p->next) close_pair(p);
}

/* Those of MPI whose operands, of some datatypes, this library combines. */
static struct eyot_mpi_op *const own_pairs[] = {MPI_MINLOC, MPI_MAXLOC};
#define N_OWN (sizeof own_pairs / sizeof own_pairs[0])

void face_ops_end(void) {
  for (size_t i = 0; i < N_OWN; i++) close_pairs(own_pairs[i]);
  for (const struct eyot_mpi_op *op = face.ops; op != NULL; op = op->next) close_pairs(op);
}

void face_ops_free(void) {
  for (size_t i = 0; i < N_OWN; i++)
    while (own_pairs[i]->pairs != NULL) end_pair(&own_pairs[i]->pairs);
  while (face.ops != NULL) {
    struct eyot_mpi_op *op = face.ops;
    face.ops = op->next;
    while (op->pairs != NULL) end_pair(&op->pairs);
    free(op);
  }
}
