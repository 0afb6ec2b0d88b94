/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node_rma.c - puts, gets, a batch of puts with its flush, and atomics of bench_node. Unit 1
 * waits in a barrier of eyot while the floor and eyot are measured, and in one of MPI while MPI is,
 * which needs its target inside MPI. */
#include "bench_node.h"

/* Some 100 us each: on a machine that others use too, most of what is compared is then not
 * interrupted. */
enum {
  OPS = 100000,
  BATCH = 1000,
  BATCHES = 100,
  LARGE = 4096,
  LARGE_OPS = 2000,
  ATOMICS = 20000,
  MPI_OPS = 200,
  MPI_BATCHES = 1
};

/* Where the raw loops find their target, and eyot's theirs: base and offset are loaded anew each
 * time. */
struct place {
  char *base;
  uint64_t offset;
  eyot_gptr_t g, object; /* a word of the heap, and a static object */
  MPI_Win window;
  eyot_set_t set;
};

#define LOOP(name, before, step)                                               \
  __attribute__((noinline)) static double name(const struct place *p, int n) { \
    int64_t value = 0;                                                         \
    int failed = 0;                                                            \
    before;                                                                    \
    double begin = wall_ns();                                                  \
    for (int i = 0; i < n; i++) {                                              \
      value += 1;                                                              \
      RELOAD(&value);                                                          \
      step;                                                                    \
    }                                                                          \
    RELOAD(&value);                                                            \
    double ns = (wall_ns() - begin) / n;                                       \
    must(failed, #name);                                                       \
    (void)p;                                                                   \
    return ns;                                                                 \
  }

#define WORD(p) ((uint64_t *)(void *)((p)->base + (p)->offset))
#define U1 ((eyot_unit_t){1})
LOOP(put_floor, (void)0, memcpy(p->base + p->offset, &value, sizeof value))
LOOP(put_eyot, (void)0, failed |= eyot_put(p->g, &value, sizeof value))
LOOP(put_mpi, (void)0, failed |= MPI_Put(&value, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, p->window);
     MPI_Win_flush(1, p->window))
LOOP(put_local_eyot, (void)0, failed |= eyot_put_local(p->g, &value, sizeof value))
LOOP(put_local_mpi, (void)0, failed |= MPI_Put(&value, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, p->window);
     MPI_Win_flush_local(1, p->window))
LOOP(put_data_eyot, (void)0, failed |= eyot_put(p->object, &value, sizeof value))
LOOP(get_floor, (void)0, memcpy(&value, p->base + p->offset, sizeof value))
LOOP(get_eyot, (void)0, failed |= eyot_get(&value, p->g, sizeof value))
LOOP(get_mpi, (void)0, failed |= MPI_Get(&value, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, p->window);
     MPI_Win_flush(1, p->window))
LOOP(add_floor, (void)0, value = (int64_t)__atomic_fetch_add(WORD(p), 1, __ATOMIC_SEQ_CST))
LOOP(add_eyot, uint64_t old = 0, failed |= eyot_fetch_add_u64(p->g, 1, &old); value = (int64_t)old)
LOOP(add_mpi, int64_t old = 0,
     failed |= MPI_Fetch_and_op(&value, &old, MPI_INT64_T, 1, 0, MPI_SUM, p->window);
     MPI_Win_flush(1, p->window))

/* Operations that a flush completes, which is not in the time. */
#define FLUSHED(name, step)                             \
  LOOP(name##_posts, (void)0, step)                     \
  static double name(const struct place *p, int n) {    \
    double ns = name##_posts(p, n);                     \
    must(eyot_flush(U1, EYOT_REMOTE), "eyot_flush");    \
    must(MPI_Win_flush(1, p->window), "MPI_Win_flush"); \
    return ns;                                          \
  }
FLUSHED(put_nbi_eyot, failed |= eyot_put_nbi(p->g, &value, sizeof value))
FLUSHED(put_nbi_mpi, failed |= MPI_Put(&value, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, p->window))
FLUSHED(get_nbi_eyot, failed |= eyot_get_nbi(&value, p->g, sizeof value))
FLUSHED(get_nbi_mpi, failed |= MPI_Get(&value, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, p->window))
FLUSHED(set_put_eyot, failed |= eyot_set_put(p->set, p->g, &value, sizeof value))
/* A put without handle and the flush of all sets, or of its own. */
LOOP(flush_floor, (void)0, memcpy(p->base + p->offset, &value, sizeof value);
     __atomic_thread_fence(__ATOMIC_SEQ_CST))
LOOP(flush_eyot, (void)0, failed |= eyot_put_nbi(p->g, &value, sizeof value);
     failed |= eyot_flush(U1, EYOT_REMOTE))
LOOP(set_flush_eyot, (void)0, failed |= eyot_set_put(p->set, p->g, &value, sizeof value);
     failed |= eyot_set_flush(p->set, U1, EYOT_REMOTE))
LOOP(xor_floor, (void)0, (void)__atomic_fetch_xor(WORD(p), 3, __ATOMIC_SEQ_CST))
FLUSHED(xor_eyot, failed |= eyot_accumulate(p->g, EYOT_UINT64, EYOT_BXOR, &value))
FLUSHED(xor_nbi_eyot, failed |= eyot_accumulate_nbi(p->g, EYOT_UINT64, EYOT_BXOR, &value))
FLUSHED(xor_mpi,
        failed |= MPI_Accumulate(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, MPI_BXOR, p->window))

/* Each swap expects the value that the one before left, so that all succeed. */
LOOP(cas_floor, uint64_t expected = *WORD(p),
     if (__atomic_compare_exchange_n(WORD(p), &expected, expected + 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST)) expected++)
LOOP(cas_eyot, uint64_t old = 0; must(eyot_read_u64(p->g, &old), "eyot_read_u64");
     uint64_t expected = old, failed |= eyot_cas_u64(p->g, expected, expected + 1, &old);
     if (old == expected) expected++; else expected = old)
LOOP(cas_mpi, int64_t expected = 0;
     int64_t old = 0,
     failed |= MPI_Compare_and_swap(&value, &expected, &old, MPI_INT64_T, 1, 0, p->window);
     MPI_Win_flush(1, p->window); expected = old)

__attribute__((noinline)) static double large_floor(const struct place *p, int n) {
  static const char buffer[LARGE];
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    RELOAD(buffer);
    memcpy(p->base + p->offset, buffer, LARGE);
  }
  return (wall_ns() - begin) / n;
}
__attribute__((noinline)) static double large_eyot(const struct place *p, int n) {
  static const char buffer[LARGE];
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    RELOAD(buffer);
    failed |= eyot_put(p->g, buffer, LARGE);
  }
  must(failed, "eyot_put");
  return (wall_ns() - begin) / n;
}
__attribute__((noinline)) static double large_mpi(const struct place *p, int n) {
  static const char buffer[LARGE];
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    MPI_Put(buffer, LARGE, MPI_BYTE, 1, 0, LARGE, MPI_BYTE, p->window);
    MPI_Win_flush(1, p->window);
  }
  return (wall_ns() - begin) / n;
}

/* BATCH puts to consecutive words, then the call that makes them visible. */
__attribute__((noinline)) static double batch_floor(const struct place *p, int n) {
  int64_t value = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    for (uint64_t k = 0; k < BATCH; k++) {
      value = (int64_t)k;
      RELOAD(&value);
      memcpy(p->base + p->offset + k * 8, &value, sizeof value);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
  return (wall_ns() - begin) / n;
}
__attribute__((noinline)) static double batch_eyot(const struct place *p, int n) {
  int64_t value = 0;
  int failed = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    for (int64_t k = 0; k < BATCH; k++) {
      value = k;
      RELOAD(&value);
      failed |= eyot_put(eyot_gptr_add(p->g, k * 8), &value, sizeof value);
    }
    failed |= eyot_flush(U1, EYOT_REMOTE);
  }
  must(failed, "eyot_put and eyot_flush");
  return (wall_ns() - begin) / n;
}
__attribute__((noinline)) static double batch_mpi(const struct place *p, int n) {
  int64_t value = 0;
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    for (MPI_Aint k = 0; k < BATCH; k++)
      MPI_Put(&value, 8, MPI_BYTE, 1, k * 8, 8, MPI_BYTE, p->window);
    MPI_Win_flush(1, p->window);
  }
  return (wall_ns() - begin) / n;
}

static const struct {
  const char *what;
  double (*floor)(const struct place *p, int n), (*eyot)(const struct place *p, int n),
      (*mpi)(const struct place *p, int n);
  int n, mpi_n;
} WAYS[] = {
    {"put_8B", put_floor, put_eyot, put_mpi, OPS, MPI_OPS},
    {"put_local_8B", put_floor, put_local_eyot, put_local_mpi, OPS, MPI_OPS},
    {"put_data_8B", put_floor, put_data_eyot, put_mpi, OPS, MPI_OPS},
    {"get_8B", get_floor, get_eyot, get_mpi, OPS, MPI_OPS},
    {"put_nbi_8B", put_floor, put_nbi_eyot, put_nbi_mpi, OPS, MPI_OPS},
    {"put_nbi_and_flush", flush_floor, flush_eyot, put_mpi, OPS, MPI_OPS},
    {"set_put_8B", put_floor, set_put_eyot, put_nbi_mpi, OPS, MPI_OPS},
    {"set_put_and_flush", flush_floor, set_flush_eyot, put_mpi, OPS, MPI_OPS},
    {"get_nbi_8B", get_floor, get_nbi_eyot, get_nbi_mpi, OPS, MPI_OPS},
    {"put_4KiB", large_floor, large_eyot, large_mpi, LARGE_OPS, MPI_OPS},
    {"1000_puts_and_flush", batch_floor, batch_eyot, batch_mpi, BATCHES, MPI_BATCHES},
    {"fetch_add", add_floor, add_eyot, add_mpi, ATOMICS, MPI_OPS},
    {"compare_swap", cas_floor, cas_eyot, cas_mpi, ATOMICS, MPI_OPS},
    {"accumulate_xor", xor_floor, xor_eyot, xor_mpi, ATOMICS, MPI_OPS},
    {"accumulate_xor_nbi", xor_floor, xor_nbi_eyot, xor_mpi, ATOMICS, MPI_OPS},
};

void one_sided_rounds(struct node *b, int rounds) {
  static int64_t object;
  struct place p = {.base = b->raw[1],
                    .offset = LINE,
                    .g = eyot_gptr_add(eyot_gptr_at(b->part, U1), LINE),
                    .window = b->window};
  must(eyot_set_create(&p.set), "eyot_set_create");
  must(eyot_data_gptr(&object, sizeof object, U1, &p.object), "eyot_data_gptr");
  for (int round = 0; round < rounds; round++)
    for (size_t w = 0; w < sizeof WAYS / sizeof *WAYS; w++) {
      if (b->me == 0) {
        if (round == 0)
          (void)(WAYS[w].floor(&p, WAYS[w].n / 10) + WAYS[w].eyot(&p, WAYS[w].n / 10));
        say(b, WAYS[w].what, "floor", WAYS[w].floor(&p, WAYS[w].n));
        say(b, WAYS[w].what, "eyot", WAYS[w].eyot(&p, WAYS[w].n));
        say(b, WAYS[w].what, "again", WAYS[w].floor(&p, WAYS[w].n));
      }
      must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
      if (b->me == 0) say(b, WAYS[w].what, "mpi", WAYS[w].mpi(&p, WAYS[w].mpi_n));
      MPI_Barrier(MPI_COMM_WORLD);
    }
  must(eyot_set_destroy(&p.set), "eyot_set_destroy");
}
