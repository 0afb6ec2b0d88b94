/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_gups_mpi.c - updates of the table of bench_gups by MPI, as in section 6.5.3 of Zhou:
 * MPI_Get, MPI_Put and MPI_Fetch_and_op with MPI_SUM, each followed by a flush, in a lock_all epoch
 * that is not timed. The window is made by the calls that eyot makes its segments with. `mpi_again`
 * is the same measured a second time (A/A). */
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../examples/gups/gups_stream.h"
#include "bench.h"
#include "bench_gups.h"

struct window {
  MPI_Win win;
  void *own; /* NULL: MPI's */
  size_t bytes;
};

static bool one_node(void) {
  eyot_domain_t common;
  for (uint32_t u = 1; u < eyot_size(); u++) {
    must(eyot_distance((eyot_unit_t){0}, (eyot_unit_t){u}, &common), "eyot_distance");
    if (common > EYOT_DOMAIN_NODE) return false;
  }
  return true;
}

/* Not MPI_Barrier, which does not give its processor to units that have not arrived. */
static void mpi_finish(const struct ra_table *t) {
  (void)t;
  MPI_Request all;
  int here = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (MPI_Test(&all, &here, MPI_STATUS_IGNORE); !here; MPI_Test(&all, &here, MPI_STATUS_IGNORE))
    sched_yield();
}

/* All units leave MPI's blocking collectives before any continues: a unit inside keeps its
 * processor from the others, and a unit outside serves them only now and then. */
static void mpi_open(struct ra_table *t) {
  struct window *w = malloc(sizeof *w);
  if (w == NULL) eyot_abort(1, "no memory");
  *w = (struct window){.bytes = (ra_words(t) + 1) * sizeof(uint64_t)};
  void *part;
  if (one_node()) {
    MPI_Win_allocate_shared((MPI_Aint)w->bytes, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &part, &w->win);
  } else {
    part = w->own =
        mmap(NULL, w->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w->own == MAP_FAILED) eyot_abort(1, "no memory");
    MPI_Win_create(w->own, (MPI_Aint)w->bytes, sizeof(uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &w->win);
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, w->win);
  t->mine = part;
  t->window = w;
  mpi_finish(t);
}

static void mpi_close(struct ra_table *t) {
  struct window *w = t->window;
  MPI_Win_unlock_all(w->win);
  MPI_Win_free(&w->win);
  if (w->own != NULL) munmap(w->own, w->bytes);
  free(w);
  mpi_finish(t);
}

static void mpi_update(const struct ra_table *t, uint64_t x, uint64_t n) {
  MPI_Win win = ((const struct window *)t->window)->win;
  uint64_t words = ra_words(t), value, one = 1, old;
  for (uint64_t k = 0; k < n; k++) {
    x = gups_next(x);
    uint64_t i = ra_index(t, x);
    int unit = (int)(i >> t->log2_words);
    MPI_Aint word = (MPI_Aint)(i & (words - 1));
    int failed = MPI_Get(&value, 1, MPI_UINT64_T, unit, word, 1, MPI_UINT64_T, win) |
                 MPI_Win_flush(unit, win);
    value ^= x;
    failed |= MPI_Put(&value, 1, MPI_UINT64_T, unit, word, 1, MPI_UINT64_T, win) |
              MPI_Win_flush(unit, win);
    failed |= MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, unit, (MPI_Aint)words, MPI_SUM, win) |
              MPI_Win_flush(unit, win);
    if (failed != MPI_SUCCESS) eyot_abort(1, "an update by MPI");
  }
}

static void mpi_sync(const struct ra_table *t) {
  MPI_Win_sync(((const struct window *)t->window)->win);
}

const struct ra_way RA_WAYS[] = {
    {"mpi", mpi_open, mpi_close, mpi_update, mpi_finish, mpi_sync},
    RA_EYOT,
    {"mpi_again", mpi_open, mpi_close, mpi_update, mpi_finish, mpi_sync},
    {0},
};
