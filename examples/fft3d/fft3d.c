/* SPDX-License-Identifier: BSD-3-Clause */
/* fft3d.c - the NAS FT benchmark with several ways of communication: the main program.
 *
 * Each way has a grid of its own; their iterations take turns. The check: the checksum of each
 * iteration is that of a transform of the whole grid on unit 0, and that of the benchmark for its
 * classes. Phases in the summary: the names of the ways, and verify. */
#include "fft3d.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"
#include "../common/laps.h"

enum { FFT3D_MAX_SIZE = 4096, FFT3D_MAX_ITERATIONS = 10000 };
#define FFT3D_TOLERANCE 1e-12 /* the benchmark's, and that of its printed digits */

int fft3d_fail(const char *what, int code) {
  fprintf(stderr, "fft3d: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* One way of communication. */
struct contest {
  struct fft3d_grid g;
  fft3d_number *sums; /* of this unit, of each iteration */
};

static int make_plans(struct fft3d_unit *u, fft3d_number *space, fft3d_number *lines) {
  int nx = (int)u->nx, ny = (int)u->ny, nz = (int)u->nz;
  for (int inverse = 0; inverse < 2; inverse++) {
    int sign = inverse ? FFTW_BACKWARD : FFTW_FORWARD;
    /* Planes need not be aligned alike. */
    const unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    u->plane[inverse] = fftw_plan_dft_2d(ny, nx, space, space, sign, flags);
    u->lines[inverse] =
        fftw_plan_many_dft(1, &nz, nx, lines, NULL, 1, nz, lines, NULL, 1, nz, sign, flags);
    if (u->plane[inverse] == NULL || u->lines[inverse] == NULL)
      return fft3d_fail("plans of FFTW", EYOT_ENOMEM);
  }
  return EYOT_OK;
}

static int open_contest(const struct fft3d_unit *u, struct contest *c) {
  c->g.transform = fftw_alloc_complex(u->numbers);
  c->g.space = fftw_alloc_complex(u->numbers);
  c->g.lines = fftw_alloc_complex(u->numbers);
  c->sums = calloc(u->opts->iterations, sizeof *c->sums);
  if (c->g.transform == NULL || c->g.space == NULL || c->g.lines == NULL || c->sums == NULL)
    return fft3d_fail("private memory for the grid", EYOT_ENOMEM);
  return c->g.variant->open(u, &c->g);
}

static int start_contest(const struct fft3d_unit *u, struct contest *c) {
  fft3d_random(c->g.space, u->me * u->numbers, u->numbers);
  int code = fft3d_forward(u, &c->g);
  memcpy(c->g.transform, c->g.lines, u->numbers * sizeof *c->g.lines);
  return code;
}

/* Each entry of the transform with the factor of an iteration. */
static int apply_factors(const struct fft3d_unit *u, struct contest *c, uint32_t iteration) {
  uint64_t at = 0;
  for (uint64_t y = 0; y < u->rows; y++)
    for (uint64_t x = 0; x < u->nx; x++)
      for (uint64_t z = 0; z < u->nz; z++, at++)
        c->g.lines[at] =
            c->g.transform[at] * exp(iteration * fft3d_exponent(u, x, u->me * u->rows + y, z));
  return eyot_compute(u->numbers * FFT3D_TOUCH_NS);
}

static int one_iteration(const struct fft3d_unit *u, struct contest *c, uint32_t iteration,
                         struct laps *laps, uint32_t way) {
  FFT3D_TRY(eyot_barrier(EYOT_TEAM_ALL));
  FFT3D_TRY(eyot_phase(c->g.variant->name));
  uint64_t begin = eyot_now_ns(), before = c->g.communication_ns;
  FFT3D_TRY(apply_factors(u, c, iteration));
  int code = fft3d_inverse(u, &c->g);
  if (code != EYOT_OK) return code;
  laps_record(laps, way, iteration - 1, c->g.communication_ns - before, eyot_now_ns() - begin);
  c->sums[iteration - 1] = fft3d_checksum(u, c->g.space, u->me * u->planes, u->planes);
  return EYOT_OK;
}

/* Relative, the worst of the iterations; infinity if a sum is not a number. */
static double largest_error(const fft3d_number *a, const fft3d_number *b, uint32_t n) {
  double worst = 0;
  for (uint32_t i = 0; i < n; i++) {
    double error = cabs(a[i] - b[i]) / cabs(b[i]);
    worst = isfinite(error) ? fmax(worst, error) : INFINITY;
  }
  return worst;
}

/* Unit 0 only. expected: of the serial run. */
static void print_result(const struct fft3d_unit *u, const struct contest *c,
                         const fft3d_number *expected, bool *right) {
  const struct fft3d_opts *opts = u->opts;
  const char *name = c->g.variant->name;
  if (expected == NULL) {
    printf("fft3d: %s: not verified (--no-verify)\n", name);
    return;
  }
  uint32_t published = opts->iterations < FFT3D_PUBLISHED ? opts->iterations : FFT3D_PUBLISHED;
  double serial = largest_error(c->sums, expected, opts->iterations);
  double nas = opts->class == FFT3D_OTHER
                   ? 0
                   : largest_error(c->sums, FFT3D_CHECKSUMS[opts->class], published);
  bool fits = serial <= FFT3D_TOLERANCE && nas <= FFT3D_TOLERANCE;
  if (!fits)
    printf(
        "fft3d: %s: WRONG: checksums differ from the serial run by up to %.3g, from those of NAS "
        "by %.3g\n",
        name, serial, nas);
  else
    printf(
        "fft3d: %s: verified: checksums of %u iterations are those of the serial run within "
        "%.1e%s\n",
        name, opts->iterations, serial,
        opts->class == FFT3D_OTHER ? "" : ", and those of NAS FT for the class");
  *right = *right && fits;
  fflush(stdout);
}

static int conclude(const struct fft3d_unit *u, struct contest *contests, uint32_t n,
                    struct laps *laps, bool *right) {
  size_t numbers = 2 * (size_t)u->opts->iterations;
  double *total = malloc(numbers * sizeof *total);
  fft3d_number *serial = NULL;
  int code = EYOT_OK;
  FFT3D_TRY(eyot_phase("verify"));
  FFT3D_TRY(laps_collect(laps));
  if (u->me == 0 && u->opts->verify) {
    serial = calloc(u->opts->iterations, sizeof *serial);
    code = serial != NULL ? fft3d_serial(u, serial) : EYOT_ENOMEM;
  }
  if (total == NULL || code != EYOT_OK) return fft3d_fail("the serial run", EYOT_ENOMEM);
  for (uint32_t i = 0; i < n; i++) {
    FFT3D_TRY(
        eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, contests[i].sums, total, numbers));
    memcpy(contests[i].sums, total, numbers * sizeof *total);
    if (u->me != 0) continue;
    laps_print(laps, "fft3d", i, contests[i].g.variant->name);
    print_result(u, &contests[i], serial, right);
  }
  free(serial);
  free(total);
  return EYOT_OK;
}

static int close_contest(const struct fft3d_unit *u, struct contest *c) {
  int code = c->g.variant->close(u, &c->g);
  fftw_free(c->g.transform);
  fftw_free(c->g.space);
  fftw_free(c->g.lines);
  free(c->sums);
  return code;
}

static int run(struct fft3d_unit *u, bool *right) {
  struct contest contests[FFT3D_MAX_VARIANTS] = {0};
  struct laps laps;
  uint32_t n = 0;
  int code = EYOT_OK;
  for (uint32_t i = 0; FFT3D_VARIANTS[i] != NULL && code == EYOT_OK; i++) {
    if (u->opts->variant != 0 && u->opts->variant != i + 1) continue;
    contests[n].g.variant = FFT3D_VARIANTS[i];
    code = open_contest(u, &contests[n++]);
  }
  if (code == EYOT_OK) code = make_plans(u, contests[0].g.space, contests[0].g.lines);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) code = start_contest(u, &contests[i]);
  if (code != EYOT_OK) return code;
  FFT3D_TRY(laps_open(&laps, n, u->opts->iterations));
  for (uint32_t iteration = 1; iteration <= u->opts->iterations; iteration++)
    for (uint32_t i = 0; i < n && code == EYOT_OK; i++)
      code = one_iteration(u, &contests[i], iteration, &laps, i);
  if (code == EYOT_OK) code = conclude(u, contests, n, &laps, right);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) code = close_contest(u, &contests[i]);
  for (int inverse = 0; inverse < 2; inverse++) {
    fftw_destroy_plan(u->plane[inverse]);
    fftw_destroy_plan(u->lines[inverse]);
  }
  FFT3D_TRY(eyot_phase(NULL));
  laps_close(&laps);
  return code;
}

/* The grid and its cut into slabs. Returns ARGS_RUN or the exit code. */
static int choose_grid(struct fft3d_opts *opts, struct fft3d_unit *u) {
  static const uint32_t sizes[][FFT3D_AXES] = {{64, 64, 64}, {128, 128, 32}};
  if (opts->size[0] != 0)
    opts->class = FFT3D_OTHER;
  else
    memcpy(opts->size, sizes[opts->class], sizeof opts->size);
  u->nx = opts->size[FFT3D_X];
  u->ny = opts->size[FFT3D_Y];
  u->nz = opts->size[FFT3D_Z];
  if (u->ny % u->units != 0 || u->nz % u->units != 0)
    return args_error("fft3d", "%u units do not divide the %llu and %llu planes of y and z",
                      u->units, (unsigned long long)u->ny, (unsigned long long)u->nz);
  u->planes = u->nz / u->units;
  u->rows = u->ny / u->units;
  u->piece = u->planes * u->rows * u->nx;
  u->numbers = u->piece * u->units;
  if (u->me == 0) {
    printf("fft3d: %llu x %llu x %llu numbers on %u units (%s), %u iterations\n",
           (unsigned long long)u->nx, (unsigned long long)u->ny, (unsigned long long)u->nz,
           u->units, eyot_fabric_name(), opts->iterations);
    fflush(stdout);
  }
  return ARGS_RUN;
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct fft3d_opts *opts) {
  char words[ARGS_MESSAGE_BYTES];
  laps_words(FFT3D_VARIANTS, words, sizeof words);
  const struct args_option table[] = {
      {"class", "S|W", ARGS_WORD(&opts->class),
       .help = "the benchmark's grid: S (default) 64 x 64 x 64, W 128 x 128 x 32"},
      {"size", "X[,Y,Z]", ARGS_FIELD(&opts->size), 1, FFT3D_MAX_SIZE,
       .help = "numbers along each axis instead; the units divide Y and Z"},
      {"iterations", "N", ARGS_FIELD(&opts->iterations), 1, FFT3D_MAX_ITERATIONS, 6,
       .help = "iterations"},
      {"variant", words, ARGS_WORD(&opts->variant),
       .help = "the ways of communication: all (default), whose iterations take turns, or one"},
      {"verify", .flag = &opts->verify, .set = true, .help = "check the checksums (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  return args_parse("fft3d", table, ARGS_COUNT(table), argc, argv);
}

int main(int argc, char **argv) {
  struct fft3d_opts opts = {.verify = true};
  struct fft3d_unit u = {.opts = &opts};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "fft3d: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  u.me = eyot_me().id;
  u.units = eyot_size();
  int leave = parse(argc, argv, &opts);
  if (leave == ARGS_RUN) leave = choose_grid(&opts, &u);
  if (leave == ARGS_RUN) {
    if (run(&u, &right) != EYOT_OK) eyot_abort(1, "fft3d cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
