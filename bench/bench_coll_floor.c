/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_coll_floor.c - the floor of bench_coll: collectives written by hand on an MPI shared
 * window, between private buffers, without any check.
 *
 * Each unit has a ring of SLOTS pieces, and two words: how many pieces it has posted, and how many
 * pieces of the others it has finished with. A piece of a call is posted by all units that have
 * something to say (of the others the number goes on too), and read by all that want it; so any
 * call is a number of steps that are the same for all units. A unit fills a slot again when all
 * have finished the step that used it last; it looks only if it does not know so already. Waits
 * spin, then yield, and yield at once where units share processors. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_coll.h"

enum { SLOTS = 8, PIECE = 16384, LINE = 64, SPINS = 2000 };

struct part {
  _Alignas(LINE) uint64_t posted;
  _Alignas(LINE) uint64_t finished;
  _Alignas(LINE) char slot[SLOTS][PIECE];
};

struct floor {
  MPI_Win window;
  struct part *part[COLL_UNITS_MAX];
  uint32_t me, n, spins;
  uint64_t step;           /* the last one that has begun */
  uint64_t known_finished; /* by all */
};

struct floor *floor_open(uint32_t me, uint32_t n) {
  MPI_Comm node;
  int on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  eyot_unit_t first;
  uint32_t mapped;
  must(eyot_mapped_units(&first, &mapped), "eyot_mapped_units");
  struct floor *f = NULL;
  if ((uint32_t)on_node == n && mapped == n && n <= COLL_UNITS_MAX) {
    f = calloc(1, sizeof *f);
    if (f == NULL) eyot_abort(1, "no memory");
    *f = (struct floor){.me = me, .n = n, .spins = n <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0};
    struct part *own;
    MPI_Win_allocate_shared(sizeof *own, 1, MPI_INFO_NULL, node, &own, &f->window);
    memset(own, 0, sizeof *own);
    for (uint32_t u = 0; u < n; u++) {
      MPI_Aint bytes;
      int unit;
      MPI_Win_shared_query(f->window, (int)u, &bytes, &unit, &f->part[u]);
    }
    MPI_Barrier(node);
  }
  MPI_Comm_free(&node);
  return f;
}

void floor_close(struct floor *f) {
  if (f == NULL) return;
  MPI_Win_free(&f->window);
  free(f);
}

static void await(const struct floor *f, const uint64_t *word, uint64_t value) {
  for (uint32_t looks = 0; __atomic_load_n(word, __ATOMIC_ACQUIRE) < value; looks++) {
    if (looks >= f->spins)
      sched_yield();
    else
      __builtin_ia32_pause();
  }
}

static char *slot_of(const struct floor *f, uint32_t unit) {
  return f->part[unit]->slot[f->step % SLOTS];
}

/* Begins the next step: the caller's slot of it is free. */
static void step_begin(struct floor *f) {
  f->step++;
  if (f->step <= SLOTS + f->known_finished) return;
  uint64_t least = f->step - 1;
  for (uint32_t u = 0; u < f->n; u++) {
    const uint64_t *finished = &f->part[u]->finished;
    await(f, finished, f->step - SLOTS);
    uint64_t seen = __atomic_load_n(finished, __ATOMIC_ACQUIRE);
    if (seen < least) least = seen;
  }
  f->known_finished = least;
}
static void step_post(const struct floor *f) {
  __atomic_store_n(&f->part[f->me]->posted, f->step, __ATOMIC_RELEASE);
}
static void step_await(const struct floor *f, uint32_t unit) {
  await(f, &f->part[unit]->posted, f->step);
}
static void step_end(const struct floor *f) {
  __atomic_store_n(&f->part[f->me]->finished, f->step, __ATOMIC_RELEASE);
}

void floor_barrier(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct floor *f = b->hand;
  (void)bytes, (void)i;
  step_begin(f);
  step_post(f);
  for (uint32_t u = 0; u < f->n; u++) step_await(f, u);
  step_end(f);
}

static uint64_t least_of(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

void floor_broadcast(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct floor *f = b->hand;
  uint32_t root = i % f->n;
  for (uint64_t at = 0; at < bytes; at += PIECE) {
    uint64_t len = least_of(bytes - at, PIECE);
    step_begin(f);
    if (f->me == root) {
      memcpy(slot_of(f, root), (char *)b->to + at, len);
      step_post(f);
    } else {
      step_await(f, root);
      memcpy((char *)b->to + at, slot_of(f, root), len);
    }
    step_end(f);
  }
}

static void add(double *restrict to, const double *restrict from, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) to[k] += from[k];
}

/* All pieces of the vector: everywhere, or at the root alone. */
static void sum(const struct buffers *b, uint64_t bytes, uint32_t root, bool everywhere) {
  struct floor *f = b->hand;
  for (uint64_t at = 0; at < bytes; at += PIECE) {
    uint64_t len = least_of(bytes - at, PIECE);
    double *to = b->to + at / sizeof(double);
    const double *from = b->from + at / sizeof(double);
    step_begin(f);
    memcpy(slot_of(f, f->me), from, len);
    step_post(f);
    for (uint32_t u = 0; u < f->n && (everywhere || f->me == root); u++) {
      const double *theirs = u == f->me ? from : (const double *)(const void *)slot_of(f, u);
      step_await(f, u);
      if (u == 0)
        memcpy(to, theirs, len);
      else
        add(to, theirs, len / sizeof(double));
    }
    step_end(f);
  }
}

void floor_reduce(const struct buffers *b, uint64_t bytes, uint32_t i) {
  sum(b, bytes, i % b->n, false);
}

/* Long ones: each unit adds a part of every piece, and all copy the parts. */
void floor_allreduce(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct floor *f = b->hand;
  (void)i;
  if (bytes < PIECE) {
    sum(b, bytes, 0, true);
    return;
  }
  for (uint64_t at = 0; at < bytes; at += PIECE) {
    uint64_t words = least_of(bytes - at, PIECE) / sizeof(double);
    uint64_t first = words * f->me / f->n, end = words * (f->me + 1) / f->n;
    double *to = b->to + at / sizeof(double);
    step_begin(f);
    double *own = (double *)(void *)slot_of(f, f->me);
    memcpy(own, b->from + at / sizeof(double), words * sizeof(double));
    step_post(f);
    for (uint32_t u = 0; u < f->n; u++) {
      step_await(f, u);
      if (u != f->me)
        add(own + first, (const double *)(const void *)slot_of(f, u) + first, end - first);
    }
    const double *parts[COLL_UNITS_MAX];
    for (uint32_t u = 0; u < f->n; u++) parts[u] = (const double *)(const void *)slot_of(f, u);
    step_end(f);
    step_begin(f);
    step_post(f);
    for (uint32_t u = 0; u < f->n; u++) {
      uint64_t from = words * u / f->n, until = words * (u + 1) / f->n;
      step_await(f, u);
      memcpy(to + from, parts[u] + from, (until - from) * sizeof(double));
    }
    step_end(f);
  }
}

void floor_allgather(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct floor *f = b->hand;
  (void)i;
  for (uint64_t at = 0; at < bytes; at += PIECE) {
    uint64_t len = least_of(bytes - at, PIECE);
    step_begin(f);
    memcpy(slot_of(f, f->me), (const char *)b->from + at, len);
    step_post(f);
    for (uint32_t u = 0; u < f->n; u++) {
      step_await(f, u);
      memcpy((char *)b->to + u * bytes + at, slot_of(f, u), len);
    }
    step_end(f);
  }
}

/* A slot holds a part of the block for each unit. */
void floor_alltoall(const struct buffers *b, uint64_t bytes, uint32_t i) {
  struct floor *f = b->hand;
  uint64_t most = PIECE / f->n / 8 * 8;
  (void)i;
  for (uint64_t at = 0; at < bytes; at += most) {
    uint64_t len = least_of(bytes - at, most);
    step_begin(f);
    for (uint32_t u = 0; u < f->n; u++)
      memcpy(slot_of(f, f->me) + u * len, (const char *)b->from + u * bytes + at, len);
    step_post(f);
    for (uint32_t u = 0; u < f->n; u++) {
      step_await(f, u);
      memcpy((char *)b->to + u * bytes + at, slot_of(f, u) + f->me * len, len);
    }
    step_end(f);
  }
}
