/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic.c - atomic operations, and signal_set and signal_add. Words of 4 and 8 bytes; all integers
 * of one width are one type of eyot, so that operations by different names for it are atomic to
 * each other. */
#include <string.h>

#include "interfaces/openshmem/osh.h"

/* An operation on a word: EYOT_UINT32, EYOT_UINT64, EYOT_FLOAT or EYOT_DOUBLE. */
struct osh_update {
  eyot_op_t op;
  const void *operand;
  eyot_type_t type;
};
#define TYPE(T)                   \
  _Generic((T)0, float            \
           : EYOT_FLOAT, double   \
           : EYOT_DOUBLE, default \
           : sizeof(T) == sizeof(uint32_t) ? EYOT_UINT32 : EYOT_UINT64)

static uint64_t bytes_of(eyot_type_t type) {
  return type == EYOT_UINT32 || type == EYOT_FLOAT ? sizeof(uint32_t) : sizeof(uint64_t);
}

static eyot_gptr_t word(const char *what, shmem_ctx_t ctx, const void *dest, uint64_t bytes,
                        int pe) {
  eyot_gptr_t g;
  if (osh_is_default(ctx) && osh_recent(dest, bytes, pe, &g)) return g;
  return osh_gptr(what, dest, bytes, osh_pe(ctx, pe));
}

/* The result is here on return: whichever set the operation would be of, it is complete. */
static void fetch(shmem_ctx_t ctx, const void *dest, struct osh_update u, void *old, int pe) {
  eyot_gptr_t g = word("dest", ctx, dest, bytes_of(u.type), pe);
  osh_must(eyot_fetch_op(g, u.type, u.op, u.operand, old));
}

static void fetch_nbi(shmem_ctx_t ctx, void *result, const void *dest, struct osh_update u,
                      int pe) {
  eyot_gptr_t g = word("dest", ctx, dest, bytes_of(u.type), pe);
  osh_must(eyot_set_fetch_op(ctx->set, g, u.type, u.op, u.operand, result));
}

static void apply(shmem_ctx_t ctx, void *dest, struct osh_update u, int pe) {
  eyot_gptr_t g = word("dest", ctx, dest, bytes_of(u.type), pe);
  osh_must(osh_is_default(ctx) ? eyot_accumulate_nbi(g, u.type, u.op, u.operand)
                               : eyot_set_accumulate(ctx->set, g, u.type, u.op, u.operand));
}

static void swap_if(shmem_ctx_t ctx, void *dest, const void *cond, const void *value,
                    eyot_type_t type, void *old, int pe) {
  eyot_gptr_t g = word("dest", ctx, dest, bytes_of(type), pe);
  osh_must(eyot_compare_swap(g, type, cond, value, old));
}

static void swap_if_nbi(shmem_ctx_t ctx, void *result, void *dest, const void *cond,
                        const void *value, eyot_type_t type, int pe) {
  eyot_gptr_t g = word("dest", ctx, dest, bytes_of(type), pe);
  osh_must(eyot_set_compare_swap(ctx->set, g, type, cond, value, result));
}

/* -- the functions ----------------------------------------------------------------------------- */

/* The type of eyot whose atomics fetch and set the words of T: only their bytes count for these. */
#define BITS(T, op)                                                  \
  ((op) == EYOT_NOOP || (op) == EYOT_REPLACE                         \
       ? (sizeof(T) == sizeof(uint32_t) ? EYOT_UINT32 : EYOT_UINT64) \
       : TYPE(T))
/* Whether an operation without a context, or of the default one, was an instruction on a mapped
 * word: it cannot fail, and needs no mark of the caller. */
#define MAPPED(T, C, g) (osh_is_default(C) && osh_recent(dest, sizeof(T), pe, &(g)))

/* The bodies of one type; `operand` is a variable of the function. */
#define FETCH(T, C, call, op, operand)                                                          \
  {                                                                                             \
    T old;                                                                                      \
    eyot_gptr_t g;                                                                              \
    if (MAPPED(T, C, g) && eyot_fetch_op_mapped(g, BITS(T, op), op, operand, &old)) return old; \
    OSH_ENTER(call);                                                                            \
    fetch(C, dest, (struct osh_update){op, operand, TYPE(T)}, &old, pe);                        \
    return old;                                                                                 \
  }
#define FETCH_NBI(T, C, call, op, operand)                                     \
  {                                                                            \
    OSH_ENTER(call);                                                           \
    fetch_nbi(C, fetch_, dest, (struct osh_update){op, operand, TYPE(T)}, pe); \
  }
#define APPLY(T, C, call, op, operand)                                                      \
  {                                                                                         \
    eyot_gptr_t g;                                                                          \
    if (MAPPED(T, C, g) && eyot_fetch_op_mapped(g, BITS(T, op), op, operand, NULL)) return; \
    OSH_ENTER(call);                                                                        \
    apply(C, dest, (struct osh_update){op, operand, TYPE(T)}, pe);                          \
  }

#define WITH_VALUE(R, T, name, BODY, op)                                  \
  OSH_DEFINE(R, name, (T * dest, T value, int pe))                        \
  BODY(T, SHMEM_CTX_DEFAULT, "shmem_" #name, op, &value)                  \
  OSH_DEFINE(R, ctx_##name, (shmem_ctx_t ctx, T * dest, T value, int pe)) \
  BODY(T, ctx, "shmem_ctx_" #name, op, &value)
#define WITH_VALUE_NBI(T, name, op)                                                      \
  OSH_DEFINE(void, name, (T * fetch_, T * dest, T value, int pe))                        \
  FETCH_NBI(T, SHMEM_CTX_DEFAULT, "shmem_" #name, op, &value)                            \
  OSH_DEFINE(void, ctx_##name, (shmem_ctx_t ctx, T * fetch_, T * dest, T value, int pe)) \
  FETCH_NBI(T, ctx, "shmem_ctx_" #name, op, &value)
#define WITH_ONE(R, T, name, BODY)                               \
  OSH_DEFINE(R, name, (T * dest, int pe))                        \
  BODY(T, SHMEM_CTX_DEFAULT, "shmem_" #name, EYOT_SUM, &(T){1})  \
  OSH_DEFINE(R, ctx_##name, (shmem_ctx_t ctx, T * dest, int pe)) \
  BODY(T, ctx, "shmem_ctx_" #name, EYOT_SUM, &(T){1})

#define DEFINE_EXTENDED(T, N, op)                                                   \
  OSH_DEFINE(T, N##_atomic_fetch, (const T *dest, int pe))                          \
  FETCH(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_atomic_fetch", EYOT_NOOP, NULL)         \
  OSH_DEFINE(T, ctx_##N##_atomic_fetch, (shmem_ctx_t ctx, const T *dest, int pe))   \
  FETCH(T, ctx, "shmem_ctx_" #N "_atomic_fetch", EYOT_NOOP, NULL)                   \
  OSH_DEFINE(void, N##_atomic_fetch_nbi, (T * fetch_, const T *dest, int pe))       \
  FETCH_NBI(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_atomic_fetch_nbi", EYOT_NOOP, NULL) \
  OSH_DEFINE(void, ctx_##N##_atomic_fetch_nbi,                                      \
             (shmem_ctx_t ctx, T * fetch_, const T *dest, int pe))                  \
  FETCH_NBI(T, ctx, "shmem_ctx_" #N "_atomic_fetch_nbi", EYOT_NOOP, NULL)           \
  WITH_VALUE(void, T, N##_atomic_set, APPLY, EYOT_REPLACE)                          \
  WITH_VALUE(T, T, N##_atomic_swap, FETCH, EYOT_REPLACE)                            \
  WITH_VALUE_NBI(T, N##_atomic_swap_nbi, EYOT_REPLACE)                              \
  OSH_DEFINE(T, N##_fetch, (const T *dest, int pe))                                 \
  FETCH(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_fetch", EYOT_NOOP, NULL)                \
  OSH_DEFINE(void, N##_set, (T * dest, T value, int pe))                            \
  APPLY(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_set", EYOT_REPLACE, &value)             \
  OSH_DEFINE(T, N##_swap, (T * dest, T value, int pe))                              \
  FETCH(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_swap", EYOT_REPLACE, &value)

#define SWAP_IF(T, C, call)                                                                       \
  {                                                                                               \
    T old;                                                                                        \
    eyot_gptr_t g;                                                                                \
    if (MAPPED(T, C, g) && eyot_compare_swap_mapped(g, TYPE(T), &cond, &value, &old)) return old; \
    OSH_ENTER(call);                                                                              \
    swap_if(C, dest, &cond, &value, TYPE(T), &old, pe);                                           \
    return old;                                                                                   \
  }
#define SWAP_IF_NBI(T, C, call)                               \
  {                                                           \
    OSH_ENTER(call);                                          \
    swap_if_nbi(C, fetch_, dest, &cond, &value, TYPE(T), pe); \
  }
#define DEFINE_STANDARD(T, N, op)                                                                \
  OSH_DEFINE(T, N##_atomic_compare_swap, (T * dest, T cond, T value, int pe))                    \
  SWAP_IF(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_atomic_compare_swap")                              \
  OSH_DEFINE(T, ctx_##N##_atomic_compare_swap,                                                   \
             (shmem_ctx_t ctx, T * dest, T cond, T value, int pe))                               \
  SWAP_IF(T, ctx, "shmem_ctx_" #N "_atomic_compare_swap")                                        \
  OSH_DEFINE(void, N##_atomic_compare_swap_nbi, (T * fetch_, T * dest, T cond, T value, int pe)) \
  SWAP_IF_NBI(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_atomic_compare_swap_nbi")                      \
  OSH_DEFINE(void, ctx_##N##_atomic_compare_swap_nbi,                                            \
             (shmem_ctx_t ctx, T * fetch_, T * dest, T cond, T value, int pe))                   \
  SWAP_IF_NBI(T, ctx, "shmem_ctx_" #N "_atomic_compare_swap_nbi")                                \
  WITH_ONE(T, T, N##_atomic_fetch_inc, FETCH)                                                    \
  WITH_ONE(void, T, N##_atomic_inc, APPLY)                                                       \
  WITH_VALUE(T, T, N##_atomic_fetch_add, FETCH, EYOT_SUM)                                        \
  WITH_VALUE(void, T, N##_atomic_add, APPLY, EYOT_SUM)                                           \
  WITH_VALUE_NBI(T, N##_atomic_fetch_add_nbi, EYOT_SUM)                                          \
  OSH_DEFINE(void, N##_atomic_fetch_inc_nbi, (T * fetch_, T * dest, int pe))                     \
  FETCH_NBI(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_atomic_fetch_inc_nbi", EYOT_SUM, &(T){1})        \
  OSH_DEFINE(void, ctx_##N##_atomic_fetch_inc_nbi,                                               \
             (shmem_ctx_t ctx, T * fetch_, T * dest, int pe))                                    \
  FETCH_NBI(T, ctx, "shmem_ctx_" #N "_atomic_fetch_inc_nbi", EYOT_SUM, &(T){1})                  \
  OSH_DEFINE(T, N##_cswap, (T * dest, T cond, T value, int pe))                                  \
  SWAP_IF(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_cswap")                                            \
  OSH_DEFINE(T, N##_finc, (T * dest, int pe))                                                    \
  FETCH(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_finc", EYOT_SUM, &(T){1})                            \
  OSH_DEFINE(void, N##_inc, (T * dest, int pe))                                                  \
  APPLY(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_inc", EYOT_SUM, &(T){1})                             \
  OSH_DEFINE(T, N##_fadd, (T * dest, T value, int pe))                                           \
  FETCH(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_fadd", EYOT_SUM, &value)                             \
  OSH_DEFINE(void, N##_add, (T * dest, T value, int pe))                                         \
  APPLY(T, SHMEM_CTX_DEFAULT, "shmem_" #N "_add", EYOT_SUM, &value)

#define DEFINE_BITWISE(T, N, op)                           \
  WITH_VALUE(T, T, N##_atomic_fetch_and, FETCH, EYOT_BAND) \
  WITH_VALUE(T, T, N##_atomic_fetch_or, FETCH, EYOT_BOR)   \
  WITH_VALUE(T, T, N##_atomic_fetch_xor, FETCH, EYOT_BXOR) \
  WITH_VALUE(void, T, N##_atomic_and, APPLY, EYOT_BAND)    \
  WITH_VALUE(void, T, N##_atomic_or, APPLY, EYOT_BOR)      \
  WITH_VALUE(void, T, N##_atomic_xor, APPLY, EYOT_BXOR)    \
  WITH_VALUE_NBI(T, N##_atomic_fetch_and_nbi, EYOT_BAND)   \
  WITH_VALUE_NBI(T, N##_atomic_fetch_or_nbi, EYOT_BOR)     \
  WITH_VALUE_NBI(T, N##_atomic_fetch_xor_nbi, EYOT_BXOR)

SHMEMI_AMO_EXTENDED_TYPES(DEFINE_EXTENDED, )
SHMEMI_AMO_TYPES(DEFINE_STANDARD, )
SHMEMI_AMO_BITWISE_TYPES(DEFINE_BITWISE, )

/* -- signals ----------------------------------------------------------------------------------- */

static void signal_by(shmem_ctx_t ctx, uint64_t *sig, eyot_op_t op, uint64_t value, int pe) {
  apply(ctx, sig, (struct osh_update){op, &value, EYOT_UINT64}, pe);
}
OSH_DEFINE(void, signal_set, (uint64_t * sig_addr, uint64_t signal, int pe)) {
  OSH_ENTER("shmem_signal_set");
  signal_by(SHMEM_CTX_DEFAULT, sig_addr, EYOT_REPLACE, signal, pe);
}
OSH_DEFINE(void, signal_add, (uint64_t * sig_addr, uint64_t signal, int pe)) {
  OSH_ENTER("shmem_signal_add");
  signal_by(SHMEM_CTX_DEFAULT, sig_addr, EYOT_SUM, signal, pe);
}
OSH_DEFINE(void, ctx_signal_set, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)) {
  OSH_ENTER("shmem_ctx_signal_set");
  signal_by(ctx, sig_addr, EYOT_REPLACE, signal, pe);
}
OSH_DEFINE(void, ctx_signal_add, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)) {
  OSH_ENTER("shmem_ctx_signal_add");
  signal_by(ctx, sig_addr, EYOT_SUM, signal, pe);
}
OSH_DEFINE(uint64_t, signal_fetch, (const uint64_t *sig_addr)) {
  OSH_ENTER("shmem_signal_fetch");
  uint64_t value;
  eyot_gptr_t g = osh_gptr("sig_addr", sig_addr, sizeof value, osh.me);
  osh_must(eyot_read_u64(g, &value));
  return value;
}
