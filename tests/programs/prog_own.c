/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_own.c - state that each unit has for itself: its globals (also those named like functions of
 * libc and libm), thread-locals, constructors, errno and getopt's position.
 *
 *   prog_own -a 3 -b own|shared rest     "shared": expects that all units share one copy (eyotrun
 *                                        --shared-globals)
 * Between any two steps a barrier switches units. */
#include <errno.h>
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The loader would bind these to libm's and libc's functions if the program were not linked with
 * -Bsymbolic. Declared so that the compiler does not object. */
double eyot_test_y1 __asm__("y1") = 3.5;
int eyot_test_index __asm__("index") = 7;
static uint32_t counter;
static _Thread_local uint32_t local_counter = 5;
static uint32_t constructed;

__attribute__((constructor)) static void construct(void) {
  constructed++;
}

static void check(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "prog_own: unit %u: wrong: %s\n", eyot_me().id, what);
  eyot_abort(1, what);
}

static void switch_units(void) {
  check(eyot_barrier(EYOT_TEAM_ALL) == EYOT_OK, "barrier");
}

static void own_globals(void) {
  uint32_t me = eyot_me().id;
  check(constructed == 1, "the constructor runs once a copy");
  check(eyot_test_y1 == 3.5 && eyot_test_index == 7, "initial values of y1 and index");
  eyot_test_y1 += me;
  eyot_test_index += (int)me;
  counter += me + 1;
  local_counter += me;
  switch_units();
  check(eyot_test_y1 == 3.5 + me && eyot_test_index == 7 + (int)me, "own y1 and index");
  check(counter == me + 1, "own static variable");
  check(local_counter == 5 + me, "own thread-local");
}

static void shared_globals(void) {
  counter++;
  switch_units();
  check(constructed == 1, "one constructor run for all");
  check(counter == eyot_size(), "one counter for all");
}

static void own_errno(void) {
  int mine = 100 + (int)(eyot_me().id % 20);
  errno = mine;
  switch_units();
  check(errno == mine, "own errno");
}

/* Returns the argument of -b. */
static const char *own_getopt(int argc, char **argv) {
  const char *b = NULL;
  int seen_a = 0;
  check(optind == 1, "optind at start");
  opterr = 0;
  for (int c; (c = getopt(argc, argv, "a:b:")) != -1;) {
    const char *arg = optarg;
    switch_units();
    check(optarg == arg, "own optarg");
    if (c == 'a') seen_a = atoi(optarg);
    if (c == 'b') b = optarg;
  }
  check(seen_a == 3 && b != NULL && optind == 5 && argc == 6, "getopt's result");
  return b;
}

/* Units are not switched before init: each unit runs through its options at once, and the next one
 * must find getopt in its initial state. */
static bool early_getopt(int argc, char **argv) {
  if (optind != 1 || errno != 0) return false;
  while (getopt(argc, argv, "a:b:") != -1) errno = EDOM;
  return optind == 5;
}

int main(int argc, char **argv) {
  if (!early_getopt(argc, argv)) return 3;
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  check(optind == 5, "optind after init");
  optind = 1;
  const char *mode = own_getopt(argc, argv);
  own_errno();
  if (mode[0] == 's')
    shared_globals();
  else
    own_globals();
  if (eyot_me().id == 0) printf("prog_own: %s: ok on %u units\n", mode, eyot_size());
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
