/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_units.c - searches for the same failure with fewer units (eyotcheck_units.h).
 *
 * A stream of choices has no meaning for another number of units, so each number is explored anew.
 * A process of its own does it, since the number is fixed when a program is loaded. */
#include "eyotcheck_units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wording.h"
#include "check/runfile/file.h"

#define RUNS "2000" /* for each number of units */
#define SECONDS "10"
#define UNITS_MAX 64u /* above this, there are too many numbers to try */
#define ARGUMENTS_MAX 20
#define TEXT_BYTES 512u

static bool read_kind(const char *path, char *kind, uint32_t *choices, uint32_t *nonzero) {
  struct chk_file f;
  chk_file_init(&f);
  FILE *in = fopen(path, "re");
  if (in == NULL) return false;
  bool ok = chk_file_read(&f, in, path, NULL) == 0;
  fclose(in);
  if (ok) chk_file_failure_kind(f.failure, kind, TEXT_BYTES);
  *nonzero = 0;
  for (uint32_t i = 0; ok && i < f.stream.n; i++) *nonzero += f.stream.at[i].value != 0;
  if (ok) *choices = f.stream.n;
  chk_file_fini(&f);
  return ok;
}

static void child(char **argv) __attribute__((noreturn));
static void child(char **argv) {
  int null = open("/dev/null", O_WRONLY);
  if (null >= 0) {
    (void)dup2(null, STDOUT_FILENO);
    (void)dup2(null, STDERR_FILENO);
  }
  execv("/proc/self/exe", argv);
  _exit(127);
}

/* The pictures of a run with another number of units, while it is not known whether it replaces the
 * one that was found. */
struct units_pictures {
  const char *path[2]; /* those of the job, or NULL */
  char fewer[2][PATH_MAX];
};
static const char *const PICTURES[2] = {"--mermaid", "--svg"};

static bool pictures_name(struct units_pictures *p, const struct fab_explore *what) {
  p->path[0] = what->mermaid;
  p->path[1] = what->svg;
  for (int i = 0; i < 2; i++)
    if (p->path[i] != NULL &&
        snprintf(p->fewer[i], sizeof p->fewer[i], "%s.fewer", p->path[i]) >= PATH_MAX)
      return false;
  return true;
}

/* keep: they replace those of the job. */
static void pictures_end(const struct units_pictures *p, bool keep) {
  for (int i = 0; i < 2; i++)
    if (p->path[i] != NULL && (!keep || rename(p->fewer[i], p->path[i]) != 0))
      (void)unlink(p->fewer[i]);
}

/* Returns the exit code of exploring with `units` units; -1: it could not start. */
static int explore(const struct fab_explore *what, uint32_t units, const char *save,
                   const struct units_pictures *pictures, char **program) {
  char number[16], seed[32];
  snprintf(number, sizeof number, "%u", units);
  snprintf(seed, sizeof seed, "%" PRIu64, what->seed);
  int n = 0, n_program = 0;
  while (program[n_program] != NULL) n_program++;
  const char **argv = calloc(ARGUMENTS_MAX + what->n_options + (size_t)n_program + 1, sizeof *argv);
  char **options = calloc(what->n_options + 1, sizeof *options);
  bool ok = argv != NULL && options != NULL;
  const char *own[] = {
      "eyotcheck", "-n",    number,   "--strategy", what->strategy, "--runs", RUNS,
      "--time",    SECONDS, "--seed", seed,         "--save",       save,     "--fewer-units=off"};
  for (size_t i = 0; ok && i < sizeof own / sizeof *own; i++) argv[n++] = own[i];
  for (int i = 0; ok && i < 2; i++) {
    if (pictures->path[i] == NULL) continue;
    argv[n++] = PICTURES[i];
    argv[n++] = pictures->fewer[i];
  }
  for (uint32_t i = 0; ok && i < what->n_options; i++) {
    ok = asprintf(&options[i], "--%s", what->options[i]) >= 0;
    argv[n++] = options[i];
  }
  if (ok) argv[n++] = "--";
  for (int i = 0; ok && i < n_program; i++) argv[n++] = program[i];
  fflush(NULL);
  pid_t pid = ok ? fork() : -1;
  if (pid == 0) child((char **)(uintptr_t)argv);
  for (uint32_t i = 0; options != NULL && i < what->n_options; i++) free(options[i]);
  free(argv);
  free(options);
  int status = 0;
  if (pid < 0) return -1;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

uint32_t fewer_units(const struct fab_explore *what, uint32_t units, char **program) {
  char path[4096], kind[TEXT_BYTES], other[TEXT_BYTES];
  uint32_t choices, nonzero;
  static struct units_pictures pictures;
  if (!pictures_name(&pictures, what) || units > UNITS_MAX ||
      snprintf(path, sizeof path, "%s.fewer", what->save) >= (int)sizeof path ||
      !read_kind(what->save, kind, &choices, &nonzero))
    return units;
  for (uint32_t k = 2; k < units; k++) {
    bool same = explore(what, k, path, &pictures, program) == 1 &&
                read_kind(path, other, &choices, &nonzero) && strcmp(kind, other) == 0;
    bool kept = same && rename(path, what->save) == 0;
    pictures_end(&pictures, kept);
    if (kept) {
      eyoti_fprintf(
          stdout,
          "eyotcheck: %u units are enough: %s is now a run of %u units with %u choices that fails "
          "in the same way\n",
          k, what->save, k, choices);
      what->explored->choices = choices;
      what->explored->nonzero = nonzero;
      return k;
    }
    (void)unlink(path);
  }
  if (units > 2)
    eyoti_fprintf(stdout,
                  "eyotcheck: with fewer than %u units it was not seen (" RUNS
                  " runs with each number)\n",
                  units);
  return units;
}
