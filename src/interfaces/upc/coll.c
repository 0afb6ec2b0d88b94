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

/* eyot's reductions begin with a whole block. Blocks of one element, or of all, have no phases. */
static void check_phase(upc_shared_t src, size_t blk_size) {
  if (blk_size > 1 && src.phase != 0)
    upci_fail(EYOT_ENOTSUP,
              "src has phase %" PRIu64
              " in blocks of %zu elements, expected 0: a reduction begins with a whole block",
              src.phase, blk_size);
}

/* call_T applies the program's function to elements, which may have any alignment. */
#define REDUCTION(T, type, name)                                                                   \
  static void call_##T(void *result, const void *left, const void *right, uint64_t n,              \
                       void *context) {                                                            \
    name (*func)(name, name) = (name(*)(name, name))(uintptr_t)context;                            \
    for (uint64_t i = 0; i < n; i++) {                                                             \
      name a, b;                                                                                   \
      memcpy(&a, (const char *)left + i * sizeof a, sizeof a);                                     \
      memcpy(&b, (const char *)right + i * sizeof b, sizeof b);                                    \
      a = func(a, b);                                                                              \
      memcpy((char *)result + i * sizeof a, &a, sizeof a);                                         \
    }                                                                                              \
  }                                                                                                \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,           \
                         size_t blk_size, name (*func)(name, name), upc_flag_t mode) {             \
    UPCI_ENTER("upc_all_reduce" #T);                                                               \
    check_phase(src, blk_size);                                                                    \
    upci_complete();                                                                               \
    if (!is_function(op)) {                                                                        \
      upci_must(eyot_global_reduce(ALL, type, op_of(op), dst.at, src.at, nelems, blk_size, mode)); \
      return;                                                                                      \
    }                                                                                              \
    eyot_op_t own = op_new(op, call_##T, (const void *)(uintptr_t)func, sizeof(name));             \
    upci_must(eyot_global_reduce(ALL, EYOT_USER, own, dst.at, src.at, nelems, blk_size, mode));    \
    upci_must(eyot_op_free(&own));                                                                 \
  }                                                                                                \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,    \
                                size_t blk_size, name (*func)(name, name), upc_flag_t mode) {      \
    UPCI_ENTER("upc_all_prefix_reduce" #T);                                                        \
    check_phase(src, blk_size);                                                                    \
    upci_complete();                                                                               \
    if (!is_function(op)) {                                                                        \
      upci_must(eyot_global_prefix_reduce(ALL, type, op_of(op), dst.at, src.at, nelems, blk_size,  \
                                          mode));                                                  \
      return;                                                                                      \
    }                                                                                              \
    eyot_op_t own = op_new(op, call_##T, (const void *)(uintptr_t)func, sizeof(name));             \
    upci_must(                                                                                     \
        eyot_global_prefix_reduce(ALL, EYOT_USER, own, dst.at, src.at, nelems, blk_size, mode));   \
    upci_must(eyot_op_free(&own));                                                                 \
  }
UPCI_REDUCTIONS(REDUCTION)
