/* SPDX-License-Identifier: BSD-3-Clause */
/* lulesh_halo.c - a blast wave on a distributed mesh, with several ways of communication: the main
 * program.
 *
 * Each way has a mesh of its own; their steps take turns. The check: after each step the energies,
 * and a sum in which each element has a weight of its own, are those of a serial run of the same
 * mesh. Phases in the summary: the names of the ways, and verify. */
#include "lulesh_halo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"
#include "../common/laps.h"

enum { LH_MAX_ELEMENTS = 400, LH_MAX_STEPS = 1000000 };
#define LH_TOLERANCE 1e-10

int lh_fail(const char *what, int code) {
  fprintf(stderr, "lulesh_halo: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* One way of communication and its mesh. */
struct contest {
  struct lh_mesh m;
  struct lh_sums *sums; /* this unit's share before the first step and after each */
};

static uint32_t side_of(uint32_t units) {
  return (uint32_t)lround(cbrt((double)units));
}

static int open_contest(struct contest *c, const struct lh_opts *opts,
                        const struct lh_variant *variant) {
  c->m.variant = variant;
  c->sums = calloc((size_t)opts->steps + 1, sizeof *c->sums);
  if (c->sums == NULL) return lh_fail("private memory for energies", EYOT_ENOMEM);
  int code = lh_mesh_open(&c->m, side_of(eyot_size()), eyot_me().id, opts->elements);
  if (code == EYOT_OK) code = variant->open(&c->m);
  if (code == EYOT_OK) code = lh_start(&c->m);
  c->sums[0] = lh_sums(&c->m);
  return code;
}

static int one_step(struct contest *c, uint32_t step, struct laps *laps, uint32_t way) {
  LH_TRY(eyot_barrier(EYOT_TEAM_ALL));
  LH_TRY(eyot_phase(c->m.variant->name));
  uint64_t begin = eyot_now_ns(), before = c->m.communication_ns;
  int code = lh_step(&c->m);
  if (code != EYOT_OK) return code;
  laps_record(laps, way, step - 1, c->m.communication_ns - before, eyot_now_ns() - begin);
  c->sums[step] = lh_sums(&c->m);
  return EYOT_OK;
}

/* The same mesh as one block. Unit 0 only. */
static int run_serial(uint32_t elements, uint32_t steps, struct lh_sums *sums) {
  struct lh_mesh m = {.alone = true};
  int code = lh_mesh_open(&m, 1, 0, elements);
  if (code == EYOT_OK) code = lh_start(&m);
  if (code == EYOT_OK) sums[0] = lh_sums(&m);
  for (uint32_t step = 1; step <= steps && code == EYOT_OK; step++) {
    code = lh_step(&m);
    sums[step] = lh_sums(&m);
  }
  lh_mesh_close(&m);
  return code;
}

/* Relative to the energy of the blast; infinity if a sum is not a number. */
static double largest_error(const struct lh_sums *a, const struct lh_sums *b, uint32_t steps) {
  double worst = 0;
  for (uint32_t i = 0; i <= steps; i++) {
    double internal = fabs(a[i].internal - b[i].internal), whole = b[0].internal;
    double kinetic = fabs(a[i].kinetic - b[i].kinetic);
    double weighted = fabs(a[i].weighted - b[i].weighted);
    double error = (internal + kinetic + weighted) / whole;
    worst = isfinite(error) ? fmax(worst, error) : INFINITY;
  }
  return worst;
}

/* Sums over the units. */
static int collect(struct contest *c, uint32_t steps, uint64_t *messages) {
  size_t n = ((size_t)steps + 1) * (sizeof *c->sums / sizeof(double));
  double *total = malloc(n * sizeof *total);
  if (total == NULL) return lh_fail("private memory for energies", EYOT_ENOMEM);
  LH_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, c->sums, total, n));
  LH_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, &c->m.messages, messages, 1));
  memcpy(c->sums, total, n * sizeof *total);
  free(total);
  return EYOT_OK;
}

/* serial: NULL without verification. Unit 0 only. */
static void print_result(const struct contest *c, uint32_t steps, uint64_t messages,
                         const struct lh_sums *serial, bool *right) {
  const char *name = c->m.variant->name;
  struct lh_sums end = c->sums[steps];
  printf("lulesh_halo: %s: %llu messages; energy %.6f, of it %.6f kinetic\n", name,
         (unsigned long long)messages, end.internal + end.kinetic, end.kinetic);
  if (serial == NULL) {
    printf("lulesh_halo: %s: not verified (--no-verify)\n", name);
    return;
  }
  double error = largest_error(c->sums, serial, steps);
  if (error <= LH_TOLERANCE)
    printf(
        "lulesh_halo: %s: verified: energies of %u steps are those of the serial run within "
        "%.1e\n",
        name, steps, error);
  else
    printf("lulesh_halo: %s: WRONG: energies differ from the serial run by up to %.3g\n", name,
           error);
  *right = *right && error <= LH_TOLERANCE;
  fflush(stdout);
}

static int conclude(struct contest *contests, uint32_t n, const struct lh_opts *opts,
                    struct laps *laps, bool *right) {
  struct lh_sums *serial = NULL;
  int code = EYOT_OK;
  LH_TRY(eyot_phase("verify"));
  LH_TRY(laps_collect(laps));
  if (eyot_me().id == 0 && opts->verify) {
    serial = calloc((size_t)opts->steps + 1, sizeof *serial);
    if (serial == NULL) return lh_fail("private memory for energies", EYOT_ENOMEM);
    code = run_serial(opts->elements * contests[0].m.side, opts->steps, serial);
  }
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) {
    uint64_t messages = 0;
    code = collect(&contests[i], opts->steps, &messages);
    if (code != EYOT_OK || eyot_me().id != 0) continue;
    laps_print(laps, "lulesh_halo", i, contests[i].m.variant->name);
    print_result(&contests[i], opts->steps, messages, serial, right);
  }
  free(serial);
  return code;
}

static int run(const struct lh_opts *opts, bool *right) {
  struct contest contests[LH_MAX_VARIANTS] = {0};
  struct laps laps;
  uint32_t n = 0;
  int code = EYOT_OK;
  for (uint32_t i = 0; LH_VARIANTS[i] != NULL && code == EYOT_OK; i++)
    if (opts->variant == 0 || opts->variant == i + 1)
      code = open_contest(&contests[n++], opts, LH_VARIANTS[i]);
  if (code != EYOT_OK) return code;
  LH_TRY(laps_open(&laps, n, opts->steps));
  for (uint32_t step = 1; step <= opts->steps; step++)
    for (uint32_t i = 0; i < n && code == EYOT_OK; i++)
      code = one_step(&contests[i], step, &laps, i);
  if (code == EYOT_OK) code = conclude(contests, n, opts, &laps, right);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) {
    code = contests[i].m.variant->close(&contests[i].m);
    lh_mesh_close(&contests[i].m);
    free(contests[i].sums);
  }
  LH_TRY(eyot_phase(NULL));
  laps_close(&laps);
  return code;
}

/* Returns ARGS_RUN or the exit code. */
static int prepare(int argc, char **argv, struct lh_opts *opts) {
  char words[ARGS_MESSAGE_BYTES];
  uint32_t side = side_of(eyot_size());
  laps_words(LH_VARIANTS, words, sizeof words);
  const struct args_option table[] = {
      {"elements", "N", ARGS_FIELD(&opts->elements), 1, LH_MAX_ELEMENTS, 15,
       .help = "elements along each edge of a unit's block"},
      {"steps", "N", ARGS_FIELD(&opts->steps), 1, LH_MAX_STEPS, 50, .help = "time steps"},
      {"variant", words, ARGS_WORD(&opts->variant),
       .help = "the ways of communication: all (default), whose steps take turns, or one"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "compare with a serial run on unit 0 (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  int leave = args_parse("lulesh_halo", table, ARGS_COUNT(table), argc, argv);
  if (leave != ARGS_RUN) return leave;
  if (side * side * side != eyot_size())
    return args_error("lulesh_halo", "%u units are not a cube; take 1, 8, 27, 64, 125, ...",
                      eyot_size());
  if (eyot_me().id == 0) {
    printf("lulesh_halo: %u x %u x %u units of %u x %u x %u elements (%s), %u steps\n", side, side,
           side, opts->elements, opts->elements, opts->elements, eyot_fabric_name(), opts->steps);
    fflush(stdout);
  }
  return ARGS_RUN;
}

int main(int argc, char **argv) {
  struct lh_opts opts = {.verify = true};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "lulesh_halo: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = prepare(argc, argv, &opts);
  if (leave == ARGS_RUN) {
    if (run(&opts, &right) != EYOT_OK) eyot_abort(1, "lulesh_halo cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
