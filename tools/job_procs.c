/* SPDX-License-Identifier: BSD-3-Clause */
/* job_procs.c - see job_procs.h. */
#include "job_procs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROCS_MAX 65536u
#define KILL_ROUNDS 1000u /* of some milliseconds: processes may start others meanwhile */
#define ROUND_NS 5000000
#define STAT_BYTES 1024u
#define DEPTH_MAX 1000u /* a chain of parents that changes meanwhile is given up */

struct pair {
  pid_t pid, parent;
  char state;
};

/* Reads the file `stat` of a process; the fields after its name, or NULL. */
static const char *procs_fields(pid_t pid, char *text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "re");
  if (f == NULL) return NULL;
  size_t n = fread(text, 1, size - 1, f);
  fclose(f);
  text[n] = '\0';
  const char *after = strrchr(text, ')'); /* the name in parentheses may hold anything */
  return after != NULL ? after + 1 : NULL;
}

/* Reads the parent and the state of a process. */
static bool procs_read(pid_t pid, struct pair *p) {
  char text[STAT_BYTES];
  const char *fields = procs_fields(pid, text, sizeof text);
  int parent;
  char state;
  if (fields == NULL || sscanf(fields, " %c %d", &state, &parent) != 2) return false;
  *p = (struct pair){.pid = pid, .parent = parent, .state = state};
  return true;
}

char job_procs_state(pid_t pid) {
  struct pair p;
  return procs_read(pid, &p) ? p.state : '\0';
}

int job_procs_status(pid_t pid) {
  char text[STAT_BYTES];
  const char *fields = procs_fields(pid, text, sizeof text);
  if (fields == NULL || (fields[1] != 'Z' && fields[1] != 'X')) return -1;
  const char *last = strrchr(fields, ' '); /* exit_code, proc(5) */
  return last != NULL ? (int)strtol(last, NULL, 10) : -1;
}

static size_t procs_all(struct pair *all) {
  DIR *d = opendir("/proc");
  size_t n = 0;
  if (d == NULL) return 0;
  for (const struct dirent *e; n < PROCS_MAX && (e = readdir(d)) != NULL;)
    if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && procs_read(atoi(e->d_name), &all[n])) n++;
  closedir(d);
  return n;
}

static int by_pid(const void *a, const void *b) {
  const struct pair *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Whether the chain of parents leads to this process; the table is sorted. */
static bool is_below(const struct pair *all, size_t n, const struct pair *p) {
  pid_t self = getpid();
  for (uint32_t depth = 0; p != NULL && depth < DEPTH_MAX; depth++) {
    if (p->parent == self) return true;
    const struct pair parent = {.pid = p->parent};
    p = bsearch(&parent, all, n, sizeof *all, by_pid);
  }
  return false;
}

size_t job_procs_below(pid_t except, pid_t *pids, size_t max) {
  struct pair *all = malloc(PROCS_MAX * sizeof *all);
  if (all == NULL) return 0;
  size_t n = procs_all(all), found = 0;
  qsort(all, n, sizeof *all, by_pid);
  for (size_t i = 0; i < n && found < max; i++)
    if (all[i].pid != except && all[i].state != 'Z' && is_below(all, n, &all[i]))
      pids[found++] = all[i].pid;
  free(all);
  return found;
}

size_t job_procs_all(pid_t *pids, size_t max) {
  struct pair *all = malloc(PROCS_MAX * sizeof *all);
  size_t n = all != NULL ? procs_all(all) : 0, kept = 0;
  for (size_t i = 0; i < n && kept < max; i++) pids[kept++] = all[i].pid;
  free(all);
  return kept;
}

bool job_procs_kill(pid_t except) {
  pid_t *pids = malloc(PROCS_MAX * sizeof *pids);
  const struct timespec round = {.tv_nsec = ROUND_NS};
  size_t n = 1;
  for (uint32_t i = 0; pids != NULL && n > 0 && i < KILL_ROUNDS; i++) {
    n = job_procs_below(except, pids, PROCS_MAX);
    for (size_t k = 0; k < n; k++) (void)kill(pids[k], SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    if (n > 0) nanosleep(&round, NULL);
  }
  free(pids);
  return n == 0;
}
