/* SPDX-License-Identifier: BSD-3-Clause */
/* run_end.c - ways in which a supervised run ends, or does not: the first argument says which.
 * Used by tests/cluster/supervised.sh, net/supervised.sh and kill_job.c. */
#include <errno.h>
#include <eyot/eyot.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TRY(call)                                                      \
  do {                                                                 \
    int rc_ = (call);                                                  \
    if (rc_ != 0) {                                                    \
      fprintf(stderr, "run_end: %s: %s\n", #call, eyot_strerror(rc_)); \
      return 1;                                                        \
    }                                                                  \
  } while (0)

static void pause_ms(long ms) {
  struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
}

/* Barriers and allocations for this long; the units agree on the end. */
static int work(long ms) {
  uint64_t stop = 0, all = 0;
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  while (all == 0) {
    eyot_gptr_t p;
    TRY(eyot_team_alloc(EYOT_TEAM_ALL, 64, &p));
    TRY(eyot_barrier(EYOT_TEAM_ALL));
    TRY(eyot_team_free(p));
    clock_gettime(CLOCK_MONOTONIC, &now);
    stop = ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 >= ms);
    TRY(eyot_allreduce(EYOT_TEAM_ALL, EYOT_UINT64, EYOT_MAX, &stop, &all, 1));
  }
  return 0;
}

/* Rank 1 ends before eyot_init, once the others are inside it. */
static void end_early(const char *how) {
  const char *rank = getenv("PMI_RANK");
  if (rank == NULL) rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL || strcmp(rank, "1") != 0) return;
  pause_ms(strcmp(how, "late") == 0 ? 1000 : 300);
  if (strcmp(how, "late") == 0) return;
  if (strcmp(how, "crash") == 0) (void)raise(SIGSEGV);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "return") == 0) exit(0);
  _exit(3);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "work";
  long number = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
  if (strcmp(way, "never") == 0) return (int)number;
  if (strcmp(way, "early") == 0) end_early(argc > 2 ? argv[2] : "");
  if (strcmp(way, "late") == 0) pause_ms(number);
  TRY(eyot_init(NULL, NULL));
  uint32_t me = eyot_me().id;
  if (strcmp(way, "work") == 0 && work(number) != 0) return 1;
  if (strncmp(way, "raw", 3) == 0) {
    TRY(eyot_barrier(EYOT_TEAM_ALL)); /* inside eyot_init MPI itself would end the job */
    if (me == 1) pause_ms(number);
    if (me == 1 || strcmp(way, "raw_all") == 0)
      (void)syscall(SYS_exit_group, strcmp(way, "raw_7") == 0 ? 7 : 0);
  }
  if (strcmp(way, "exit_all") == 0 && me == 1) {
    printf("found by unit %u\n", me);
    eyot_exit_all((int)number);
  }
  if (strcmp(way, "hang") == 0 && me == 1) pause_ms(1000000);
  if (strcmp(way, "stop") == 0 && me == 1) raise(SIGSTOP);
  if (strcmp(way, "kill") == 0 && me == 1) raise(SIGKILL);
  TRY(eyot_barrier(EYOT_TEAM_ALL));
  if (strcmp(way, "exit_all") == 0) pause_ms(1000000);
  TRY(eyot_finalize());
  if (me == 0) puts("all finalized");
  if (strcmp(way, "after") == 0) pause_ms(number);
  return strcmp(way, "code") == 0 ? (int)number : 0;
}
