/* SPDX-License-Identifier: BSD-3-Clause */
/* heat3d.c - 3D heat conduction on global memory: the main program and its time steps.
 *
 * Phases in the summary: compute (the scheme), halo (packing, gets, unpacking), sync
 * (announcements, waiting for neighbors, residual), verify. */
#include "heat3d.h"

#include <stdio.h>
#include <string.h>

#include "../common/args.h"

/* Cells between two calls of eyot_compute: neighbors may need this unit's progress meanwhile. */
enum { HEAT_CHUNK_CELLS = 1 << 16 };
enum { HEAT_MAX_SIZE = 65535, HEAT_MAX_STEPS = 100000000, HEAT_MAX_CELL_NS = 1000000 };

int heat_fail(const char *what, int code) {
  fprintf(stderr, "heat3d: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* Updates a part of the block and declares the cost. */
static int advance(struct heat_unit *u, uint32_t step, const int64_t from[HEAT_AXES],
                   const int64_t to[HEAT_AXES]) {
  if (from[0] >= to[0] || from[1] >= to[1]) return EYOT_OK;
  int64_t plane = (to[0] - from[0]) * (to[1] - from[1]),
          planes = plane < HEAT_CHUNK_CELLS ? HEAT_CHUNK_CELLS / plane : 1;
  for (int64_t z = from[2]; z < to[2]; z += planes) {
    int64_t end = z + planes < to[2] ? z + planes : to[2];
    heat_sweep(&u->box, u->field[(step + 1) & 1], u->field[step & 1],
               (const int64_t[]){from[0], from[1], z}, (const int64_t[]){to[0], to[1], end});
    HEAT_TRY(eyot_compute((uint64_t)(plane * (end - z)) * u->opts->cell_ns));
  }
  return EYOT_OK;
}

/* The cells that need no halo. */
static int advance_inside(struct heat_unit *u, uint32_t step) {
  const int64_t *n = u->box.n;
  return advance(u, step, (const int64_t[]){1, 1, 1},
                 (const int64_t[]){n[0] - 1, n[1] - 1, n[2] - 1});
}

/* Updates the outermost layer: along each axis the low and the high slab of the cells that earlier
 * axes have left. */
static int advance_shell(struct heat_unit *u, uint32_t step) {
  int64_t from[HEAT_AXES] = {0, 0, 0}, to[HEAT_AXES];
  memcpy(to, u->box.n, sizeof to);
  for (int a = HEAT_AXES - 1; a >= 0; a--) {
    int64_t end = to[a];
    to[a] = 1;
    HEAT_TRY(advance(u, step, from, to));
    from[a] = end - 1 > 1 ? end - 1 : 1;
    to[a] = end;
    HEAT_TRY(advance(u, step, from, to));
    from[a] = 1;
    to[a] = end - 1;
    if (from[a] >= to[a]) break; /* nothing is left for the other axes */
  }
  return EYOT_OK;
}

static int one_step(struct heat_unit *u, uint32_t step) {
  HEAT_TRY(eyot_phase("halo"));
  HEAT_TRY(heat_halo_pack(u, step));
  HEAT_TRY(eyot_phase("sync"));
  HEAT_TRY(heat_halo_announce(u));
  HEAT_TRY(heat_halo_await(u, step));
  HEAT_TRY(eyot_phase("halo"));
  if (u->opts->variant == HEAT_BLOCKING) {
    HEAT_TRY(heat_halo_fetch(u, step));
    HEAT_TRY(eyot_phase("compute"));
    return advance(u, step, (const int64_t[]){0, 0, 0}, u->box.n);
  }
  HEAT_TRY(heat_halo_start(u, step));
  HEAT_TRY(eyot_phase("compute"));
  HEAT_TRY(advance_inside(u, step));
  HEAT_TRY(eyot_phase("halo"));
  HEAT_TRY(heat_halo_finish(u, step));
  HEAT_TRY(eyot_phase("compute"));
  return advance_shell(u, step);
}

/* The largest change of any cell in the last step, on every unit. */
static int find_residual(struct heat_unit *u, double *residual) {
  HEAT_TRY(eyot_phase("sync"));
  double mine = heat_residual(&u->box, u->field[0], u->field[1]);
  HEAT_TRY(eyot_compute((uint64_t)(u->box.n[0] * u->box.n[1] * u->box.n[2]) * HEAT_TOUCH_NS));
  HEAT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MAX, &mine, residual, 1));
  return EYOT_OK;
}

static int run_steps(struct heat_unit *u, double *residual, uint64_t *ns) {
  *residual = 0;
  HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL)); /* all blocks are filled */
  uint64_t begin = eyot_now_ns();
  for (uint32_t step = 0; step < u->opts->steps; step++) {
    HEAT_TRY(one_step(u, step));
    bool last = step + 1 == u->opts->steps;
    if (!last && (u->opts->residual_every == 0 || (step + 1) % u->opts->residual_every != 0))
      continue;
    HEAT_TRY(find_residual(u, residual));
    if (eyot_me().id == 0) {
      printf("heat3d: step %u: largest change of a cell %.6e\n", step + 1, *residual);
      fflush(stdout);
    }
  }
  uint64_t mine = eyot_now_ns() - begin;
  HEAT_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &mine, ns, 1));
  /* Blocks were written by plain stores; others get them from here on. */
  HEAT_TRY(eyot_sync());
  HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  return EYOT_OK;
}

static void print_problem(const struct heat_unit *u) {
  const struct heat_grid *g = &u->grid;
  printf("heat3d: grid %u x %u x %u on %u x %u x %u units (%s), %u steps, %s gets, %s\n",
         g->size[0], g->size[1], g->size[2], g->parts[0], g->parts[1], g->parts[2],
         eyot_fabric_name(), u->opts->steps,
         u->opts->variant == HEAT_BLOCKING ? "blocking" : "non-blocking",
         u->opts->sync == HEAT_BARRIER ? "a barrier a step" : "signals");
  fflush(stdout);
}

static void print_time(const struct heat_unit *u, uint64_t ns) {
  double cells = (double)u->grid.size[0] * u->grid.size[1] * u->grid.size[2];
  const char *clock = strcmp(eyot_fabric_name(), "sim") == 0 ? "virtual" : "wall";
  uint32_t steps = u->opts->steps > 0 ? u->opts->steps : 1;
  printf("heat3d: %s time %.3f ms, %.3f us a step, %.3f cell updates a ns\n", clock,
         (double)ns / 1e6, (double)ns / 1e3 / steps,
         ns > 0 ? cells * u->opts->steps / (double)ns : 0);
  fflush(stdout);
}

/* Unit 0's part of the end: image and verification. */
static int conclude(struct heat_unit *u, double residual, bool *correct) {
  HEAT_TRY(eyot_phase("verify"));
  if (u->opts->image != NULL) {
    int code = heat_image(u, u->opts->image);
    if (code != EYOT_OK) return code;
  }
  if (!u->opts->verify) {
    printf("heat3d: not verified (--no-verify)\n");
    return EYOT_OK;
  }
  double worst = 0;
  int code = heat_verify(u, residual, &worst);
  if (code != EYOT_OK) return code;
  *correct = worst == 0;
  if (*correct)
    printf("heat3d: verified: all cells equal the serial run bit by bit\n");
  else
    printf("heat3d: WRONG: largest difference from the serial run %g\n", worst);
  fflush(stdout);
  return EYOT_OK;
}

static int run(struct heat_unit *u, bool *correct) {
  double residual;
  uint64_t ns;
  heat_box_init(&u->box, u->grid.n);
  HEAT_TRY(heat_halo_open(u));
  for (int i = 0; i < 2; i++) heat_fill(&u->box, u->field[i], u->grid.lo, u->grid.size);
  HEAT_TRY(run_steps(u, &residual, &ns));
  if (eyot_me().id == 0) {
    print_time(u, ns);
    HEAT_TRY(conclude(u, residual, correct));
  }
  HEAT_TRY(eyot_phase("verify"));
  HEAT_TRY(eyot_barrier(EYOT_TEAM_ALL));
  HEAT_TRY(eyot_phase(NULL));
  return heat_halo_close(u);
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct heat_opts *opts) {
  const struct args_option table[] = {
      {"block", "X[,Y,Z]", ARGS_FIELD(&opts->size), 1, HEAT_MAX_SIZE, 12, .flag = &opts->per_unit,
       .set = true, .help = "cells of each unit's block; the grid grows with the number of units"},
      {"size", "X[,Y,Z]", ARGS_FIELD(&opts->size), 1, HEAT_MAX_SIZE, .flag = &opts->per_unit,
       .set = false, .help = "cells of the whole grid instead; blocks may differ by one cell"},
      {"parts", "X[,Y,Z]", ARGS_FIELD(&opts->parts), 1, HEAT_MAX_SIZE,
       .help = "blocks along each axis; by default those that exchange the fewest cells"},
      {"steps", "N", ARGS_FIELD(&opts->steps), 1, HEAT_MAX_STEPS, 50, .help = "time steps"},
      {"variant", "nonblocking|blocking", ARGS_WORD(&opts->variant),
       .help = "nonblocking (default): gets in flight while the inside is computed; blocking: one "
               "get after the other"},
      {"sync", "signals|barrier", ARGS_WORD(&opts->sync),
       .help = "signals (default): each neighbor signals that its faces are ready; barrier: one "
               "barrier a step"},
      {"residual-every", "N", ARGS_FIELD(&opts->residual_every), 0, HEAT_MAX_STEPS,
       .help = "print the largest change of a cell every N steps; 0 (default): only at the end"},
      {"cell-ns", "N", ARGS_FIELD(&opts->cell_ns), 0, HEAT_MAX_CELL_NS, HEAT_CELL_NS,
       .help = "declared cost of one cell's update in nanoseconds"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "compare with a serial run on unit 0 (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
      {"image", "FILE", ARGS_FIELD(&opts->image), .help = "write the middle slice as a PPM image"},
  };
  return args_parse("heat3d", table, ARGS_COUNT(table), argc, argv);
}

/* Parses the command line and cuts the grid into blocks. Returns ARGS_RUN or the exit code. */
static int prepare(int argc, char **argv, struct heat_opts *opts, struct heat_grid *grid) {
  int leave = parse(argc, argv, opts);
  if (leave != ARGS_RUN) return leave;
  if (heat_grid_make(opts, eyot_size(), eyot_me().id, grid) == 0) return ARGS_RUN;
  if (opts->parts[0] != 0)
    return args_error("heat3d",
                      "--parts %u,%u,%u does not cut %s %u,%u,%u into %u blocks of at least one "
                      "cell; the product of the three is the number of units",
                      opts->parts[0], opts->parts[1], opts->parts[2],
                      opts->per_unit ? "--block" : "--size", opts->size[0], opts->size[1],
                      opts->size[2], eyot_size());
  return args_error("heat3d",
                    "%s %u,%u,%u cannot be cut into %u blocks of at least one cell; use another "
                    "size or number of units",
                    opts->per_unit ? "--block" : "--size", opts->size[0], opts->size[1],
                    opts->size[2], eyot_size());
}

int main(int argc, char **argv) {
  struct heat_opts opts = {.per_unit = true, .verify = true};
  struct heat_unit u = {.opts = &opts};
  bool correct = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "heat3d: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = prepare(argc, argv, &opts, &u.grid);
  if (leave == ARGS_RUN) {
    if (eyot_me().id == 0) print_problem(&u);
    if (run(&u, &correct) != EYOT_OK) eyot_abort(1, "heat3d cannot continue");
    leave = correct ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
