/* SPDX-License-Identifier: BSD-3-Clause */
/* milc.c - conjugate gradients on a lattice in four dimensions, with several ways of communication:
 * the main program.
 *
 * Each way has a lattice of its own; their iterations take turns. The check: the squares of the
 * residuals are those of a serial run of the same system, and the residual of the solution,
 * computed anew, is below its bound. Phases in the summary: the names of the ways, and verify. */
#include "milc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"
#include "../common/laps.h"

enum { MC_MAX_LOCAL = 64, MC_MAX_ITERATIONS = 100000 };
#define MC_TOLERANCE 1e-10 /* of the squares, relative to the first */

int mc_fail(const char *what, int code) {
  fprintf(stderr, "milc: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* One way of communication. */
struct contest {
  struct mc_lattice l;
  double *rr; /* before the first iteration and after each */
  double residual;
};

static int open_contest(struct contest *c, const struct mc_opts *opts,
                        const uint32_t parts[MC_AXES], const struct mc_variant *variant) {
  c->l.variant = variant;
  c->rr = calloc((size_t)opts->iterations + 1, sizeof *c->rr);
  if (c->rr == NULL) return mc_fail("private memory for residuals", EYOT_ENOMEM);
  int code = mc_lattice_open(&c->l, parts, eyot_me().id, opts->local);
  if (code == EYOT_OK) code = variant->open(&c->l);
  if (code == EYOT_OK) code = mc_solver_start(&c->l);
  c->rr[0] = c->l.rr;
  return code;
}

static int one_iteration(struct contest *c, uint32_t iteration, struct laps *laps, uint32_t way) {
  MC_TRY(eyot_barrier(EYOT_TEAM_ALL));
  MC_TRY(eyot_phase(c->l.variant->name));
  uint64_t begin = eyot_now_ns(), before = c->l.communication_ns;
  int code = mc_solver_step(&c->l);
  if (code != EYOT_OK) return code;
  laps_record(laps, way, iteration - 1, c->l.communication_ns - before, eyot_now_ns() - begin);
  c->rr[iteration] = c->l.rr;
  return EYOT_OK;
}

/* The same system as one part. Unit 0 only. */
static int run_serial(const struct mc_lattice *part, uint32_t iterations, double *rr) {
  struct mc_lattice l = {.alone = true};
  const uint32_t one[MC_AXES] = {1, 1, 1, 1};
  uint32_t whole[MC_AXES];
  for (int a = 0; a < MC_AXES; a++) whole[a] = part->local[a] * part->parts[a];
  int code = mc_lattice_open(&l, one, 0, whole);
  if (code == EYOT_OK) code = mc_solver_start(&l);
  rr[0] = l.rr;
  for (uint32_t i = 1; i <= iterations && code == EYOT_OK; i++) {
    code = mc_solver_step(&l);
    rr[i] = l.rr;
  }
  mc_lattice_close(&l);
  return code;
}

/* Relative to the first; infinity if one is not a number. */
static double largest_error(const double *a, const double *b, uint32_t n) {
  double worst = 0;
  for (uint32_t i = 0; i <= n; i++) {
    double error = fabs(a[i] - b[i]) / b[0];
    worst = isfinite(error) ? fmax(worst, error) : INFINITY;
  }
  return worst;
}

/* serial: NULL without verification. Unit 0 only. */
static void print_result(const struct contest *c, uint32_t iterations, const double *serial,
                         bool *right) {
  const char *name = c->l.variant->name;
  /* Below 1e-13 the residual that is computed anew is rounding errors. */
  double bound = fmax(mc_solver_bound(iterations), 1e-13), told = sqrt(c->l.rr / c->l.rr_start);
  printf("milc: %s: residual %.3e; %llu messages and %llu allreduces of unit 0\n", name,
         c->residual, (unsigned long long)c->l.messages, (unsigned long long)c->l.allreduces);
  if (serial == NULL) {
    printf("milc: %s: not verified (--no-verify)\n", name);
    return;
  }
  double error = largest_error(c->rr, serial, iterations);
  bool solved = c->residual <= bound && fabs(c->residual - told) <= 1e-12;
  if (solved && error <= MC_TOLERANCE)
    printf(
        "milc: %s: verified: residuals of %u iterations are those of the serial run within "
        "%.1e, the last is below its bound %.1e\n",
        name, iterations, error, bound);
  else
    printf(
        "milc: %s: WRONG: residuals differ from the serial run by up to %.3g; the solver tells "
        "%.3g, found %.3g, bound %.3g\n",
        name, error, told, c->residual, bound);
  *right = *right && solved && error <= MC_TOLERANCE;
  fflush(stdout);
}

static int conclude(struct contest *contests, uint32_t n, const struct mc_opts *opts,
                    struct laps *laps, bool *right) {
  double *serial = NULL;
  int code = EYOT_OK;
  MC_TRY(eyot_phase("verify"));
  MC_TRY(laps_collect(laps));
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++)
    code = mc_solver_residual(&contests[i].l, &contests[i].residual);
  if (eyot_me().id == 0 && opts->verify && code == EYOT_OK) {
    serial = calloc((size_t)opts->iterations + 1, sizeof *serial);
    if (serial == NULL) return mc_fail("private memory for residuals", EYOT_ENOMEM);
    code = run_serial(&contests[0].l, opts->iterations, serial);
  }
  for (uint32_t i = 0; i < n && code == EYOT_OK && eyot_me().id == 0; i++) {
    laps_print(laps, "milc", i, contests[i].l.variant->name);
    print_result(&contests[i], opts->iterations, serial, right);
  }
  free(serial);
  return code;
}

static int run(const struct mc_opts *opts, const uint32_t parts[MC_AXES], bool *right) {
  struct contest contests[MC_MAX_VARIANTS] = {0};
  struct laps laps;
  uint32_t n = 0;
  int code = EYOT_OK;
  for (uint32_t i = 0; MC_VARIANTS[i] != NULL && code == EYOT_OK; i++)
    if (opts->variant == 0 || opts->variant == i + 1)
      code = open_contest(&contests[n++], opts, parts, MC_VARIANTS[i]);
  if (code != EYOT_OK) return code;
  MC_TRY(laps_open(&laps, n, opts->iterations));
  for (uint32_t iteration = 1; iteration <= opts->iterations; iteration++)
    for (uint32_t i = 0; i < n && code == EYOT_OK; i++)
      code = one_iteration(&contests[i], iteration, &laps, i);
  if (code == EYOT_OK) code = conclude(contests, n, opts, &laps, right);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) {
    code = contests[i].l.variant->close(&contests[i].l);
    mc_lattice_close(&contests[i].l);
    free(contests[i].rr);
  }
  MC_TRY(eyot_phase(NULL));
  laps_close(&laps);
  return code;
}

/* X,Y,Z,T is a triple and a number. Returns ARGS_RUN or the exit code. */
static int prepare(int argc, char **argv, struct mc_opts *opts, uint32_t parts[MC_AXES]) {
  char words[ARGS_MESSAGE_BYTES];
  uint32_t space[3];
  laps_words(MC_VARIANTS, words, sizeof words);
  const struct args_option table[] = {
      {"space", "X[,Y,Z]", ARGS_FIELD(&space), 1, MC_MAX_LOCAL, 4,
       .help = "sites of a unit along the axes of space"},
      {"time", "T", ARGS_FIELD(&opts->local[MC_AXES - 1]), 1, MC_MAX_LOCAL, 8,
       .help = "sites of a unit along the axis of time"},
      {"iterations", "N", ARGS_FIELD(&opts->iterations), 1, MC_MAX_ITERATIONS, 25,
       .help = "iterations of the solver"},
      {"variant", words, ARGS_WORD(&opts->variant),
       .help = "the ways of communication: all (default), whose iterations take turns, or one"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "compare with a serial run on unit 0 (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  int leave = args_parse("milc", table, ARGS_COUNT(table), argc, argv);
  if (leave != ARGS_RUN) return leave;
  memcpy(opts->local, space, sizeof space);
  if (eyot_cart_dims(eyot_size(), MC_AXES, parts) != EYOT_OK) return 1;
  if (eyot_me().id == 0) {
    printf("milc: %u x %u x %u x %u units of %u x %u x %u x %u sites (%s), %u iterations\n",
           parts[0], parts[1], parts[2], parts[3], opts->local[0], opts->local[1], opts->local[2],
           opts->local[3], eyot_fabric_name(), opts->iterations);
    fflush(stdout);
  }
  return ARGS_RUN;
}

int main(int argc, char **argv) {
  struct mc_opts opts = {.verify = true};
  uint32_t parts[MC_AXES] = {0};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "milc: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = prepare(argc, argv, &opts, parts);
  if (leave == ARGS_RUN) {
    if (run(&opts, parts, &right) != EYOT_OK) eyot_abort(1, "milc cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
