/* SPDX-License-Identifier: BSD-3-Clause */
/* reports.c - one program for each kind of report, for reports.sh: race_static, race_heap,
 * race_unused, wait, early, crash. Each has a line with "here". */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

static long grid[4];
long shared_flag;
static long *heap;

static void race_static(int me) {
  if (me < 2) shmem_long_p(&grid[2], me, 2); /* race_static here */
}
static void race_heap(int me) {
  if (me < 2) shmem_long_p(heap + 3, me, 2); /* race_heap here */
}
/* PE 2, where the accesses meet, has made no operation on its data. */
static void race_local(int me) {
  static long counter;
  if (me < 2) shmem_long_p(&counter, me, 2); /* race_local here */
}
static void waits(int me) {
  if (me == 1) shmem_long_wait_until(&shared_flag, SHMEM_CMP_EQ, 1); /* wait here */
}
static void early(int me) {
  if (me == 1) exit(0);
}
static void crash(int me) {
  volatile long *volatile nowhere = NULL;
  if (me == 1) *nowhere = 1; /* crash here */
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*make)(int me);
  } ways[] = {{"race_static", race_static},
              {"race_heap", race_heap},
              {"race_local", race_local},
              {"wait", waits},
              {"early", early},
              {"crash", crash}};
  shmem_init();
  heap = shmem_malloc(8 * sizeof *heap); /* heap here */
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) ways[i].make(shmem_my_pe());
  shmem_barrier_all();
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
