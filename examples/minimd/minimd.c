/* SPDX-License-Identifier: BSD-3-Clause */
/* minimd.c - molecular dynamics of a Lennard-Jones liquid, with several ways of communication: the
 * main program.
 *
 * Each way has a system of its own; their steps take turns. The check: after each of the first
 * steps the energies are those of a serial run of the same system, and at the end no atom and no
 * momentum is lost. Phases in the summary: the names of the ways, and verify. */
#include "minimd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/args.h"
#include "../common/laps.h"

enum { MD_MAX_ATOMS = 1000000, MD_MAX_STEPS = 1000000 };
/* Rounding errors grow exponentially in a liquid, so energies of later steps need not agree. */
enum { MD_COMPARED_STEPS = 400 };
#define MD_ENERGY_TOLERANCE 1e-9
#define MD_MOMENTUM_TOLERANCE 1e-11 /* of an atom, in the mean */

int md_fail(const char *what, int code) {
  fprintf(stderr, "minimd: unit %u: %s: %s\n", eyot_me().id, what, eyot_strerror(code));
  return code;
}

/* One way of communication and its system. */
struct contest {
  struct md_system s;
  struct md_energy *energy; /* this unit's share before the first step and after each */
  uint64_t messages;        /* sent before the first step */
};

/* The results of a contest, of all units. */
struct result {
  double momentum; /* of an atom, the largest of the three */
  uint64_t atoms;
  double messages;     /* a unit and step */
  double energy_error; /* unit 0 only */
};

static int open_contest(struct contest *c, const struct md_opts *opts,
                        const struct md_variant *variant) {
  c->s.variant = variant;
  c->s.me = eyot_me().id;
  md_box_make(&c->s.box, eyot_size(), c->s.me, md_box_cells(eyot_size(), opts->atoms));
  c->energy = calloc((size_t)opts->steps + 1, sizeof *c->energy);
  if (c->energy == NULL) return md_fail("private memory for energies", EYOT_ENOMEM);
  int code = md_system_open(&c->s);
  if (code == EYOT_OK) code = md_start(&c->s);
  c->messages = c->s.messages;
  c->energy[0] = md_energy(&c->s);
  return code;
}

static int one_step(struct contest *c, uint32_t step, struct laps *laps, uint32_t way) {
  MD_TRY(eyot_barrier(EYOT_TEAM_ALL));
  MD_TRY(eyot_phase(c->s.variant->name));
  uint64_t begin = eyot_now_ns(), before = c->s.communication_ns;
  int code = md_step(&c->s, step);
  if (code != EYOT_OK) return code;
  laps_record(laps, way, step - 1, c->s.communication_ns - before, eyot_now_ns() - begin);
  c->energy[step] = md_energy(&c->s);
  return EYOT_OK;
}

/* Sums over the units. */
static int collect(struct contest *c, uint32_t steps, struct result *r) {
  double mine[MD_AXES] = {0}, all[MD_AXES], *energy = (double *)c->energy;
  size_t n = ((size_t)steps + 1) * (sizeof *c->energy / sizeof *energy);
  uint64_t counts[2] = {c->s.local, c->s.messages - c->messages}, sums[2];
  double *total = malloc(n * sizeof *total);
  if (total == NULL) return md_fail("private memory for energies", EYOT_ENOMEM);
  for (uint32_t i = 0; i < MD_AXES * c->s.local; i++) mine[i % MD_AXES] += c->s.v[i];
  MD_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, energy, total, n));
  MD_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_DOUBLE, EYOT_SUM, mine, all, MD_AXES));
  MD_TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_SUM, counts, sums, 2));
  memcpy(energy, total, n * sizeof *total);
  free(total);
  r->atoms = sums[0];
  r->messages = (double)sums[1] / c->s.box.units / steps;
  for (int a = 0; a < MD_AXES; a++)
    r->momentum = fmax(r->momentum, fabs(all[a]) / (double)md_box_atoms(&c->s.box));
  return EYOT_OK;
}

static bool result_is_right(const struct contest *c, const struct result *r) {
  return r->energy_error <= MD_ENERGY_TOLERANCE && r->momentum <= MD_MOMENTUM_TOLERANCE &&
         r->atoms == md_box_atoms(&c->s.box);
}

static void print_result(const struct contest *c, const struct md_opts *opts,
                         const struct result *r, uint32_t compared) {
  const char *name = c->s.variant->name;
  double atoms = (double)md_box_atoms(&c->s.box);
  struct md_energy end = c->energy[opts->steps];
  printf("minimd: %s: %.2f messages a unit and step; temperature %.4f, energy %.6f an atom\n", name,
         r->messages, 2 * end.kinetic / (MD_AXES * atoms), (end.kinetic + end.potential) / atoms);
  if (!opts->verify)
    printf("minimd: %s: not verified (--no-verify)\n", name);
  else if (result_is_right(c, r))
    printf(
        "minimd: %s: verified: energies of %u steps are those of the serial run within %.1e; "
        "momentum %.1e an atom\n",
        name, compared, r->energy_error, r->momentum);
  else
    printf(
        "minimd: %s: WRONG: energies differ from the serial run by up to %.3g; momentum %.3g an "
        "atom; %llu of %.0f atoms\n",
        name, r->energy_error, r->momentum, (unsigned long long)r->atoms, atoms);
  fflush(stdout);
}

/* Unit 0 prints; *right is its alone. */
static int conclude(struct contest *contests, uint32_t n, const struct md_opts *opts,
                    struct laps *laps, bool *right) {
  uint32_t compared = opts->steps < MD_COMPARED_STEPS ? opts->steps : MD_COMPARED_STEPS;
  struct md_energy *serial = NULL;
  int code = EYOT_OK;
  MD_TRY(eyot_phase("verify"));
  MD_TRY(laps_collect(laps));
  if (eyot_me().id == 0 && opts->verify) {
    serial = calloc((size_t)compared + 1, sizeof *serial);
    if (serial == NULL) return md_fail("private memory for energies", EYOT_ENOMEM);
    code = md_serial(contests[0].s.box.cells, compared, serial);
  }
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) {
    struct result r = {0};
    code = collect(&contests[i], opts->steps, &r);
    if (code != EYOT_OK || eyot_me().id != 0) continue;
    if (serial != NULL) {
      r.energy_error = md_energy_error(contests[i].energy, serial, compared);
      *right = *right && result_is_right(&contests[i], &r);
    }
    laps_print(laps, "minimd", i, contests[i].s.variant->name);
    print_result(&contests[i], opts, &r, compared);
  }
  free(serial);
  return code;
}

static int run(const struct md_opts *opts, bool *right) {
  struct contest contests[MD_MAX_VARIANTS] = {0};
  struct laps laps;
  uint32_t n = 0;
  int code = EYOT_OK;
  for (uint32_t i = 0; MD_VARIANTS[i] != NULL && code == EYOT_OK; i++)
    if (opts->variant == 0 || opts->variant == i + 1)
      code = open_contest(&contests[n++], opts, MD_VARIANTS[i]);
  if (code != EYOT_OK) return code;
  MD_TRY(laps_open(&laps, n, opts->steps));
  for (uint32_t step = 1; step <= opts->steps; step++)
    for (uint32_t i = 0; i < n && code == EYOT_OK; i++)
      code = one_step(&contests[i], step, &laps, i);
  if (code == EYOT_OK) code = conclude(contests, n, opts, &laps, right);
  for (uint32_t i = 0; i < n && code == EYOT_OK; i++) {
    code = contests[i].s.variant->close(&contests[i].s);
    if (code == EYOT_OK) code = md_system_close(&contests[i].s);
    free(contests[i].energy);
  }
  MD_TRY(eyot_phase(NULL));
  laps_close(&laps);
  return code;
}

static void print_problem(const struct md_opts *opts, const struct md_box *box) {
  printf("minimd: %llu atoms on %u x %u x %u units (%s), %u steps\n",
         (unsigned long long)md_box_atoms(box), box->parts[0], box->parts[1], box->parts[2],
         eyot_fabric_name(), opts->steps);
  fflush(stdout);
}

/* Returns ARGS_RUN or the exit code. */
static int parse(int argc, char **argv, struct md_opts *opts) {
  char words[ARGS_MESSAGE_BYTES];
  laps_words(MD_VARIANTS, words, sizeof words);
  const struct args_option table[] = {
      {"atoms", "N", ARGS_FIELD(&opts->atoms), 1, MD_MAX_ATOMS, 1000,
       .help = "atoms a unit, about: the cube has whole cells of four"},
      {"steps", "N", ARGS_FIELD(&opts->steps), 1, MD_MAX_STEPS, 100, .help = "time steps"},
      {"variant", words, ARGS_WORD(&opts->variant),
       .help = "the ways of communication: all (default), whose steps take turns, or one"},
      {"verify", .flag = &opts->verify, .set = true,
       .help = "compare with a serial run on unit 0 (default)"},
      {"no-verify", .flag = &opts->verify, .set = false, .help = "skip the verification"},
  };
  return args_parse("minimd", table, ARGS_COUNT(table), argc, argv);
}

/* Returns ARGS_RUN or the exit code. */
static int prepare(int argc, char **argv, struct md_opts *opts) {
  struct md_box box;
  int leave = parse(argc, argv, opts);
  if (leave != ARGS_RUN) return leave;
  if (!md_box_make(&box, eyot_size(), eyot_me().id, md_box_cells(eyot_size(), opts->atoms)))
    return args_error("minimd",
                      "--atoms %u makes parts thinner than the reach of forces, %.1f: a cube of "
                      "%.1f is cut into %u x %u x %u parts; give more atoms",
                      opts->atoms, MD_REACH, box.size, box.parts[0], box.parts[1], box.parts[2]);
  if (eyot_me().id == 0) print_problem(opts, &box);
  return ARGS_RUN;
}

int main(int argc, char **argv) {
  struct md_opts opts = {.verify = true};
  bool right = true;
  int code = eyot_init(&argc, &argv);
  if (code != EYOT_OK) {
    fprintf(stderr, "minimd: eyot_init: %s\n", eyot_strerror(code));
    return 1;
  }
  int leave = prepare(argc, argv, &opts);
  if (leave == ARGS_RUN) {
    if (run(&opts, &right) != EYOT_OK) eyot_abort(1, "minimd cannot continue");
    leave = right ? 0 : 1;
  }
  return eyot_finalize() == EYOT_OK ? leave : 1;
}
