/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c - put and get of contiguous elements, and put with signal.
 *
 * A copy of mapped memory needs no mark of the caller, because it cannot fail: it comes first, and
 * the rest is out of line. */
#include "interfaces/openshmem/osh.h"

/* Non-blocking copies of at least so many bytes may be left to progress processes (mpi). */
#define DELEGATED_LEAST 4096u

/* Copies of no bytes may have null pointers (OpenSHMEM 1.5, annex "Undefined Behavior"). */
static void put_slow(shmem_ctx_t ctx, void *dest, const void *source, uint64_t bytes, int pe) {
  int global = osh_pe(ctx, pe);
  if (bytes == 0) return;
  eyot_gptr_t g = osh_gptr("dest", dest, bytes, global);
  osh_must(osh_is_default(ctx) ? eyot_put_local(g, source, bytes)
                               : eyot_set_put_local(ctx->set, g, source, bytes));
}

static void get_slow(shmem_ctx_t ctx, void *dest, const void *source, uint64_t bytes, int pe) {
  int global = osh_pe(ctx, pe);
  if (bytes == 0) return;
  osh_must(eyot_get(dest, osh_gptr("source", source, bytes, global), bytes));
}

static void put_nbi_slow(shmem_ctx_t ctx, void *dest, const void *source, uint64_t bytes, int pe) {
  int global = osh_pe(ctx, pe);
  if (bytes == 0) return;
  eyot_gptr_t g = osh_gptr("dest", dest, bytes, global);
  osh_must(osh_is_default(ctx) ? eyot_put_nbi(g, source, bytes)
                               : eyot_set_put(ctx->set, g, source, bytes));
}

static void get_nbi_slow(shmem_ctx_t ctx, void *dest, const void *source, uint64_t bytes, int pe) {
  int global = osh_pe(ctx, pe);
  if (bytes == 0) return;
  eyot_gptr_t g = osh_gptr("source", source, bytes, global);
  osh_must(osh_is_default(ctx) ? eyot_get_nbi(dest, g, bytes)
                               : eyot_set_get(ctx->set, dest, g, bytes));
}

/* -- the functions without a context ----------------------------------------------------------- */

/* A function and the bytes of its elements. */
struct copy_call {
  const char *name;
  uint64_t bytes;
};

/* Their halves out of line. KIND_many: of any number of elements, a copy of mapped memory first if
 * it has less than `END` bytes. `there` is the symmetric address. */
#define DEFINE_HALVES(KIND, DIRECTION, there, END)                                                 \
  static __attribute__((noinline)) void KIND##_default(void *dest, const void *source, uint64_t n, \
                                                       int pe, const struct copy_call *c,          \
                                                       const void *site) {                         \
    OSH_ENTER_AT(c->name, site);                                                                   \
    KIND##_slow(SHMEM_CTX_DEFAULT, dest, source, osh_bytes("nelems", n, c->bytes), pe);            \
  }                                                                                                \
  static __attribute__((noinline)) void KIND##_many(void *dest, const void *source, uint64_t n,    \
                                                    int pe, const struct copy_call *c,             \
                                                    const void *site) {                            \
    uint64_t bytes;                                                                                \
    eyot_gptr_t g;                                                                                 \
    if (!__builtin_mul_overflow(n, c->bytes, &bytes) && bytes < (END) &&                           \
        osh_recent(there, bytes, pe, &g) && DIRECTION)                                             \
      return;                                                                                      \
    KIND##_default(dest, source, n, pe, c, site);                                                  \
  }
DEFINE_HALVES(put, eyot_put_mapped(g, source, bytes), dest, UINT64_MAX)
DEFINE_HALVES(get, eyot_get_mapped(dest, g, bytes), source, UINT64_MAX)
DEFINE_HALVES(put_nbi, eyot_put_mapped(g, source, bytes), dest, DELEGATED_LEAST)
DEFINE_HALVES(get_nbi, eyot_get_mapped(dest, g, bytes), source, DELEGATED_LEAST)

/* -- signals ----------------------------------------------------------------------------------- */

static eyot_signal_op_t signal_op(int op) {
  if (op == SHMEM_SIGNAL_SET) return EYOT_SIGNAL_SET;
  if (op == SHMEM_SIGNAL_ADD) return EYOT_SIGNAL_ADD;
  osh_fail(EYOT_EINVAL, "sig_op is %d, expected SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD", op);
}

struct signalled {
  uint64_t *word, value;
  int op;
};

static void put_signal(shmem_ctx_t ctx, void *dest, const void *source, uint64_t bytes,
                       struct signalled s, int pe, bool blocks) {
  int global = osh_pe(ctx, pe);
  eyot_signal_op_t op = signal_op(s.op);
  eyot_gptr_t sig = osh_gptr("sig_addr", s.word, sizeof *s.word, global);
  eyot_gptr_t g = bytes == 0 ? EYOT_GPTR_NULL : osh_gptr("dest", dest, bytes, global);
  if (osh_is_default(ctx))
    osh_must(blocks ? eyot_put_signal_local(g, source, bytes, sig, op, s.value)
                    : eyot_put_signal_nbi(g, source, bytes, sig, op, s.value));
  else
    osh_must(blocks ? eyot_set_put_signal_local(ctx->set, g, source, bytes, sig, op, s.value)
                    : eyot_set_put_signal(ctx->set, g, source, bytes, sig, op, s.value));
}

/* -- the functions ----------------------------------------------------------------------------- */

/* A copy, by `kind` (put, get, put_nbi, get_nbi), of n elements of b bytes. */
#define COPY(kind, call, ctx, n, b)                                \
  {                                                                \
    OSH_ENTER(call);                                               \
    kind##_slow(ctx, dest, source, osh_bytes("nelems", n, b), pe); \
  }
/* The form without a context, which numbers PEs as the run does. One element of mapped memory is a
 * load and a store; all else is the last call. */
#define PUT(kind, call, n, b)                                                   \
  {                                                                             \
    static const struct copy_call CALL = {call, b};                             \
    eyot_gptr_t g;                                                              \
    if (__builtin_expect((n) == 1, 1)) {                                        \
      if (osh_recent(dest, b, pe, &g) && eyot_put_mapped(g, source, b)) return; \
      kind##_default(dest, source, 1, pe, &CALL, __builtin_return_address(0));  \
      return;                                                                   \
    }                                                                           \
    kind##_many(dest, source, n, pe, &CALL, __builtin_return_address(0));       \
  }
#define GET(kind, call, n, b)                                                   \
  {                                                                             \
    static const struct copy_call CALL = {call, b};                             \
    eyot_gptr_t g;                                                              \
    if (__builtin_expect((n) == 1, 1)) {                                        \
      if (osh_recent(source, b, pe, &g) && eyot_get_mapped(dest, g, b)) return; \
      kind##_default(dest, source, 1, pe, &CALL, __builtin_return_address(0));  \
      return;                                                                   \
    }                                                                           \
    kind##_many(dest, source, n, pe, &CALL, __builtin_return_address(0));       \
  }
#define SIGNAL(call, ctx, n, b, blocks)                                   \
  {                                                                       \
    OSH_ENTER(call);                                                      \
    put_signal(ctx, dest, source, osh_bytes("nelems", n, b),              \
               (struct signalled){sig_addr, signal, sig_op}, pe, blocks); \
  }

#define SIMPLE(T) T *dest, const T *source, size_t nelems, int pe
#define SIGNALLED(T) \
  T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe

/* clang-format off */
#define DEFINE_COPIES(T, B, P, G, PN, GN)                                                     \
  OSH_DEFINE(void, P, (SIMPLE(T))) PUT(put, "shmem_" #P, nelems, B)            \
  OSH_DEFINE(void, G, (SIMPLE(T))) GET(get, "shmem_" #G, nelems, B)            \
  OSH_DEFINE(void, PN, (SIMPLE(T))) PUT(put_nbi, "shmem_" #PN, nelems, B) \
  OSH_DEFINE(void, GN, (SIMPLE(T))) GET(get_nbi, "shmem_" #GN, nelems, B) \
  OSH_DEFINE(void, ctx_##P, (shmem_ctx_t ctx, SIMPLE(T)))                                     \
  COPY(put, "shmem_ctx_" #P, ctx, nelems, B)                                               \
  OSH_DEFINE(void, ctx_##G, (shmem_ctx_t ctx, SIMPLE(T)))                                     \
  COPY(get, "shmem_ctx_" #G, ctx, nelems, B)                                               \
  OSH_DEFINE(void, ctx_##PN, (shmem_ctx_t ctx, SIMPLE(T)))                                    \
  COPY(put_nbi, "shmem_ctx_" #PN, ctx, nelems, B)                                          \
  OSH_DEFINE(void, ctx_##GN, (shmem_ctx_t ctx, SIMPLE(T)))                                    \
  COPY(get_nbi, "shmem_ctx_" #GN, ctx, nelems, B)
/* clang-format on */
#define DEFINE_SIGNALS(T, B, S, SN)                           \
  OSH_DEFINE(void, S, (SIGNALLED(T)))                         \
  SIGNAL("shmem_" #S, SHMEM_CTX_DEFAULT, nelems, B, true)     \
  OSH_DEFINE(void, SN, (SIGNALLED(T)))                        \
  SIGNAL("shmem_" #SN, SHMEM_CTX_DEFAULT, nelems, B, false)   \
  OSH_DEFINE(void, ctx_##S, (shmem_ctx_t ctx, SIGNALLED(T)))  \
  SIGNAL("shmem_ctx_" #S, ctx, nelems, B, true)               \
  OSH_DEFINE(void, ctx_##SN, (shmem_ctx_t ctx, SIGNALLED(T))) \
  SIGNAL("shmem_ctx_" #SN, ctx, nelems, B, false)

/* Of `p`: source is the function's own variable, whose address only the slow half takes. */
#define DEFINE_SCALARS(T, N)                                                                     \
  static                                                                                         \
      __attribute__((noinline)) void N##_p_default(T *dest, T value, int pe, const void *site) { \
    OSH_ENTER_AT("shmem_" #N "_p", site);                                                        \
    put_slow(SHMEM_CTX_DEFAULT, dest, &value, sizeof value, pe);                                 \
  }                                                                                              \
  OSH_DEFINE(void, N##_p, (T * dest, T value, int pe)) {                                         \
    eyot_gptr_t g;                                                                               \
    if (osh_recent(dest, sizeof value, pe, &g) && eyot_put_mapped(g, &value, sizeof value))      \
      return;                                                                                    \
    N##_p_default(dest, value, pe, __builtin_return_address(0));                                 \
  }                                                                                              \
  OSH_DEFINE(void, ctx_##N##_p, (shmem_ctx_t ctx, T * dest, T value, int pe)) {                  \
    const T *source = &value;                                                                    \
    COPY(put, "shmem_ctx_" #N "_p", ctx, 1, sizeof value)                                        \
  }                                                                                              \
  static __attribute__((noinline)) T N##_g_default(const T *source, int pe, const void *site) {  \
    OSH_ENTER_AT("shmem_" #N "_g", site);                                                        \
    T value;                                                                                     \
    get_slow(SHMEM_CTX_DEFAULT, &value, source, sizeof value, pe);                               \
    return value;                                                                                \
  }                                                                                              \
  OSH_DEFINE(T, N##_g, (const T *source, int pe)) {                                              \
    T value;                                                                                     \
    eyot_gptr_t g;                                                                               \
    if (osh_recent(source, sizeof value, pe, &g) && eyot_get_mapped(&value, g, sizeof value))    \
      return value;                                                                              \
    return N##_g_default(source, pe, __builtin_return_address(0));                               \
  }                                                                                              \
  OSH_DEFINE(T, ctx_##N##_g, (shmem_ctx_t ctx, const T *source, int pe)) {                       \
    T value, *dest = &value;                                                                     \
    COPY(get, "shmem_ctx_" #N "_g", ctx, 1, sizeof value)                                        \
    return value;                                                                                \
  }

#define DEFINE_TYPED(T, N, op)                                            \
  DEFINE_COPIES(T, sizeof(T), N##_put, N##_get, N##_put_nbi, N##_get_nbi) \
  DEFINE_SIGNALS(T, sizeof(T), N##_put_signal, N##_put_signal_nbi)        \
  DEFINE_SCALARS(T, N)
#define DEFINE_SIZED(B, N, op)                                       \
  DEFINE_COPIES(void, B, put##N, get##N, put##N##_nbi, get##N##_nbi) \
  DEFINE_SIGNALS(void, B, put##N##_signal, put##N##_signal_nbi)

SHMEMI_RMA_TYPES(DEFINE_TYPED, )
SHMEMI_SIZES(DEFINE_SIZED, )
DEFINE_COPIES(void, 1, putmem, getmem, putmem_nbi, getmem_nbi)
DEFINE_SIGNALS(void, 1, putmem_signal, putmem_signal_nbi)
