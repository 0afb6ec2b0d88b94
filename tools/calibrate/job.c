/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - runs of eyot-calibrate-probe. See job.h. */
#include "calibrate/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGS_MAX = 24, LINE_BYTES = 256 };

struct args {
  int n;
  const char *at[ARGS_MAX];
};

static void add(struct args *a, const char *word) {
  if (a->n + 1 < ARGS_MAX) a->at[a->n++] = word;
  a->at[a->n] = NULL;
}

/* Reads the samples of a program's output. */
static void collect(FILE *in, struct samples *out) {
  char line[LINE_BYTES];
  while (fgets(line, sizeof line, in) != NULL) samples_line(out, line);
}

/* Errors of the program are on stderr, which it shares. */
static bool run(const struct args *a, struct samples *out) {
  int ends[2], status;
  if (pipe(ends) != 0) {
    perror("eyot-calibrate: pipe");
    return false;
  }
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(a->at[0], (char *const *)(uintptr_t)a->at);
    fprintf(stderr, "eyot-calibrate: %s: %s\n", a->at[0], strerror(errno));
    _exit(127);
  }
  close(ends[1]);
  FILE *in = child > 0 ? fdopen(ends[0], "r") : NULL;
  if (in == NULL) {
    perror("eyot-calibrate: starting eyotrun");
    close(ends[0]);
    return false;
  }
  collect(in, out);
  (void)fclose(in);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  fprintf(stderr, "eyot-calibrate: failed:");
  for (int i = 0; i < a->n; i++) fprintf(stderr, " %s", a->at[i]);
  fprintf(stderr, "\n");
  return false;
}

static bool run_probe(const struct job *j, struct args *a, uint32_t rounds, double block_ns,
                      const char *only, struct samples *out) {
  char number[16], block[32];
  snprintf(number, sizeof number, "%u", rounds);
  snprintf(block, sizeof block, "%.0f", block_ns);
  add(a, j->probe);
  add(a, number);
  add(a, block);
  if (only != NULL) add(a, only);
  return run(a, out);
}

bool job_measure(const struct job *j, bool network, uint32_t rounds, double block_ns,
                 struct samples *out) {
  struct args a = {0};
  add(&a, j->eyotrun);
  add(&a, "--fabric");
  add(&a, "mpi");
  add(&a, "-n");
  add(&a, "2");
  if (network && j->hosts != NULL) {
    add(&a, "--hosts");
    add(&a, j->hosts);
  } else if (network) {
    add(&a, "--node-size");
    add(&a, "1");
  }
  return run_probe(j, &a, rounds, block_ns, network && j->hosts != NULL ? "apart" : NULL, out);
}

bool job_simulate(const struct job *j, const char *machine, bool network, double block_ns,
                  struct samples *out) {
  struct args a = {0};
  add(&a, j->eyotrun);
  add(&a, "--fabric");
  add(&a, "sim");
  add(&a, "-n");
  add(&a, "2");
  add(&a, "--platform");
  add(&a, machine);
  if (network) {
    add(&a, "--units-per-node");
    add(&a, "1");
  }
  return run_probe(j, &a, 1, block_ns, "small", out);
}
