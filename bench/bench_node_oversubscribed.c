/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_node_oversubscribed.c - barriers of more units than processors, for bench_node. There are
 * two floors, each a counter and a generation:
 *   barrier_of_N         N processes of one session that unit 0 forks for it, each bound to a
 *                        processor, which yield at once: the cheapest way for processes that have
 *                        nothing else to do. The other units sleep meanwhile
 *   barrier_of_N_in_job  the units themselves, which spin briefly, then yield. Under Hydra each
 *                        unit is its own session, which Linux may schedule as a group (autogroup);
 *                        a yield inside such a group may let no other unit run */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_node.h"

enum {
  OVERSUBSCRIBED_SPINS = 50,
  FORKED = 600,
  FORKED_FIRST = 60,
  OVERSUBSCRIBED = 60,
  MPI_OVERSUBSCRIBED = 3,
  MPI_ROUNDS = 3,
  NAP_NS = 200000
};
enum { COUNT_AT = 4096 + 1024, GENERATION_AT = 4096 + 2048, FORKED_AT = 4096 + 3072 };

static void counter_barrier(struct node *b) {
  uint64_t seq = ++b->raw_seq;
  if (__atomic_add_fetch(word(b, 0, COUNT_AT), 1, __ATOMIC_ACQ_REL) == seq * b->n)
    __atomic_store_n(word(b, 0, GENERATION_AT), seq, __ATOMIC_RELEASE);
  else
    spin_until(word(b, 0, GENERATION_AT), seq, OVERSUBSCRIBED_SPINS);
}

/* Memory that forked processes share. */
struct forked {
  _Alignas(LINE) uint64_t count;
  _Alignas(LINE) uint64_t generation;
  _Alignas(LINE) double ns;
};

static void bind_to(uint32_t index) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  uint32_t skip = index % (uint32_t)CPU_COUNT(&allowed);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &allowed) && skip-- == 0) {
      CPU_SET(cpu, &one);
      (void)sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

__attribute__((noreturn)) static void forked_process(struct forked *shared, uint32_t index,
                                                     uint32_t n) {
  double begin = 0;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it waits for the others for ever */
  bind_to(index);
  for (uint64_t seq = 1; seq <= FORKED_FIRST + FORKED; seq++) {
    if (seq == FORKED_FIRST + 1) begin = wall_ns();
    if (__atomic_add_fetch(&shared->count, 1, __ATOMIC_ACQ_REL) == seq * n)
      __atomic_store_n(&shared->generation, seq, __ATOMIC_RELEASE);
    else
      spin_until(&shared->generation, seq, 0);
  }
  if (index == 0) shared->ns = (wall_ns() - begin) / FORKED;
  _exit(0);
}

/* Unit 0's: ns of a barrier of n processes. */
static double fork_and_measure(uint32_t n) {
  struct forked *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) eyot_abort(1, "no memory");
  *shared = (struct forked){0};
  fflush(stdout); /* else each child would print the buffer too */
  for (uint32_t i = 0; i < n; i++) {
    pid_t child = fork();
    if (child < 0) eyot_abort(1, "cannot fork");
    if (child == 0) forked_process(shared, i, n);
  }
  for (uint32_t i = 0; i < n; i++) wait(NULL);
  double ns = shared->ns;
  munmap(shared, sizeof *shared);
  return ns;
}

static void forked(struct node *b, const char *what, const char *way) {
  uint64_t *done = word(b, 0, FORKED_AT), before = __atomic_load_n(done, __ATOMIC_ACQUIRE);
  must(eyot_barrier(EYOT_TEAM_ALL), "eyot_barrier");
  if (b->me == 0) {
    say(b, what, way, fork_and_measure(b->n));
    __atomic_store_n(done, before + 1, __ATOMIC_RELEASE);
  } else {
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) == before)
      nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
  }
}

void oversubscribed_rounds(struct node *b, int rounds) {
  char alone[32], in_job[40];
  snprintf(alone, sizeof alone, "barrier_of_%u", b->n);
  snprintf(in_job, sizeof in_job, "%s_in_job", alone);
  for (int round = 0; round < rounds; round++) {
    forked(b, alone, "floor");
    /* as many as those it is compared with: both begin by finding their step */
    barrier_series(b, alone, "eyot", eyot_once, FORKED);
    forked(b, alone, "again");
    barrier_series(b, in_job, "floor", counter_barrier, OVERSUBSCRIBED);
    barrier_series(b, in_job, "eyot", eyot_once, OVERSUBSCRIBED);
    barrier_series(b, in_job, "again", counter_barrier, OVERSUBSCRIBED);
    if (round < MPI_ROUNDS) barrier_series(b, alone, "mpi", mpi_once, MPI_OVERSUBSCRIBED);
  }
}
