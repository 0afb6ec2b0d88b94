/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c - all collective functions of UPC, in all nine synchronization modes, with several
 * sizes, roots and layouts, against values that plain accesses compute. A program reads and writes
 * around each call only what the mode allows, so eyotcheck finds a mode that promises too much. */
#include <eyot/upc.h>

#include "../common/args.h"
#include "all_alloc.h"

enum { IN_MODES = UPC_IN_ALLSYNC | UPC_IN_MYSYNC | UPC_IN_NOSYNC };
enum { LARGEST = 64 }; /* elements of a block of the arrays that are reduced */

static struct {
  uint64_t bytes; /* of the largest block */
  uint64_t some;  /* blocks and threads that are verified after a call */
  uint64_t pairs; /* of a type and an operator, in each mode */
  upc_shared_t src, dst;
  unsigned char *buffer; /* private, as large as a part */
  unsigned round;        /* makes values of all calls different */
} run;

static void check(bool right, const char *what, uint64_t a, uint64_t b) {
  if (right) return;
  fprintf(stderr, "collectives: thread %d of %d: %s is wrong: %llu, %llu\n", MYTHREAD, THREADS,
          what, (unsigned long long)a, (unsigned long long)b);
  upc_global_exit(1);
}

static unsigned char byte_of(uint64_t thread, uint64_t k) {
  return (unsigned char)(thread * 37 + k * 11 + run.round * 5 + 1);
}

/* Byte k of thread t's part. */
static upc_shared_t part(upc_shared_t p, int t, uint64_t k) {
  p.at = eyot_gptr_add(eyot_gptr_at(p.at, (eyot_unit_t){(uint32_t)t}), (int64_t)k);
  return p;
}

/* The thread whose part the caller writes before a call: ALLSYNC lets it be another's. */
static int writes_of(upc_flag_t mode) {
  return (mode & IN_MODES) == UPC_IN_ALLSYNC ? (MYTHREAD + 1) % THREADS : MYTHREAD;
}

/* Writes the source and the destination of a thread, and waits if the mode does not. */
static void before(uint64_t src_bytes, uint64_t dst_bytes, upc_flag_t mode) {
  int t = writes_of(mode);
  run.round++;
  for (uint64_t k = 0; k < src_bytes; k++) run.buffer[k] = byte_of((uint64_t)t, k);
  upc_memput(part(run.src, t, 0), run.buffer, src_bytes);
  upc_memset(part(run.dst, t, 0), 0xee, dst_bytes);
  if ((mode & IN_MODES) == UPC_IN_NOSYNC) upc_barrier();
}

/* Verifies that block `to` of thread t's destination is block `from` of thread s's source. */
static void block_is(const char *what, int t, int to, int s, int from, uint64_t bytes) {
  unsigned char got[4096];
  for (uint64_t done = 0, n; done < bytes; done += n) {
    n = bytes - done < sizeof got ? bytes - done : sizeof got;
    upc_memget(got, part(run.dst, t, (uint64_t)to * bytes + done), n);
    for (uint64_t k = 0; k < n; k++)
      check(got[k] == byte_of((uint64_t)s, (uint64_t)from * bytes + done + k), what, (uint64_t)t,
            done + k);
  }
}

typedef void verify_fn(int t, int other, int root, uint64_t bytes);
static void is_broadcast(int t, int other, int root, uint64_t bytes) {
  (void)other;
  block_is("upc_all_broadcast", t, 0, root, 0, bytes);
}
static void is_scatter(int t, int other, int root, uint64_t bytes) {
  (void)other;
  block_is("upc_all_scatter", t, 0, root, t, bytes);
}
static void is_gather(int t, int other, int root, uint64_t bytes) {
  if (t == root) block_is("upc_all_gather", t, other, other, 0, bytes);
}
static void is_gather_all(int t, int other, int root, uint64_t bytes) {
  (void)root;
  block_is("upc_all_gather_all", t, other, other, 0, bytes);
}
static void is_exchange(int t, int other, int root, uint64_t bytes) {
  (void)root;
  block_is("upc_all_exchange", t, other, other, t, bytes);
}
static void is_permute(int t, int other, int root, uint64_t bytes) {
  (void)other;
  block_is("upc_all_permute", t, 0, (t + THREADS - root) % THREADS, 0, bytes);
}

/* Verifies the caller's part at once where the mode allows it, and another's: after ALLSYNC at
 * once, else after a barrier. */
static void after(verify_fn *verify, int root, uint64_t bytes, upc_flag_t mode) {
  if (mode & UPC_OUT_NOSYNC) upc_barrier();
  uint64_t n = (uint64_t)THREADS < run.some ? (uint64_t)THREADS : run.some;
  for (uint64_t i = 0; i < n; i++)
    verify(MYTHREAD, (int)(((uint64_t)MYTHREAD + i) % (uint64_t)THREADS), root, bytes);
  if (mode & UPC_OUT_MYSYNC) upc_barrier();
  verify((MYTHREAD + 1) % THREADS, (MYTHREAD + 2) % THREADS, root, bytes);
  upc_barrier();
}

UPC_SHARED_ARRAY(int, perm, 1);

static void blocks(uint64_t bytes, int root, upc_flag_t mode) {
  uint64_t all = bytes * (uint64_t)THREADS;
  upc_shared_t src = part(run.src, root, 0), dst = part(run.dst, root, 0);
  before(bytes, bytes, mode);
  upc_all_broadcast(run.dst, src, bytes, mode);
  after(is_broadcast, root, bytes, mode);
  before(all, bytes, mode);
  upc_all_scatter(run.dst, src, bytes, mode);
  after(is_scatter, root, bytes, mode);
  before(bytes, all, mode);
  upc_all_gather(dst, run.src, bytes, mode);
  after(is_gather, root, bytes, mode);
  before(bytes, all, mode);
  upc_all_gather_all(run.dst, run.src, bytes, mode);
  after(is_gather_all, root, bytes, mode);
  before(all, all, mode);
  upc_all_exchange(run.dst, run.src, bytes, mode);
  after(is_exchange, root, bytes, mode);
  int t = writes_of(mode);
  upc_relaxed_put(int, upc_add(upc_shared_array(perm), t, sizeof(int), 1), (t + root) % THREADS);
  before(bytes, bytes, mode);
  upc_all_permute(run.dst, run.src, upc_shared_array(perm), bytes, mode);
  after(is_permute, root, bytes, mode);
}

/* -- reductions -------------------------------------------------------------------------------- */

/* Small values, so that products and sums of floating point are exact: mostly 1, some 2. Of logical
 * operators: some 0 among others for UPC_LOGAND, mostly 0 for UPC_LOGOR, and of floating point some
 * 1/2, which is true. */
static double small_value(upc_op_t op, uint64_t i) {
  uint64_t k = (i + run.round) % 7;
  if (op == UPC_LOGAND) return k == 3 ? 0 : 0.5 + (double)(k % 2);
  if (op == UPC_LOGOR) return k == 3 ? 0.5 + (double)(run.round % 2) : 0;
  return k == 3 && i < 40 ? 2 : 1;
}

/* Makes a test for a type. Thread `root` has block 0. Every thread computes the reference by plain
 * reads of the source; bitwise operators are for integers alone. Operands are of type `wide`. */
#define REDUCTION(T, type, wide, COMBINE)                                                         \
  static type combine_##T(upc_op_t op, type x, type y) {                                          \
    wide a = (wide)x, b = (wide)y;                                                                \
    switch (op) {                                                                                 \
      case UPC_ADD:                                                                               \
        return (type)(a + b);                                                                     \
      case UPC_MULT:                                                                              \
        return (type)(a * b);                                                                     \
      case UPC_LOGAND:                                                                            \
        return (type)(a != 0 && b != 0);                                                          \
      case UPC_LOGOR:                                                                             \
        return (type)(a != 0 || b != 0);                                                          \
      case UPC_MIN:                                                                               \
        return x < y ? x : y;                                                                     \
      case UPC_MAX:                                                                               \
        return x < y ? y : x;                                                                     \
      default:                                                                                    \
        return (type)(COMBINE);                                                                   \
    }                                                                                             \
  }                                                                                               \
  static void reduce_##T(upc_op_t op, uint64_t n, uint64_t block, int root, upc_flag_t mode) {    \
    upc_shared_t src = part(run.src, root, 0), dst = part(run.dst, root, 0);                      \
    upc_shared_t one = part(run.dst, (root + 1) % THREADS, (n + 2 * LARGEST + 1) * sizeof(type)); \
    run.round++;                                                                                  \
    for (uint64_t i = 0; i < n; i++) {                                                            \
      upc_shared_t p = upc_add(src, (int64_t)i, sizeof(type), block);                             \
      if ((int)upc_threadof(p) == writes_of(mode))                                                \
        upc_relaxed_put(type, p, (type)small_value(op, i));                                       \
    }                                                                                             \
    if ((mode & IN_MODES) == UPC_IN_NOSYNC) upc_barrier();                                        \
    upc_all_reduce##T(one, src, op, n, block, NULL, mode);                                        \
    upc_all_prefix_reduce##T(dst, src, op, n, block, NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);     \
    uint64_t verified = (uint64_t)MYTHREAD < run.some ? n : 0;                                    \
    type want = upc_relaxed_get(type, src);                                                       \
    for (uint64_t i = 0; i < verified; i++) {                                                     \
      if (i > 0)                                                                                  \
        want = combine_##T(op, want,                                                              \
                           upc_relaxed_get(type, upc_add(src, (int64_t)i, sizeof(type), block))); \
      type got = upc_relaxed_get(type, upc_add(dst, (int64_t)i, sizeof(type), block));            \
      check(got == want, "upc_all_prefix_reduce" #T, op, i);                                      \
    }                                                                                             \
    type whole = upc_relaxed_get(type, one);                                                      \
    check(verified == 0 || whole == want, "upc_all_reduce" #T, op, n);                            \
    upc_barrier();                                                                                \
    upc_all_prefix_reduce##T(src, src, op, n, block, NULL, mode); /* in place */                  \
    upc_barrier();                                                                                \
    whole = upc_relaxed_get(type, upc_add(src, (int64_t)n - 1, sizeof(type), block));             \
    check(verified == 0 || whole == want, "upc_all_prefix_reduce" #T " in place", op, n);         \
    upc_barrier();                                                                                \
  }

#define BITS (op == UPC_AND ? (a & b) : op == UPC_OR ? (a | b) : (a ^ b))
/* clang-format off */
REDUCTION(C, signed char, unsigned, BITS)
REDUCTION(UC, unsigned char, unsigned, BITS)
REDUCTION(S, short, unsigned, BITS)
REDUCTION(US, unsigned short, unsigned, BITS)
REDUCTION(I, int, unsigned, BITS)
REDUCTION(UI, unsigned, unsigned, BITS)
REDUCTION(L, long, unsigned long, BITS)
REDUCTION(UL, unsigned long, unsigned long, BITS)
REDUCTION(F, float, float, 0)
REDUCTION(D, double, double, 0)
REDUCTION(LD, long double, long double, 0)
/* clang-format on */

typedef void reduce_fn(upc_op_t op, uint64_t n, uint64_t block, int root, upc_flag_t mode);
static reduce_fn *const REDUCTIONS[] = {reduce_C, reduce_UC, reduce_S, reduce_US,
                                        reduce_I, reduce_UI, reduce_L, reduce_UL,
                                        reduce_F, reduce_D,  reduce_LD};
enum { TYPES = 11, FLOATS = 8 };

static const upc_op_t OPS[] = {UPC_ADD,    UPC_MULT,  UPC_AND, UPC_OR, UPC_XOR,
                               UPC_LOGAND, UPC_LOGOR, UPC_MIN, UPC_MAX};
enum { N_OPS = 9 };

static bool has(unsigned type, upc_op_t op) {
  return type < FLOATS || (op != UPC_AND && op != UPC_OR && op != UPC_XOR);
}

/* run.pairs pairs of a type and an operator (the next ones at each call), layouts in turns. */
static void reductions(uint64_t n, int root, upc_flag_t mode) {
  const uint64_t layouts[] = {1, 3, 0, LARGEST};
  static unsigned next;
  for (uint64_t k = 0; k < run.pairs && k < TYPES * N_OPS; k++, next++) {
    unsigned type = next % TYPES, op = next / TYPES % N_OPS;
    if (has(type, OPS[op])) REDUCTIONS[type](OPS[op], n, layouts[(next + op) % 4], root, mode);
  }
}

/* -- all --------------------------------------------------------------------------------------- */

static void all(uint64_t elements) {
  const upc_flag_t in[] = {UPC_IN_ALLSYNC, UPC_IN_MYSYNC, UPC_IN_NOSYNC};
  const upc_flag_t out[] = {UPC_OUT_ALLSYNC, UPC_OUT_MYSYNC, UPC_OUT_NOSYNC};
  const uint64_t sizes[] = {1, 8, 100, run.bytes};
  uint64_t room = run.bytes < 100 ? 100 : run.bytes,
           words = (elements + 2 * LARGEST + 2) * sizeof(long double);
  room = room * (uint64_t)THREADS > words ? room * (uint64_t)THREADS : words;
  run.buffer = malloc(room);
  if (run.buffer == NULL) check(false, "memory for a part of bytes", room, 0);
  run.src = all_alloc("collectives", (size_t)THREADS, room);
  run.dst = all_alloc("collectives", (size_t)THREADS, room);
  int calls = 0;
  for (int i = 0; i < 3; i++)
    for (int o = 0; o < 3; o++) {
      int root = (i * 3 + o * 5) % THREADS;
      for (int s = 0; s < 4; s++)
        if (sizes[s] < run.bytes || s == 3) blocks(sizes[s], root, in[i] | out[o]), calls += 6;
      if (elements > 0) reductions(elements, root, in[i] | out[o]);
    }
  upc_all_free(run.src);
  upc_all_free(run.dst);
  free(run.buffer);
  if (MYTHREAD == 0)
    printf(
        "collectives: verified %d calls of blocks on %d threads, and reductions of %llu "
        "elements, in 9 modes\n",
        calls, THREADS, (unsigned long long)elements);
}

int main(int argc, char **argv) {
  uint64_t elements;
  const struct args_option table[] = {
      {"bytes", "N", ARGS_FIELD(&run.bytes), 1, 1 << 24, 1000,
       .help = "bytes of the largest block"},
      {"elements", "N", ARGS_FIELD(&elements), 1, 100000, 37,
       .help = "elements of an array that is reduced"},
      {"verify", "N", ARGS_FIELD(&run.some), 1, UINT32_MAX, UINT32_MAX,
       .help = "blocks that a thread verifies after a call, and threads that verify reductions"},
      {"pairs", "N", ARGS_FIELD(&run.pairs), 1, UINT32_MAX, UINT32_MAX,
       .help = "pairs of a type and an operator that are reduced in each mode"},
  };
  upc_init();
  int leave = args_parse("collectives", table, ARGS_COUNT(table), argc, argv);
  if (leave == ARGS_RUN) {
    all(elements);
    leave = 0;
  }
  upc_finalize();
  return leave;
}
