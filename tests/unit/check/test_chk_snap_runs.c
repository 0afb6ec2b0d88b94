/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_snap_runs.c - snapshots as checkers use them: fibers that resume from the same point
 * again and again, mappings of runs, many runs without growth, forked workers, and more written
 * pages than the system has mappings for. */
#include <malloc.h>
#include <spawn.h>
#include <ucontext.h>

#include "unit/check/snap_unit.h"

#define N_FIBERS 3
#define FIBER_STACK (64 * 1024)
#define STRIDE (FIBER_STACK + PAGE)

/* Each on pages of its own: swapcontext has the kernel write to it, and the kernel takes no faults.
 * The handler opens the page at the registers, which are written first. */
union context {
  ucontext_t at;
  char page[4096];
};
static union context scheduler __attribute__((aligned(4096))),
    fibers[N_FIBERS] __attribute__((aligned(4096)));
static volatile int steps[N_FIBERS];

/* Frames of some depth, whose state is on the fiber's stack alone. */
static int descend(int id, int depth) {
  volatile char frame[600];
  memset((char *)frame, id, sizeof frame);
  int below = 0;
  if (depth > 0) {
    below = descend(id, depth - 1);
  } else {
    steps[id]++;
    swapcontext(&fibers[id].at, &scheduler.at);
  }
  for (size_t i = 0; i < sizeof frame; i++)
    if (frame[i] != id) return -1000;
  return below + 1;
}

static void fiber(int id) {
  for (int round = 0;; round++) {
    int depth = (round * 7 + id) % 40;
    if (descend(id, depth) != depth + 1) steps[id] = -1000;
    /* of a run, or of before the snapshot: never freed */
    char *volatile block = malloc(100 + (size_t)round);
    block[0] = 1;
  }
}

/* Fibers run to the middle of their lives, the snapshot is taken, and each run continues from
 * there. */
static void fibers_resume_from_the_snapshot(void **state) {
  (void)state;
  char *stacks = map(N_FIBERS * STRIDE);
  for (int i = 0; i < N_FIBERS; i++) {
    must(mprotect(stacks + (size_t)i * STRIDE, PAGE, PROT_NONE) == 0);
    getcontext(&fibers[i].at);
    fibers[i].at.uc_stack =
        (stack_t){.ss_sp = stacks + (size_t)i * STRIDE + PAGE, .ss_size = FIBER_STACK};
    makecontext(&fibers[i].at, (void (*)(void))(void *)fiber, 1, i);
  }
  for (int i = 0; i < 10; i++) swapcontext(&scheduler.at, &fibers[i % N_FIBERS].at);
  int before[N_FIBERS];
  for (int i = 0; i < N_FIBERS; i++) before[i] = steps[i];
  take();
  for (int run = 0; run < 300; run++) {
    /* Another schedule each time: any order, any length. */
    uint32_t random = (uint32_t)run * 2654435761u;
    int went[N_FIBERS] = {0};
    for (int i = 0; i < run % 50; i++) {
      random = random * 1664525u + 1013904223u;
      uint32_t who = (random >> 16) % N_FIBERS;
      swapcontext(&scheduler.at, &fibers[who].at);
      went[who]++;
    }
    for (int i = 0; i < N_FIBERS; i++) must(steps[i] == before[i] + went[i]);
    chk_snap_restore(snap);
    for (int i = 0; i < N_FIBERS; i++) must(steps[i] == before[i]);
  }
  must(!chk_snap_fault(snap, stacks + STRIDE)); /* guards stay guards */
  chk_snap_drop(snap);
  munmap(stacks, N_FIBERS * STRIDE);
}

/* Memory that runs map is zero each time, at the same address, and gone from the run's view at its
 * end. */
static void maps_of_runs_are_zero_and_at_the_same_place(void **state) {
  (void)state;
  char *before = chk_snap_map(snap, 5 * PAGE);
  before[0] = before[PAGE] = 'b';
  take();
  char *first[4] = {NULL};
  for (int run = 0; run < 20; run++) {
    /* a run that ends early must not change what the next one gets */
    for (int i = 0; i < (run % 4 == 3 ? 1 : 4); i++) {
      size_t bytes = (size_t)(i / 2 + 1) * 10 * PAGE - 7; /* each length twice */
      char *p = chk_snap_map(snap, bytes);
      must(p != NULL);
      if (run == 0) first[i] = p;
      must(i == 0 || p != first[i - 1]);
      must(p == first[i]);
      for (size_t k = 0; k < bytes; k += 41) must(p[k] == 0);
      memset(p + (size_t)(run % 5) * PAGE, 1, PAGE + 100);
    }
    if (run % 4 == 0) {
      chk_snap_unmap(snap, first[2], 20 * PAGE - 7);
      /* as long in pages: the same one again, zeroed within the run */
      char *p = chk_snap_map(snap, 20 * PAGE);
      must(p == first[2]);
      for (size_t k = 0; k < 20 * PAGE; k += 41) must(p[k] == 0);
    }
    before[0] = before[2 * PAGE] = 'x';
    if (run % 3 == 0) chk_snap_unmap(snap, before, 5 * PAGE);
    chk_snap_restore(snap);
    must(before[0] == 'b');
    must(before[PAGE] == 'b');
    must(before[2 * PAGE] == 0);
  }
  char *p = chk_snap_map(snap, 10 * PAGE);
  p[0] = 'p';
  chk_snap_drop(snap);
  must(p[0] == 'p'); /* in use at the drop: plain memory */
  p[5 * PAGE] = 'p';
  chk_snap_unmap(snap, p, 10 * PAGE);
  chk_snap_unmap(snap, before, 5 * PAGE);
}

/* A mapping that is written everywhere is not watched page by page, and one that exists at a second
 * take is part of the image. */
static void large_maps_are_not_watched_page_by_page(void **state) {
  (void)state;
  take();
  for (int run = 0; run < 5; run++) {
    char *p = chk_snap_map(snap, 8 * MIB), *q = chk_snap_map(snap, 1024 * MIB);
    for (size_t k = 0; k < 8 * MIB; k += PAGE) {
      must(p[k] == 0);
      p[k] = 1;
    }
    for (size_t k = 0; k < 1024 * MIB; k += 100 * MIB) {
      must(q[k] == 0);
      q[k] = 1;
    }
    chk_snap_restore(snap);
  }
  must(snap->n_maps == 2 && snap->maps[0].plain && !snap->maps[1].plain);
  char *p = chk_snap_map(snap, 8 * MIB);
  p[0] = p[4 * MIB] = 'i';
  must(chk_snap_take(snap) == 0);
  for (int run = 0; run < 5; run++) {
    p[0] = p[MIB] = 'j';
    chk_snap_restore(snap);
    must(p[0] == 'i');
    must(p[MIB] == 0);
    must(p[4 * MIB] == 'i');
  }
  chk_snap_drop(snap);
  chk_snap_unmap(snap, p, 8 * MIB);
}

/* More mappings than stay, and runs that never request the same length twice. */
static void more_maps_than_stay_are_given_back(void **state) {
  (void)state;
  take();
  for (int run = 0; run < 8; run++) {
    for (size_t i = 0; i < 1000; i++) {
      char *p = chk_snap_map(snap, (1000 * (size_t)run + i + 1) * PAGE);
      must(p != NULL);
      must(p[i * PAGE] == 0);
      p[i * PAGE] = 1;
    }
    chk_snap_restore(snap);
    must(snap->n_maps <= 4096);
  }
  must(snap->splits < 10000);
  chk_snap_drop(snap);
}

static void hundred_thousand_runs_do_not_grow(void **state) {
  (void)state;
  char *volatile kept_block = malloc(333);
  take();
  uint64_t before = 0, pages = 0;
  void *end = sbrk(0);
  for (int run = 0; run < 100000; run++) {
    for (int i = 0; i < 3; i++) {
      char *leaked = malloc(100 + (size_t)(run % 7) * 1000), *freed = malloc(50);
      leaked[0] = freed[0] = 1;
      free(freed);
    }
    if (run % 5 == 0) free(kept_block);
    chk_snap_unmap(snap, chk_snap_map(snap, 2 * PAGE), 2 * PAGE);
    chk_snap_restore(snap);
    if (run == 100) before = resident(), pages = chk_snap_pages(snap);
  }
  must(chk_snap_pages(snap) == pages);
  must(sbrk(0) == end);
  must(resident() >= before - 64 && resident() <= before + 64);
  chk_snap_drop(snap);
  free(kept_block);
}

/* Forked workers continue by themselves from the parent's snapshot. */
static void forked_workers_restore_on_their_own(void **state) {
  (void)state;
  char *p = map(100 * PAGE);
  p[0] = 'p';
  take();
  for (size_t i = 0; i < 10; i++) p[i * PAGE] = 'x';
  chk_snap_restore(snap);
  pid_t child[2];
  for (int c = 0; c < 2; c++) {
    child[c] = chk_snap_fork(snap);
    if (child[c] != 0) continue;
    int wrong = 0;
    for (int run = 0; run < 100; run++) {
      for (size_t i = 0; i < 90; i += 3 + (size_t)c) wrong += p[i * PAGE] != (i == 0 ? 'p' : 0);
      memset(p + (size_t)run % 90 * PAGE, 'c', 2 * PAGE);
      char *volatile block = malloc(100000);
      block[0] = 1;
      chk_snap_restore(snap);
    }
    _exit(wrong == 0 ? 17 + c : 1);
  }
  for (int run = 0; run < 100; run++) {
    memset(p + (size_t)(run * 7 % 90) * PAGE, 'd', 2 * PAGE);
    chk_snap_restore(snap);
    for (size_t i = 0; i < 100; i++) must(p[i * PAGE] == (i == 0 ? 'p' : 0));
  }
  for (int c = 0; c < 2; c++) {
    int how;
    must(waitpid(child[c], &how, 0) == child[c]);
    must(WIFEXITED(how) && WEXITSTATUS(how) == 17 + c);
  }
  chk_snap_drop(snap);
  munmap(p, 100 * PAGE);
}

static uint32_t n_lines(void) {
  char text[4096];
  uint32_t n = 0;
  int fd = open("/proc/self/maps", O_RDONLY);
  for (ssize_t got; (got = read(fd, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < got; i++) n += text[i] == '\n';
  close(fd);
  return n;
}

/* Every other page is written: single pages until the limit is close, then blocks. Pages never
 * touched stay absent, and are absent again after each run. */
static void mappings_stay_below_the_bound(void **state) {
  (void)state;
  const uint64_t rooms[] = {0, 60, 300, 3000};
  for (int r = 0; r < 4; r++) {
    const size_t bytes = 1024 * MIB, written = 16 * MIB;
    char *p = map(bytes);
    for (size_t k = 0; k < written; k += 5 * PAGE) p[k] = 'p'; /* one in five exists */
    take();
    snap->splits_cap = rooms[r];
    uint32_t before = n_lines();
    uint64_t resident_before = resident();
    for (int run = 0; run < 4; run++) {
      for (size_t i = 0; i < written / PAGE; i += 2) {
        size_t k = (i * 37 % (written / PAGE)) * PAGE;
        must(p[k] == (k / PAGE % 5 == 0 ? 'p' : 0));
        p[k + 9] = 'q';
      }
      must(p[bytes - 1] == 0);
      p[bytes - 1] = 'q';
      must(n_lines() <= before + rooms[r] + 64);
      must(snap->splits <= rooms[r] + 64);
      chk_snap_restore(snap);
      for (size_t k = 0; k < written; k += PAGE) {
        must(p[k] == (k / PAGE % 5 == 0 ? 'p' : 0));
        must(p[k + 9] == 0);
      }
    }
    must(resident() < resident_before + 3 * written / PAGE);
    chk_snap_drop(snap);
    must(n_lines() <= before + 8);
    munmap(p, bytes);
  }
}

/* Blocks end where their range does, at guards for example. */
static void blocks_of_pages_end_where_their_range_does(void **state) {
  (void)state;
  const size_t block = 16 * PAGE;
  char *reserve = map(4 * block), *p = (char *)(((uintptr_t)reserve + block - 1) / block * block);
  must(mprotect(p, PAGE, PROT_NONE) == 0);
  must(mprotect(p + 20 * PAGE, PAGE, PROT_NONE) == 0);
  take();
  snap->splits_cap = 60;
  snap->splits = 30; /* beyond what single pages may use */
  must(chk_snap_fault(snap, p + 5 * PAGE));
  for (size_t i = 0; i <= 15; i++) must(!chk_snap_fault(snap, p + i * PAGE));
  must(chk_snap_fault(snap, p + 17 * PAGE));
  for (size_t i = 16; i <= 20; i++) must(!chk_snap_fault(snap, p + i * PAGE));
  must(chk_snap_fault(snap, p + 21 * PAGE));
  chk_snap_restore(snap);
  chk_snap_drop(snap);
  munmap(reserve, 4 * block);
}

/* In a run, before anything else has written the C library's pages. */
static bool calls_with_signals_blocked(void) {
  char *const argv[] = {(char[]){"true"}, NULL};
  pid_t pid;
  int how;
  if (signal(SIGABRT, SIG_IGN) == SIG_ERR) return false;
  return posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) == 0 &&
         waitpid(pid, &how, 0) == pid && how == 0;
}

/* The C library writes its lock while all signals are blocked, and no handler opens its page. */
static void calls_that_block_signals_work_in_runs(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    take();
    for (int run = 0; run < 3; run++) {
      if (!calls_with_signals_blocked()) _exit(1);
      chk_snap_restore(snap);
    }
    _exit(0);
  }
  int how;
  must(waitpid(child, &how, 0) == child);
  must(how == 0);
}

/* Blocks that malloc mapped before it was set to use one heap cannot be restored when a run frees
 * them: the library reports that instead of crashing. */
static void blocks_mapped_by_malloc_are_refused(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)mallopt(M_MMAP_MAX, 10);
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 17);
    /* the heap has no memory for them */
    char *volatile a = malloc(64 * MIB), *volatile b = malloc(64 * MIB);
    take();
    (void)signal(SIGABRT, SIG_DFL);
    a[0] = b[5000] = 1;
    chk_snap_restore(snap);
    if (a[0] != 0 || b[5000] != 0) _exit(1);
    free(a);
    chk_snap_restore(snap);
    _exit(0);
  }
  int how;
  must(waitpid(child, &how, 0) == child);
  must(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(fibers_resume_from_the_snapshot, setup, teardown),
      cmocka_unit_test_setup_teardown(maps_of_runs_are_zero_and_at_the_same_place, setup, teardown),
      cmocka_unit_test_setup_teardown(large_maps_are_not_watched_page_by_page, setup, teardown),
      cmocka_unit_test_setup_teardown(more_maps_than_stay_are_given_back, setup, teardown),
      cmocka_unit_test_setup_teardown(hundred_thousand_runs_do_not_grow, setup, teardown),
      cmocka_unit_test_setup_teardown(forked_workers_restore_on_their_own, setup, teardown),
      cmocka_unit_test_setup_teardown(blocks_of_pages_end_where_their_range_does, setup, teardown),
      cmocka_unit_test_setup_teardown(mappings_stay_below_the_bound, setup, teardown),
      cmocka_unit_test_setup_teardown(calls_that_block_signals_work_in_runs, setup, teardown),
      cmocka_unit_test_setup_teardown(blocks_mapped_by_malloc_are_refused, setup, teardown),
  };
  if (counts()) return 0;
  return CHK_SNAP_WORKS ? cmocka_run_group_tests(tests, NULL, NULL) : not_here();
}
