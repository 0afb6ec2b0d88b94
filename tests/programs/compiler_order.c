/* SPDX-License-Identifier: BSD-3-Clause */
/* compiler_order.c - the compiler keeps the program's own accesses on their side of an inline put
 * or get: a plain variable, which a signal handler changes, is read again after each of them.
 *   compiler_order put|get */
#include <eyot/eyot.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define SIGNALS_MAX 3000

/* Neither atomic nor volatile: only the compiler decides when it is read. */
static uint64_t plain;
static volatile sig_atomic_t fired;

static void fire(int number) {
  (void)number;
  plain++;
  fired = fired + 1;
}

/* The change of *read over one operation; 0 for ever if the compiler takes the value from before
 * the operation for the one after it. */
static __attribute__((noinline)) uint64_t change_over_get(eyot_gptr_t g,
                                                          const uint64_t *restrict read) {
  uint64_t word, before = *read;
  if (eyot_get(&word, g, sizeof word) != EYOT_OK) eyot_abort(1, "eyot_get failed");
  return *read - before + word;
}
static __attribute__((noinline)) uint64_t change_over_put(eyot_gptr_t g,
                                                          const uint64_t *restrict read) {
  uint64_t word = 0, before = *read;
  if (eyot_put(g, &word, sizeof word) != EYOT_OK) eyot_abort(1, "eyot_put failed");
  return *read - before;
}

int main(int argc, char **argv) {
  bool put = argc > 1 && strcmp(argv[1], "put") == 0;
  eyot_gptr_t g;
  if (eyot_init(NULL, NULL) != EYOT_OK) return 1;
  if (eyot_team_alloc(EYOT_TEAM_ALL, 64, &g) != EYOT_OK) eyot_abort(1, "no memory");
  g = eyot_gptr_at(g, eyot_me());
  signal(SIGALRM, fire);
  struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
  if (setitimer(ITIMER_REAL, &often, NULL) != 0) eyot_abort(1, "no timer");
  uint64_t seen = 0;
  while (seen == 0 && fired < SIGNALS_MAX)
    seen = put ? change_over_put(g, &plain) : change_over_get(g, &plain);
  often = (struct itimerval){0};
  (void)setitimer(ITIMER_REAL, &often, NULL);
  if (seen == 0) eyot_abort(1, "no change was seen: the variable is not read after the operation");
  printf("%s: the variable is read again\n", put ? "put" : "get");
  if (eyot_team_free(g) != EYOT_OK) return 1;
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
