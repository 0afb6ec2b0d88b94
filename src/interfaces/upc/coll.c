/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c - UPC's collective functions: eyot's on global memory (eyot/coll_global.h), after the
 * caller's relaxed accesses are complete. */
#include "interfaces/upc/upc.h"

#define ALL EYOT_TEAM_ALL

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
      upci_fail(EYOT_EINVAL, "op is %u, expected UPC_ADD to UPC_MAX", op);
  }
}

#define REDUCTION(T, type)                                                                        \
  void upc_all_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,          \
                         size_t blk_size, upc_flag_t mode) {                                      \
    UPCI_ENTER("upc_all_reduce" #T);                                                              \
    upci_complete();                                                                              \
    upci_must(eyot_global_reduce(ALL, type, op_of(op), dst.at, src.at, nelems, blk_size, mode));  \
  }                                                                                               \
  void upc_all_prefix_reduce##T(upc_shared_t dst, upc_shared_t src, upc_op_t op, size_t nelems,   \
                                size_t blk_size, upc_flag_t mode) {                               \
    UPCI_ENTER("upc_all_prefix_reduce" #T);                                                       \
    upci_complete();                                                                              \
    upci_must(                                                                                    \
        eyot_global_prefix_reduce(ALL, type, op_of(op), dst.at, src.at, nelems, blk_size, mode)); \
  }
UPCI_REDUCTIONS(REDUCTION)
