/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus.c - UPC's memory model under eyotcheck: store buffering (sb), load buffering (lb), message
 * passing (mp) and independent reads of independent writes (iriw), with strict or relaxed accesses,
 * or with reads that do not block (nb). Fails if the outcome appears that sequential consistency
 * forbids. Arguments: TEST; strict, relaxed or nb. */
#include <eyot/upc.h>
#include <stdio.h>
#include <string.h>

UPC_SHARED_ARRAY(int, words, 3); /* x at thread 0, y at thread 1; results at thread 0 */

static bool strict, blocks;
static upc_shared_t x, y;

static void put(upc_shared_t p, int v) {
  if (strict)
    upc_strict_put(int, p, v);
  else
    upc_relaxed_put(int, p, v);
}
static int get(upc_shared_t p) {
  return strict ? upc_strict_get(int, p) : upc_relaxed_get(int, p);
}

/* Two reads that may be seen in any order. */
static int get_both(upc_shared_t p, upc_shared_t q) {
  int first = 0, second = 0;
  if (blocks) {
    first = get(p);
    return first | get(q) << 1;
  }
  upc_memget_nbi(&first, p, sizeof first);
  upc_memget_nbi(&second, q, sizeof second);
  upc_synci();
  return first | second << 1;
}

/* What thread `me` reads: bits 0 and 1. */
static int run(const char *test, int me) {
  if (strcmp(test, "sb") == 0 && me < 2) {
    put(me == 0 ? y : x, 1);
    return get(me == 0 ? x : y);
  }
  if (strcmp(test, "lb") == 0 && me < 2) {
    int seen = 0;
    if (blocks)
      seen = get(me == 0 ? y : x);
    else
      upc_memget_nbi(&seen, me == 0 ? y : x, sizeof seen);
    put(me == 0 ? x : y, 1);
    upc_synci();
    return seen;
  }
  if (strcmp(test, "mp") == 0 && me == 0) {
    put(y, 1);
    put(x, 1);
  }
  if (strcmp(test, "mp") == 0 && me == 1) return get_both(x, y);
  if (strcmp(test, "iriw") == 0 && me < 2) put(me == 0 ? y : x, 1);
  if (strcmp(test, "iriw") == 0 && (me == 2 || me == 3))
    return get_both(me == 2 ? x : y, me == 2 ? y : x);
  return 0;
}

static bool forbidden(const char *test, const int *seen) {
  if (strcmp(test, "sb") == 0) return seen[0] == 0 && seen[1] == 0;
  if (strcmp(test, "lb") == 0) return seen[0] == 1 && seen[1] == 1;
  if (strcmp(test, "mp") == 0) return seen[1] == 1;
  return seen[2] == 1 && seen[3] == 1;
}

int main(int argc, char **argv) {
  upc_init();
  if (argc != 3) return 2;
  strict = strcmp(argv[2], "strict") == 0;
  blocks = strcmp(argv[2], "nb") != 0;
  x = upc_shared_array(words);
  y = upc_add(x, 1, sizeof(int), 1);
  upc_shared_t results = upc_all_alloc(1, 4 * sizeof(int));
  upc_barrier();
  int seen = run(argv[1], MYTHREAD), all[4] = {0};
  upc_barrier();
  if (MYTHREAD < 4) upc_memput(upc_add(results, MYTHREAD, sizeof(int), 0), &seen, sizeof seen);
  upc_barrier();
  upc_memget(all, results, sizeof(int) * (size_t)(THREADS < 4 ? THREADS : 4));
  if (MYTHREAD == 0 && forbidden(argv[1], all)) {
    fprintf(stderr, "%s: an outcome that sequential consistency forbids\n", argv[1]);
    upc_global_exit(1);
  }
  return 0;
}
