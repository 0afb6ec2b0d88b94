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

/* An operator of the program, for one call. */
static eyot_op_t op_new(upc_op_t op, eyot_op_fn_t call, const void *func, size_t bytes) {
  eyot_op_t made;
  if (func == NULL)
    upci_fail(EYOT_EINVAL, "func is NULL, expected a function: op is %s",
              op == UPC_FUNC ? "UPC_FUNC" : "UPC_NONCOMM_FUNC");
  upci_must(eyot_op_create(call, (void *)(uintptr_t)func, bytes, op == UPC_FUNC, &made));
  return made;
}

static bool is_function(upc_op_t op) {
  return op == UPC_FUNC || op == UPC_NONCOMM_FUNC;
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
#define REDUCTION(T, type, name)                                                                 \
  static void call_##T(void *result, const void *left, const void *right, uint64_t n,            \
                       void *context) {                                                          \
    name (*func)(name, name) = (name(*)(name, name))(uintptr_t)context;                          \
    for (uint64_t i = 0; i < n; i++) {                                                           \
      name a, b;                                                                                 \
      memcpy(&a, (const char *)left + i * sizeof a, sizeof a);                                   \
      memcpy(&b, (const char *)right + i * sizeof b, sizeof b);                                  \
      a = func(a, b);                                                                            \
      memcpy((char *)result + i * sizeof a, &a, sizeof a);                                       \
    }                                                                                            \
  }                                                                                              \
  static eyot_op_t begin_##T(upc_op_t op, name (*func)(name, name)) {                            \
    return is_function(op) ? op_new(op, call_##T, (const void *)(uintptr_t)func, sizeof(name))   \
                           : op_of(op);                                                          \
  }                                                                                              \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,         \
                         size_t blk_size, name (*func)(name, name), upc_flag_t mode) {           \
    UPCI_ENTER("upc_all_reduce" #T);                                                             \
    eyot_op_t with = begin_##T(op, func);                                                        \
    struct whole w = whole_begin(src, nelems, blk_size, sizeof(name), mode);                     \
    upci_must(eyot_global_reduce(ALL, is_function(op) ? EYOT_USER : type, with, dst.at, w.at.at, \
                                 nelems, blk_size, w.mode));                                     \
    whole_end(&w, UPC_NULL);                                                                     \
    if (is_function(op)) upci_must(eyot_op_free(&with));                                         \
  }                                                                                              \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,  \
                                size_t blk_size, name (*func)(name, name), upc_flag_t mode) {    \
    UPCI_ENTER("upc_all_prefix_reduce" #T);                                                      \
    eyot_op_t with = begin_##T(op, func);                                                        \
    struct whole w = whole_begin(src, nelems, blk_size, sizeof(name), mode);                     \
    upci_must(eyot_global_prefix_reduce(ALL, is_function(op) ? EYOT_USER : type, with,           \
                                        w.copied ? w.at.at : dst.at, w.at.at, nelems, blk_size,  \
                                        w.mode));                                                \
    whole_end(&w, dst);                                                                          \
    if (is_function(op)) upci_must(eyot_op_free(&with));                                         \
  }
UPCI_REDUCTIONS(REDUCTION)
