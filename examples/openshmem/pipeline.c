/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline.c - sums in stages: while stage s is on its way, stage s-1 is added up. Two buffers and
 * two contexts take turns. It passes its tests, and is wrong: docs/openshmem-mistakes.md.
 *
 *   eyotcheck -n 3 ./pipeline          finds the schedule that breaks it
 *   eyotcheck -n 3 ./pipeline mended   finds none
 *   oshrun -np 4 ./pipeline slow       any OpenSHMEM: PE 1 is late, and the sums are wrong */
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STAGES = 3, MOST_PES = 64 };

static long block[2][MOST_PES]; /* by turn and PE: what that PE sends in this stage */
static long mine[STAGES];       /* what this PE sends, by stage; 10 ^ stage * (PE + 1) */

static void send_stage(shmem_ctx_t ctx, int stage) {
  for (int pe = 0; pe < shmem_n_pes(); pe++)
    shmem_ctx_long_put_nbi(ctx, &block[stage % 2][shmem_my_pe()], &mine[stage], 1, pe);
}

/* All PEs have sent the stage when it returns, and it has arrived. */
static void receive_stage(shmem_ctx_t ctx) {
  shmem_ctx_quiet(ctx);
  shmem_sync_all();
}

static long add_stage(int stage) {
  long sum = 0;
  for (int pe = 0; pe < shmem_n_pes(); pe++) sum += block[stage % 2][pe];
  return sum;
}

static int is_right(int stage, long sum) {
  long n = shmem_n_pes(), right = n * (n + 1) / 2;
  for (int i = 0; i < stage; i++) right *= 10;
  if (sum != right)
    fprintf(stderr, "pipeline: PE %d: the sum of stage %d is %ld, not %ld\n", shmem_my_pe(), stage,
            sum, right);
  return sum == right;
}

int main(int argc, char **argv) {
  int mended = argc > 1 && strcmp(argv[1], "mended") == 0;
  int slow = argc > 1 && strcmp(argv[1], "slow") == 0;
  shmem_init();
  if (shmem_n_pes() > MOST_PES) shmem_global_exit(2);
  shmem_ctx_t ctx[2];
  if (shmem_ctx_create(0, &ctx[0]) != 0 || shmem_ctx_create(0, &ctx[1]) != 0) shmem_global_exit(2);
  for (int s = 0, power = 1; s < STAGES; s++, power *= 10) mine[s] = power * (shmem_my_pe() + 1);

  send_stage(ctx[0], 0);
  for (int s = 1; s <= STAGES; s++) {
    if (mended) shmem_sync_all(); /* all have added stage s-2, whose buffer is written now */
    if (s < STAGES) send_stage(ctx[s % 2], s);
    receive_stage(ctx[(s - 1) % 2]);
    if (slow && shmem_my_pe() == 1) usleep(100000);
    if (!is_right(s - 1, add_stage(s - 1))) shmem_global_exit(1);
  }
  if (shmem_my_pe() == 0) printf("pipeline: %d stages are right\n", STAGES);
  shmem_finalize();
  return 0;
}
