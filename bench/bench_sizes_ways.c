/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_sizes_ways.c - the loops of bench_sizes: a copy by the processor, eyot's operations, MPI's.
 * `mpi_again` is MPI measured a second time, which shows the noise of the measurement. */
#include <string.h>

#include "bench.h"
#include "bench_sizes.h"

#define U1 ((eyot_unit_t){1})

/* All that is not reloaded stays in registers, in every loop alike. */
#define WAY(name, step, end)                                           \
  static void name(const struct span *s, uint64_t bytes, uint64_t n) { \
    int failed = 0;                                                    \
    for (uint64_t i = 0; i < n; i++) {                                 \
      RELOAD(s->here);                                                 \
      step;                                                            \
    }                                                                  \
    end;                                                               \
    must(failed, #name);                                               \
  }

#define AT_ONCE (void)0
#define PUT_MPI \
  failed |= MPI_Put(s->here, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, s->window)
#define GET_MPI \
  failed |= MPI_Get(s->here, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, s->window)
#define FLUSH_MPI failed |= MPI_Win_flush(1, s->window)
#define FLUSH_EYOT failed |= eyot_flush(U1, EYOT_REMOTE)

WAY(floor_put, memcpy(s->mapped, s->here, bytes), AT_ONCE)
WAY(floor_get, memcpy(s->here, s->mapped, bytes), AT_ONCE)
WAY(eyot_put_at_once, failed |= eyot_put(s->there, s->here, bytes), AT_ONCE)
WAY(eyot_get_at_once, failed |= eyot_get(s->here, s->there, bytes), AT_ONCE)
WAY(eyot_put_handle, eyot_handle_t h = EYOT_HANDLE_DONE;
    failed |= eyot_put_nb(s->there, s->here, bytes, &h);
    failed |= eyot_wait(&h, EYOT_REMOTE), AT_ONCE)
WAY(eyot_get_handle, eyot_handle_t h = EYOT_HANDLE_DONE;
    failed |= eyot_get_nb(s->here, s->there, bytes, &h);
    failed |= eyot_wait(&h, EYOT_REMOTE), AT_ONCE)
WAY(eyot_put_flood, failed |= eyot_put_nbi(s->there, s->here, bytes), FLUSH_EYOT)
WAY(eyot_get_flood, failed |= eyot_get_nbi(s->here, s->there, bytes), FLUSH_EYOT)
WAY(mpi_put_at_once, PUT_MPI; FLUSH_MPI, AT_ONCE)
WAY(mpi_get_at_once, GET_MPI; FLUSH_MPI, AT_ONCE)
WAY(mpi_put_flood, PUT_MPI, FLUSH_MPI)
WAY(mpi_get_flood, GET_MPI, FLUSH_MPI)

const struct way WAYS[N_WAYS] = {
    [WAY_FLOOR] = {"floor", {floor_put, floor_get, floor_put, floor_get}, true},
    [WAY_EYOT] = {"eyot",
                  {eyot_put_at_once, eyot_get_at_once, eyot_put_flood, eyot_get_flood},
                  false},
    [WAY_EYOT_NB] = {"eyot_nb", {eyot_put_handle, eyot_get_handle, NULL, NULL}, false},
    [WAY_MPI] = {"mpi", {mpi_put_at_once, mpi_get_at_once, mpi_put_flood, mpi_get_flood}, false},
    [WAY_AGAIN] = {"mpi_again",
                   {mpi_put_at_once, mpi_get_at_once, mpi_put_flood, mpi_get_flood},
                   false},
};
