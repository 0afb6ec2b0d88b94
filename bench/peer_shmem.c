/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_shmem.c - the measurements of the suites by OpenSHMEM.
 *
 *   oshrun -n 2 peer_shmem                        a lock acquired and released, alone and contended
 *                                                 (suite_sync.sh)
 *   oshrun -n 2 peer_shmem node ROUNDS            the operations of bench_node (suite_node.sh)
 *   oshrun -n 2 peer_shmem sizes PLACE ROUNDS     put and get over the size of a message
 *                                                 (suite_sizes.sh)
 *   oshrun -n N peer_shmem coll ROUNDS            collectives over the size (suite_coll.sh)
 *   oshrun -n N peer_shmem gups PLACE LOG2_WORDS ROUNDS   RandomAccess (suite_gups.sh) */
#include "peer_shmem.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11, ITERATIONS = 50000, CONTENDED = 10000 };

static long lock;

static double pairs(int n) {
  double begin = wall_ns();
  for (int i = 0; i < n; i++) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
  return (wall_ns() - begin) / n;
}

static void lock_rounds(void) {
  for (int round = 0; round < ROUNDS; round++) {
    if (shmem_my_pe() == 0) {
      if (round == 0) pairs(ITERATIONS / 10);
      printf("value shmem_set_lock pair_wall ns %.2f\n", pairs(ITERATIONS));
    }
    shmem_barrier_all();
    double ns = pairs(CONTENDED);
    shmem_barrier_all();
    if (shmem_my_pe() == 0) printf("value contended_shmem_set_lock pair_wall ns %.2f\n", ns);
  }
}

int main(int argc, char **argv) {
  shmem_init();
  const char *what = argc > 1 ? argv[1] : "";
  int code = 2;
  if (strcmp(what, "coll") == 0 && argc == 3) {
    code = coll_rounds(atoi(argv[2]));
  } else if (strcmp(what, "gups") == 0 && argc == 5) {
    code = gups_rounds(argv[2], atoi(argv[3]), atoi(argv[4]));
  } else if (shmem_n_pes() == 2) {
    code = 0;
    if (argc == 1)
      lock_rounds();
    else if (strcmp(what, "node") == 0 && argc == 3)
      code = node_rounds(atoi(argv[2]));
    else if (strcmp(what, "sizes") == 0 && argc == 4)
      code = size_rounds(argv[2], atoi(argv[3]));
    else
      code = 2;
  }
  if (code != 0)
    fprintf(stderr,
            "peer_shmem: no such arguments, no memory, not two processing elements, or wrong "
            "results\n");
  fflush(stdout);
  shmem_finalize();
  return code;
}
