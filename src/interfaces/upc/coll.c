/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - UPC's collective functions: eyot's on global memory (eyot/coll_global.h), after the
 * caller's relaxed accesses are complete. */
#include <inttypes.h>
#include <string.h>

#include "interfaces/upc/upc.h"

#define ALL EYOT_TEAM_ALL

_Static_assert((int)EYOT_IN_ALLSYNC == UPC_IN_ALLSYNC && (int)EYOT_IN_MYSYNC == UPC_IN_MYSYNC &&
                   (int)EYOT_IN_NOSYNC == UPC_IN_NOSYNC &&
                   (int)EYOT_OUT_ALLSYNC == UPC_OUT_ALLSYNC &&
                   (int)EYOT_OUT_MYSYNC == UPC_OUT_MYSYNC && (int)EYOT_OUT_NOSYNC == UPC_OUT_NOSYNC,
               "modes pass unchanged");

void upc_all_broadcast(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode) {
  UPCI_ENTER("upc_all_broadcast");
  upci_complete();
  upci_must(eyot_global_broadcast(ALL, dst.at, src.at, nbytes, mode));
}

void upc_all_scatter(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode) {
  UPCI_ENTER("upc_all_scatter");
  upci_complete();
  upci_must(eyot_global_scatter(ALL, dst.at, src.at, nbytes, mode));
}

void upc_all_gather(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode) {
  UPCI_ENTER("upc_all_gather");
  upci_complete();
  upci_must(eyot_global_gather(ALL, dst.at, src.at, nbytes, mode));
}

void upc_all_gather_all(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode) {
  UPCI_ENTER("upc_all_gather_all");
  upci_complete();
  upci_must(eyot_global_gather_all(ALL, dst.at, src.at, nbytes, mode));
}

void upc_all_exchange(upc_shared_t dst, upc_shared_t src, size_t nbytes, upc_flag_t mode) {
  UPCI_ENTER("upc_all_exchange");
  upci_complete();
  upci_must(eyot_global_exchange(ALL, dst.at, src.at, nbytes, mode));
}

void upc_all_permute(upc_shared_t dst, upc_shared_t src, upc_shared_t perm, size_t nbytes,
                     upc_flag_t mode) {
  UPCI_ENTER("upc_all_permute");
  int to;
  if (!(mode & (UPC_IN_MYSYNC | UPC_IN_NOSYNC))) upci_barrier_all();
  upci_complete();
  upci_must(eyot_get(&to, eyot_gptr_at(perm.at, eyot_me()), sizeof to));
  upci_must(eyot_global_permute(ALL, dst.at, src.at, (eyot_tunit_t){(uint32_t)to}, nbytes, mode));
}

static eyot_op_t op_of(upc_op_t op) {
  switch (op) {
    case UPC_ADD:
      return EYOT_SUM;
    case UPC_MULT:
      return EYOT_PROD;
    case UPC_AND:
      return EYOT_BAND;
    case UPC_OR:
      return EYOT_BOR;
    case UPC_XOR:
      return EYOT_BXOR;
    case UPC_LOGAND:
      return EYOT_LAND;
    case UPC_LOGOR:
      return EYOT_LOR;
    case UPC_MIN:
      return EYOT_MIN;
    case UPC_MAX:
      return EYOT_MAX;
    default:
      upci_fail(EYOT_EINVAL,
                "op is %lu, expected one of UPC_ADD to UPC_MAX, UPC_FUNC or UPC_NONCOMM_FUNC", op);
  }
}

/* Logical operators of floating-point numbers, which UPC has and eyot has not. */
#define LOGICAL(T, type)                                                                 \
  static void logical_##T(void *result, const void *left, const void *right, uint64_t n, \
                          void *context) {                                               \
    bool is_or = context != NULL;                                                        \
    for (uint64_t i = 0; i < n; i++) {                                                   \
      type a, b;                                                                         \
      memcpy(&a, (const char *)left + i * sizeof a, sizeof a);                           \
      memcpy(&b, (const char *)right + i * sizeof b, sizeof b);                          \
      a = is_or ? a != 0 || b != 0 : a != 0 && b != 0;                                   \
      memcpy((char *)result + i * sizeof a, &a, sizeof a);                               \
    }                                                                                    \
  }
LOGICAL(F, float)
LOGICAL(D, double)
LOGICAL(LD, long double)

static eyot_op_fn_t logical_of(upc_op_t op, eyot_type_t type) {
  if (op != UPC_LOGAND && op != UPC_LOGOR) return NULL;
  return type == EYOT_FLOAT         ? logical_F
         : type == EYOT_DOUBLE      ? logical_D
         : type == EYOT_LONG_DOUBLE ? logical_LD
                                    : NULL;
}

/* How a reduction combines: an operator of eyot, or one made for this call. */
struct with {
  eyot_type_t elements;
  eyot_op_t op;
  bool made;
};

static struct with with_made(eyot_type_t type, eyot_op_fn_t call, const void *context, size_t bytes,
                             bool commutative) {
  struct with w = {type, EYOT_NOOP, true};
  upci_must(eyot_op_create(call, (void *)(uintptr_t)context, bytes, commutative, &w.op));
  return w;
}

/* call applies the program's function func. */
static struct with with_new(upc_op_t op, eyot_type_t type, eyot_op_fn_t call, const void *func,
                            size_t bytes) {
  eyot_op_fn_t logical = logical_of(op, type);
  if (logical != NULL) return with_made(type, logical, op == UPC_LOGOR ? "or" : NULL, bytes, true);
  if (op != UPC_FUNC && op != UPC_NONCOMM_FUNC) return (struct with){type, op_of(op), false};
  if (func == NULL)
    upci_fail(EYOT_EINVAL, "func is NULL, expected a function: op is %s",
              op == UPC_FUNC ? "UPC_FUNC" : "UPC_NONCOMM_FUNC");
  return with_made(type, call, func, bytes, op == UPC_FUNC);
}

static void with_end(struct with *w) {
  if (w->made) upci_must(eyot_op_free(&w->op));
}

/* -- reductions of arrays that begin within a block -------------------------------------------- */

/* eyot's reductions begin with a whole block; blocks of one element, or of all, have no phases.
 * Other arrays are copied to one that begins with a whole block, each thread its blocks of that,
 * and prefixes back. The modes become ALLSYNC, which promises more. Collective. */
struct whole {
  upc_shared_t at, src; /* at: the copy, or src itself */
  size_t n, block, bytes;
  upc_flag_t mode;
  bool copied;
};

/* Copies the caller's blocks of the copy from the array that begins at `other`, or to it. */
static void whole_move(const struct whole *w, upc_shared_t other, bool back) {
  for (size_t e = (size_t)MYTHREAD * w->block; e < w->n; e += (size_t)(THREADS - 1) * w->block) {
    size_t end = w->n - e < w->block ? w->n : e + w->block, run;
    char *mine = upc_cast(upc_add(w->at, (int64_t)e, w->bytes, w->block));
    for (; e < end; e += run, mine += run * w->bytes) {
      upc_shared_t p = upc_add(other, (int64_t)e, w->bytes, w->block);
      run = w->block - p.phase < end - e ? w->block - p.phase : end - e;
      upci_must(back ? eyot_put(p.at, mine, run * w->bytes) : eyot_get(mine, p.at, run * w->bytes));
    }
  }
}

static struct whole whole_begin(upc_shared_t src, size_t n, size_t block, size_t bytes,
                                upc_flag_t mode) {
  struct whole w = {src, src, n, block, bytes, mode, block > 1 && src.phase != 0 && n > 0};
  upci_complete();
  if (!w.copied) return w;
  if (src.phase >= block)
    upci_fail(EYOT_EINVAL, "src has phase %" PRIu64 " in blocks of %zu elements", src.phase, block);
  w.mode = UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC;
  w.at = upci_all_take((n - 1) / block + 1, block * bytes);
  upci_barrier_all();
  whole_move(&w, src, false);
  return w;
}

/* dst: where prefixes go, or null. */
static void whole_end(const struct whole *w, upc_shared_t dst) {
  if (!w->copied) return;
  if (!upc_isnull(dst)) whole_move(w, dst, true);
  upci_barrier_all();
  if (MYTHREAD == 0) upc_free(w->at);
}

/* call_T applies the program's function to elements, which may have any alignment. */
#define REDUCTION(T, type, name)                                                                  \
  static void call_##T(void *result, const void *left, const void *right, uint64_t n,             \
                       void *context) {                                                           \
    name (*func)(name, name) = (name(*)(name, name))(uintptr_t)context;                           \
    for (uint64_t i = 0; i < n; i++) {                                                            \
      name a, b;                                                                                  \
      memcpy(&a, (const char *)left + i * sizeof a, sizeof a);                                    \
      memcpy(&b, (const char *)right + i * sizeof b, sizeof b);                                   \
      a = func(a, b);                                                                             \
      memcpy((char *)result + i * sizeof a, &a, sizeof a);                                        \
    }                                                                                             \
  }                                                                                               \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,          \
                         size_t blk_size, name (*func)(name, name), upc_flag_t mode) {            \
    UPCI_ENTER("upc_all_reduce" #T);                                                              \
    struct with with = with_new(op, type, call_##T, (const void *)(uintptr_t)func, sizeof(name)); \
    struct whole w = whole_begin(src, nelems, blk_size, sizeof(name), mode);                      \
    upci_must(eyot_global_reduce(ALL, with.elements, with.op, dst.at, w.at.at, nelems, blk_size,  \
                                 w.mode));                                                        \
    whole_end(&w, UPC_NULL);                                                                      \
    with_end(&with);                                                                              \
  }                                                                                               \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,   \
                                size_t blk_size, name (*func)(name, name), upc_flag_t mode) {     \
    UPCI_ENTER("upc_all_prefix_reduce" #T);                                                       \
    struct with with = with_new(op, type, call_##T, (const void *)(uintptr_t)func, sizeof(name)); \
    struct whole w = whole_begin(src, nelems, blk_size, sizeof(name), mode);                      \
    upci_must(eyot_global_prefix_reduce(ALL, with.elements, with.op, w.copied ? w.at.at : dst.at, \
                                        w.at.at, nelems, blk_size, w.mode));                      \
    whole_end(&w, dst);                                                                           \
    with_end(&with);                                                                              \
  }
UPCI_REDUCTIONS(REDUCTION)
