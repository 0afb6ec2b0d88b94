/* SPDX-License-Identifier: BSD-3-Clause */
/* heat_rows.c - the halo exchange of heat3d as Zhou's program does it (dissertation, figure 8.4):
 * nothing is packed. Six rounds, one for each side, end with a barrier; in a round a unit gets each
 * row of its neighbor's face by itself, and where the face is across rows each cell. Linked with
 * examples/heat3d instead of heat_halo.c, as bench_heat_rows.
 *
 * heat3d's axis 0, along which rows lie and units follow one another, is the z of that text, axis 1
 * its y and axis 2 its x. A barrier before each step is not timed. The last line: microseconds a
 * step of halo (from the first get to the sixth barrier's end), exchange (a unit's gets, mean and
 * most), and of six barriers that follow one another. */
#include <stdio.h>
#include <stdlib.h>

#include "../examples/heat3d/heat3d.h"

enum { ROUNDS_ALONE = 6 };

struct heat_halo {
  eyot_gptr_t field[2];
  eyot_handle_t *gets;
  uint64_t halo_ns, exchange_ns, barriers_ns;
};

int heat_halo_open(struct heat_unit *u) {
  uint64_t bytes = heat_faces_slot(u) * sizeof(double);
  struct heat_halo *halo = u->halo = calloc(1, sizeof *halo);
  if (halo == NULL || (halo->gets = calloc(u->slot, sizeof *halo->gets)) == NULL)
    return heat_fail("private memory", EYOT_ENOMEM);
  for (int i = 0; i < 2; i++) {
    void *p = NULL;
    HEAT_TRY(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &halo->field[i]));
    HEAT_TRY(eyot_gptr_addr(eyot_gptr_at(halo->field[i], eyot_me()), &p));
    u->field[i] = p;
  }
  HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  uint64_t begin = eyot_now_ns();
  for (int i = 0; i < ROUNDS_ALONE; i++) HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  halo->barriers_ns = eyot_now_ns() - begin;
  return EYOT_OK;
}

int heat_halo_pack(struct heat_unit *u, uint32_t step) {
  (void)u;
  (void)step;
  HEAT_TRY(eyot_sync());
  return EYOT_OK;
}

int heat_halo_announce(struct heat_unit *u) {
  (void)u;
  HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  return EYOT_OK;
}

int heat_halo_await(struct heat_unit *u, uint32_t step) {
  (void)u;
  (void)step;
  return EYOT_OK;
}

/* The gets of one side: from the layer of the neighbor's block that touches this one to the ghost
 * cells. */
static int get_side(struct heat_unit *u, uint32_t step, int face, bool blocking) {
  if (u->grid.neighbor[face] == HEAT_NO_NEIGHBOR) return EYOT_OK;
  struct heat_halo *halo = u->halo;
  struct heat_grid part;
  struct heat_box there;
  heat_grid_of(&u->grid, u->grid.neighbor[face], &part);
  heat_box_init(&there, part.n);
  int a = face / 2;
  eyot_gptr_t field = eyot_gptr_at(halo->field[step & 1], (eyot_unit_t){u->grid.neighbor[face]});
  int64_t at[HEAT_AXES] = {0, 0, 0}, to[HEAT_AXES] = {1, u->box.n[1], u->box.n[2]};
  int64_t ghost = face % 2 == 0 ? -1 : u->box.n[a], layer = face % 2 == 0 ? there.n[a] - 1 : 0;
  uint64_t bytes = (a == 0 ? 1 : (uint64_t)u->box.n[0]) * sizeof(double);
  uint32_t n = 0;
  to[a] = 1;
  for (at[2] = 0; at[2] < to[2]; at[2]++)
    for (at[1] = 0; at[1] < to[1]; at[1]++) {
      int64_t mine[HEAT_AXES] = {at[0], at[1], at[2]}, theirs[HEAT_AXES] = {at[0], at[1], at[2]};
      mine[a] = ghost;
      theirs[a] = layer;
      double *here = u->field[step & 1] + heat_at(&u->box, mine[0], mine[1], mine[2]);
      eyot_gptr_t row = eyot_gptr_add(
          field, heat_at(&there, theirs[0], theirs[1], theirs[2]) * (int64_t)sizeof(double));
      if (blocking)
        HEAT_TRY(eyot_get(here, row, bytes));
      else
        HEAT_TRY(eyot_get_nb(here, row, bytes, &halo->gets[n++]));
    }
  HEAT_TRY(eyot_wait_all(halo->gets, n, EYOT_REMOTE));
  return EYOT_OK;
}

static int exchange(struct heat_unit *u, uint32_t step, bool blocking) {
  static const int SIDES[HEAT_FACES] = {2, 3, 4, 5, 0, 1};
  uint64_t begin = eyot_now_ns(), exchange_ns = 0;
  for (int i = 0; i < HEAT_FACES; i++) {
    uint64_t from = eyot_now_ns();
    HEAT_TRY(get_side(u, step, SIDES[i], blocking));
    exchange_ns += eyot_now_ns() - from;
    HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  }
  u->halo->exchange_ns += exchange_ns;
  u->halo->halo_ns += eyot_now_ns() - begin;
  return EYOT_OK;
}

int heat_halo_fetch(struct heat_unit *u, uint32_t step) {
  return exchange(u, step, true);
}

int heat_halo_start(struct heat_unit *u, uint32_t step) {
  return exchange(u, step, false);
}

int heat_halo_finish(struct heat_unit *u, uint32_t step) {
  (void)u;
  (void)step;
  return EYOT_OK;
}

int heat_halo_read(struct heat_unit *u, uint32_t unit, const struct heat_rows *rows, double *to) {
  eyot_gptr_t field = eyot_gptr_at(u->halo->field[u->opts->steps & 1], (eyot_unit_t){unit});
  for (uint64_t row = 0; row < rows->rows; row++) {
    int64_t first = rows->first + (int64_t)row * rows->there;
    HEAT_TRY(eyot_get(to + (int64_t)row * rows->here,
                      eyot_gptr_add(field, first * (int64_t)sizeof(double)),
                      rows->cells * sizeof(double)));
  }
  return EYOT_OK;
}

static int print_times(const struct heat_halo *halo, uint32_t steps) {
  uint64_t mine[] = {halo->halo_ns, halo->exchange_ns, halo->barriers_ns}, sum[3], most[3];
  HEAT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, mine, sum, 3));
  HEAT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, mine, most, 3));
  if (eyot_me().id != 0) return EYOT_OK;
  double each = 1e-3 / steps, units = eyot_size();
  printf("heat_rows: halo %.3f exchange %.3f exchange_most %.3f barriers %.3f us\n",
         (double)sum[0] * each / units, (double)sum[1] * each / units, (double)most[1] * each,
         (double)sum[2] * 1e-3 / units);
  fflush(stdout);
  return EYOT_OK;
}

int heat_halo_close(struct heat_unit *u) {
  HEAT_TRY(print_times(u->halo, u->opts->steps));
  HEAT_TRY(eyot_team_free(u->halo->field[1]));
  HEAT_TRY(eyot_team_free(u->halo->field[0]));
  free(u->halo->gets);
  free(u->halo);
  u->halo = NULL;
  return EYOT_OK;
}
