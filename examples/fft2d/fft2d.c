/* SPDX-License-Identifier: BSD-3-Clause */
/* fft2d.c - FFTs in two dimensions of a distributed matrix, with several ways of communication: the
 * main program.
 *
 * Steps are transforms, forward and inverse in turn, each way on a matrix of its own. The check:
 * after the first step, and the last, every entry is that of the closed form or of the input.
 * Phases in the summary: the names of the ways, and verify. */
#include "fft2d.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"
#include "../common/laps.h"

enum { FFT2D_MAX_SIZE = 1 << 20, FFT2D_MAX_ELEMENTS = 1 << 28, FFT2D_MAX_STEPS = 100000 };
enum { FFT2D_PERCENT = 100 };
/* Rounding errors of hundreds of transforms stay far below; a wrong entry does not. */
#define FFT2D_TOLERANCE 1e-11

int fft2d_fail(const char *what, int code) {
  fprintf(stderr, "fft2d: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* One way of communication and its matrix. */
struct contest {
  const struct fft2d_variant *variant;
  void *state;
  fft2d_number *matrix;
  double error; /* the largest so far */
};

/* One transform. communication_ns: its part in transpositions, with packing and unpacking. */
static int transform(const struct fft2d_unit *u, struct contest *c, bool inverse,
                     uint64_t *communication_ns) {
  *communication_ns = 0;
  for (int i = 0; i < 2; i++) {
    int code = fft2d_rows(u, inverse, c->matrix);
    if (code != EYOT_OK) return code;
    uint64_t begin = eyot_now_ns();
    code = c->variant->transpose(u, c->state, c->matrix);
    if (code != EYOT_OK) return code;
    *communication_ns += eyot_now_ns() - begin;
  }
  return EYOT_OK;
}

static int one_step(const struct fft2d_unit *u, struct contest *c, uint32_t step, uint64_t *comm,
                    uint64_t *whole) {
  bool inverse = step % 2 == 1, last = step + 1 == u->opts->steps;
  FFT2D_TRY(eyot_barrier(EYOT_TEAM_ALL));
  FFT2D_TRY(eyot_phase(c->variant->name));
  uint64_t begin = eyot_now_ns();
  int code = transform(u, c, inverse, comm);
  if (code != EYOT_OK) return code;
  *whole = eyot_now_ns() - begin;
  FFT2D_TRY(eyot_phase("verify"));
  if (inverse) fft2d_scale(u, c->matrix);
  if (u->opts->verify && (step == 0 || last))
    c->error = fmax(c->error,
                    inverse ? fft2d_input_error(u, c->matrix) : fft2d_spectrum_error(u, c->matrix));
  return EYOT_OK;
}

static int run_steps(const struct fft2d_unit *u, struct contest *contests, uint32_t n,
                     struct laps *laps) {
  for (uint32_t step = 0; step < u->opts->steps; step++)
    for (uint32_t i = 0; i < n; i++) {
      uint64_t comm = 0, whole = 0;
      int code = one_step(u, &contests[i], step, &comm, &whole);
      if (code != EYOT_OK) return code;
      laps_record(laps, i, step, comm, whole);
    }
  return EYOT_OK;
}

/* Units of unit 0's node: the share of blocks that do not leave the node, the unit's own one
 * included, as in figure 4.14 of the source. */
static int print_problem(const struct fft2d_unit *u) {
  uint32_t near = 0;
  for (uint32_t unit = 0; unit < u->units; unit++) {
    eyot_domain_t level;
    FFT2D_TRY(eyot_distance((eyot_unit_t){0}, (eyot_unit_t){unit}, &level));
    if (level <= EYOT_DOMAIN_NODE) near++;
  }
  printf(
      "fft2d: %llu x %llu numbers on %u units (%s), %u steps; blocks of %llu bytes, %.2f%% of "
      "them within a node\n",
      (unsigned long long)u->n, (unsigned long long)u->n, u->units, eyot_fabric_name(),
      u->opts->steps, (unsigned long long)(u->block * sizeof(fft2d_number)),
      (double)FFT2D_PERCENT * near / u->units);
  fflush(stdout);
  return EYOT_OK;
}

/* Errors of all units; unit 0 prints. */
static int conclude(const struct fft2d_unit *u, struct contest *contests, uint32_t n,
                    struct laps *laps, bool *right) {
  FFT2D_TRY(laps_collect(laps));
  for (uint32_t i = 0; i < n; i++) {
    double worst = INFINITY;
    const char *name = contests[i].variant->name;
    FFT2D_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_MAX, &contests[i].error, &worst, 1));
    bool fits = worst <= FFT2D_TOLERANCE;
    if (u->opts->verify && !fits) *right = false;
    if (u->me != 0) continue;
    laps_print(laps, "fft2d", i, name);
    if (!u->opts->verify)
      printf("fft2d: %s: not verified (--no-verify)\n", name);
    else if (fits)
      printf("fft2d: %s: verified: all entries are those of the closed form%s within %.1e\n", name,
             u->opts->steps > 1 ? ", and of the input after the inverse," : "", worst);
    else
      printf("fft2d: %s: WRONG: an entry differs by %.3g of its size\n", name, worst);
    fflush(stdout);
  }
  return EYOT_OK;
}

static int open_contest(const struct fft2d_unit *u, struct contest *c) {
  void *shared = NULL;
  if (c->variant->shared)
    FFT2D_TRY(eyot_sheap_alloc(u->rows * u->n * sizeof(fft2d_number), &shared));
  c->matrix = c->variant->shared ? shared : fftw_alloc_complex(u->rows * u->n);
  if (c->matrix == NULL) return fft2d_fail("private memory for the matrix", EYOT_ENOMEM);
  fft2d_fill(u, c->matrix);
  return c->variant->open(u, &c->state);
}

static int close_contest(const struct fft2d_unit *u, struct contest *c) {
  int code = c->variant->close(u, c->state);
  if (code != EYOT_OK) return code;
  if (c->variant->shared)
    FFT2D_TRY(eyot_sheap_free(c->matrix));
  else
    fftw_free(c->matrix);
  return EYOT_OK;
}

static int make_plans(struct fft2d_unit *u, fft2d_number *matrix) {
  /* Rows need not be aligned alike, and a plan that measures would take wall time on every unit. */
  const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
  u->forward = fftw_plan_dft_1d((int)u->n, matrix, matrix, FFTW_FORWARD, flags);
  u->backward = fftw_plan_dft_1d((int)u->n, matrix, matrix, FFTW_BACKWARD, flags);
  u->own = fftw_alloc_complex(u->block);
  if (u->forward == NULL || u->backward == NULL || u->own == NULL)
    return fft2d_fail("plans of FFTW and a block", EYOT_ENOMEM);
  return EYOT_OK;
}

static int run(struct fft2d_unit *u, bool *right) {
  struct contest contests[FFT2D_MAX_VARIANTS] = {0};
  struct laps laps;
  uint32_t n = 0;
  int code = EYOT_OK;
  for (uint32_t i = 0; FFT2D_VARIANTS[i] != NULL; i++)
    if (u->opts->variant == 0 || u->opts->variant == i + 1)
      contests[n++].variant = FFT2D_VARIANTS[i];
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) code = open_contest(u, &contests[i]);
  if (code == EYOT_OK) code = make_plans(u, contests[0].matrix);
  if (code != EYOT_OK) return code;
  FFT2D_TRY(laps_open(&laps, n, u->opts->steps));
  code = run_steps(u, contests, n, &laps);
  if (code == EYOT_OK) code = conclude(u, contests, n, &laps, right);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) code = close_contest(u, &contests[i]);
  FFT2D_TRY(eyot_phase(NULL));
  fftw_destroy_plan(u->backward);
  fftw_destroy_plan(u->forward);
  fftw_free(u->own);
  laps_close(&laps);
  return code;
}

/* The size of the matrix: a multiple of the units. Returns ARGS_RUN or the exit code. */
static int choose_size(const struct fft2d_opts *opts, struct fft2d_unit *u) {
  uint64_t rows = opts->size / u->units;
  if (opts->size == 0) {
    rows = (uint64_t)llround(sqrt((double)opts->elements / u->units));
    if (rows == 0) rows = 1;
  } else if (opts->size % u->units != 0) {
    return args_error("fft2d", "--size %u is not a multiple of the %u units", opts->size, u->units);
  }
  u->rows = rows;
  u->n = rows * u->units;
  u->block = rows * rows;
  if (u->n > FFT2D_MAX_SIZE)
    return args_error("fft2d",
                      "the matrix would have %llu rows, more than %d; give fewer --elements",
                      (unsigned long long)u->n, FFT2D_MAX_SIZE);
  return ARGS_RUN;
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct fft2d_opts *opts) {
  char words[ARGS_MESSAGE_BYTES];
  laps_words(FFT2D_VARIANTS, words, sizeof words);
  const struct args_option table[] = {
      {"elements", "N", ARGS_FIELD(&opts->elements), 1, FFT2D_MAX_ELEMENTS, 65536,
       .help = "numbers a unit; the size is the multiple of the units that comes nearest"},
      {"size", "N", ARGS_FIELD(&opts->size), 1, FFT2D_MAX_SIZE,
       .help = "rows and columns of the whole matrix instead, a multiple of the units"},
      {"steps", "N", ARGS_FIELD(&opts->steps), 1, FFT2D_MAX_STEPS, 10,
       .help = "transforms: forward and inverse in turn"},
      {"variant", words, ARGS_WORD(&opts->variant),
       .help = "the ways of communication: all (default), whose steps take turns, or one"},
      {"verify", .flag = &opts->verify, .set = true, .help = "check the results (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  return args_parse("fft2d", table, ARGS_COUNT(table), argc, argv);
}

int main(int argc, char **argv) {
  struct fft2d_opts opts = {.verify = true};
  struct fft2d_unit u = {.opts = &opts};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "fft2d: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  u.me = eyot_me().id;
  u.units = eyot_size();
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) leave = choose_size(&opts, &u);
  if (leave == ARGS_RUN) {
    code = u.me == 0 ? print_problem(&u) : EYOT_OK;
    if (code != EYOT_OK || run(&u, &right) != EYOT_OK) eyot_abort(1, "fft2d cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
