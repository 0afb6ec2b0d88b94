/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_snap.c - each kind of memory is restored to the snapshot, except memory that is kept. */
#include <malloc.h>
#include <sched.h>

#include "unit/check/snap_unit.h"

/* Volatile: a restore changes them without the compiler's knowledge. Counts over several runs lie
 * on the main stack, which is kept. */
static volatile int in_bss, in_data = 7;
static volatile char many[64 * PAGE] __attribute__((aligned(4096)));
static _Thread_local volatile int of_thread = 5;

static void globals_and_thread_variables_are_restored(void **state) {
  (void)state;
  in_bss = 1;
  take();
  for (int run = 0; run < 5; run++) {
    must(in_bss == 1);
    must(in_data == 7);
    must(of_thread == 5);
    in_bss = in_data = of_thread = 100 + run;
    for (int i = run; i < 64; i += 2) many[(size_t)i * PAGE + 3] = 1;
    chk_snap_restore(snap);
    for (int i = 0; i < 64; i++) must(many[(size_t)i * PAGE + 3] == 0);
  }
  must(in_bss == 1);
  in_bss = 9;
  chk_snap_drop(snap);
  must(in_bss == 9);
}

/* Pages that were written stay writable: later runs take no fault, and chk_snap_pages does not
 * grow. */
static void written_pages_take_no_second_fault(void **state) {
  (void)state;
  char *p = map(64 * PAGE);
  take();
  uint64_t early = chk_snap_pages(snap);
  for (int run = 0; run < 10; run++) {
    for (size_t i = 64; i-- > 0;)
      if (i % 3 == 0) p[i * PAGE] = 1; /* downwards: restores sort */
    uint64_t now = chk_snap_pages(snap);
    must(now >= early + 22 && now <= early + 22 + 4);
    chk_snap_restore(snap);
    const struct chk_saved *a = chk_saved(snap);
    for (uint32_t i = 1; i < snap->n_saved; i++) must(a[i - 1].low + a[i - 1].bytes <= a[i].low);
  }
  chk_snap_drop(snap);
  must(chk_snap_pages(snap) == 0);
  munmap(p, 64 * PAGE);
}

/* Earlier blocks: written, freed and their memory given to others. */
static void blocks_from_before_are_restored(void **state) {
  (void)state;
  const size_t sizes[] = {24, 1000, 200000, 3 * MIB};
  char *volatile blocks[4];
  for (int i = 0; i < 4; i++) {
    blocks[i] = malloc(sizes[i]);
    memset(blocks[i], 'a' + i, sizes[i]);
  }
  take();
  for (int run = 0; run < 20; run++) {
    for (int i = 0; i < 4; i++) {
      if (run % 2 == 0) memset(blocks[i], 'z', sizes[i]);
      if (run % 3 != 0) free(blocks[i]);
    }
    for (int i = 0; i < 4; i++) {
      char *other = malloc(sizes[3 - i] + (size_t)run);
      memset(other, 'y', sizes[3 - i]);
    }
    chk_snap_restore(snap);
    for (int i = 0; i < 4; i++)
      for (size_t k = 0; k < sizes[i]; k += 97) must(blocks[i][k] == 'a' + i);
  }
  for (int i = 0; i < 4; i++) free(blocks[i]);
  chk_snap_drop(snap);
}

/* Blocks of a run: the next run gets the same addresses, calloc's are zero, and the heap's end is
 * restored. */
static void blocks_of_a_run_are_the_same_in_the_next(void **state) {
  (void)state;
  if (!heap_grows()) return;
  take();
  void *const end = sbrk(0);
  char *first[4] = {NULL};
  for (int run = 0; run < 10; run++) {
    const size_t sizes[] = {100, 5000, 400000, run % 3 == 2 ? 100 * MIB : 1000};
    for (int i = 0; i < 4; i++) {
      char *p = calloc(1, sizes[i]);
      must(p != NULL);
      for (size_t k = 0; k < sizes[i]; k += 61) must(p[k] == 0);
      memset(p, 1, sizes[i] < MIB ? sizes[i] : MIB);
      p[sizes[i] - 1] = 1;
      if (run == 0) first[i] = p;
      if (i < 3) must(p == first[i]);
    }
    must((char *)sbrk(0) >= (char *)end + (run % 3 == 2 ? 80 * MIB : 0));
    chk_snap_restore(snap);
    must(sbrk(0) == end);
  }
  chk_snap_drop(snap);
}

/* A run that returns the end of the heap. */
static void trimmed_heap_comes_back(void **state) {
  (void)state;
  if (!heap_grows()) return;
  char *volatile low = malloc(1000);
  memset(low, 'l', 1000);
  take();
  char *const end = sbrk(0);
  for (int run = 0; run < 5; run++) {
    if (run == 0) {
      must(malloc_trim(0) == 1);
      must((char *)sbrk(0) < end);
    }
    /* Not calloc: bytes that an earlier run has left there would be a difference between runs. */
    unsigned char *p = run > 0 ? malloc(8 * MIB) : NULL;
    for (size_t k = 0; p != NULL && k < 8 * MIB; k += PAGE / 2) {
      must(p[k] < 200);
      p[k] = (unsigned char)(200 + run);
    }
    chk_snap_restore(snap);
    must(sbrk(0) == end);
    must(low[999] == 'l');
  }
  free(low);
  chk_snap_drop(snap);
}

/* A gigabyte of addresses with a few pages in use. */
static void sparse_reservation_stays_sparse(void **state) {
  (void)state;
  const size_t bytes = 1024 * MIB;
  char *p = map(bytes);
  for (size_t at = 0; at < bytes; at += 100 * MIB) p[at] = 'p';
  take();
  chk_snap_restore(snap);
  uint64_t before = resident();
  for (int run = 0; run < 20; run++) {
    for (size_t at = 0; at < bytes; at += 50 * MIB) {
      must(p[at] == (at % (100 * MIB) == 0 ? 'p' : 0));
      p[at] = 'q';
    }
    chk_snap_restore(snap);
  }
  must(resident() < before + 512);
  chk_snap_drop(snap);
  munmap(p, bytes);
}

/* The bytes that a snapshot has saved are freed with it. */
static void dropping_gives_saved_pages_back(void **state) {
  (void)state;
  char *p = map(1000 * PAGE);
  memset(p, 1, 1000 * PAGE);
  take();
  uint64_t before = resident();
  memset(p, 2, 1000 * PAGE);
  must(resident() > before + 900);
  chk_snap_restore(snap);
  must(p[999 * PAGE] == 1);
  chk_snap_drop(snap);
  must(resident() < before + 100);
  munmap(p, 1000 * PAGE);
}

/* Also pages that are open from the start, and other processes' memory. */
static void kept_and_shared_pages_are_left_alone(void **state) {
  (void)state;
  volatile char *thread = __builtin_thread_pointer();
  char *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  must(shared != MAP_FAILED);
  must(chk_snap_keep(snap, (const void *)thread, PAGE) == 0);
  take();
  shared[0] = 1;
  uintptr_t page = chk_page_down((uintptr_t)thread);
  for (uint32_t i = 0; i < snap->n_saved; i++)
    must(chk_saved(snap)[i].low + chk_saved(snap)[i].bytes <= page ||
         chk_saved(snap)[i].low >= page + PAGE);
  must(!chk_snap_fault(snap, (const void *)thread));
  chk_snap_restore(snap);
  must(shared[0] == 1);
  chk_snap_drop(snap);
  munmap(shared, PAGE);
}

static void kept_pages_are_not_restored(void **state) {
  (void)state;
  char *p = map(9 * PAGE);
  must(chk_snap_keep(snap, p + 2 * PAGE + 100, PAGE) == 0); /* pages 2 and 3 */
  must(chk_snap_keep(snap, p + 6 * PAGE, PAGE) == 0);
  must(chk_snap_keep(snap, p + 6 * PAGE + 5, 1) == 0);
  take();
  char *known = chk_alloc(100);
  for (int run = 1; run < 4; run++) {
    for (size_t i = 0; i < 9; i++) p[i * PAGE] = p[i * PAGE + PAGE - 1] = (char)run;
    known[0] = (char)run;
    chk_snap_restore(snap);
    for (size_t i = 0; i < 9; i++)
      must(p[i * PAGE + PAGE - 1] == (i == 2 || i == 3 || i == 6 ? run : 0));
    must(known[0] == run);
  }
  chk_free(known);
  chk_snap_drop(snap);
  munmap(p, 9 * PAGE);
}

/* Pages that are dirty when a snapshot is taken again are part of the new one. */
static void taking_again_makes_dirty_pages_part_of_the_image(void **state) {
  (void)state;
  char *p = map(4 * PAGE);
  char *volatile block = malloc(10000);
  take();
  for (int round = 0; round < 5; round++) {
    in_bss = 10 * round;
    p[0] = (char)(10 * round);
    block[5000] = (char)(10 * round);
    must(chk_snap_take(snap) == 0);
    for (int run = 1; run < 4; run++) {
      in_bss += run;
      p[0]++, p[PAGE * (size_t)run]++, block[5000]++;
      chk_snap_restore(snap);
      must(in_bss == 10 * round);
      must(p[0] == 10 * round);
      must(p[PAGE * (size_t)run] == 0);
      must(block[5000] == 10 * round);
    }
  }
  chk_snap_drop(snap);
  must(!chk_snap_fault(snap, p)); /* dropped: the caller handles faults again */
  munmap(p, 4 * PAGE);
  free(block);
}

/* Text in a stream's buffer is printed once, not again by each run. */
static void buffered_text_is_printed_once(void **state) {
  (void)state;
  int ends[2];
  must(pipe(ends) == 0);
  FILE *out = fdopen(ends[1], "w");
  fputs("before ", out);
  take();
  for (int run = 0; run < 3; run++) {
    fprintf(out, "run%d ", run);
    fflush(out);
    fputs("lost", out);
    chk_snap_restore(snap);
  }
  chk_snap_drop(snap);
  fclose(out);
  char text[64];
  ssize_t got = read(ends[0], text, sizeof text - 1);
  text[got > 0 ? got : 0] = 0;
  assert_string_equal(text, "before run0 run1 run2 ");
  close(ends[0]);
}

/* Faults that have other causes than a first write. */
static void faults_of_other_causes_are_not_taken(void **state) {
  (void)state;
  char *p = map(5 * PAGE);
  must(mprotect(p + PAGE, PAGE, PROT_NONE) == 0);
  must(mprotect(p + 3 * PAGE, PAGE, PROT_READ) == 0);
  take();
  must(!chk_snap_fault(snap, NULL));
  must(!chk_snap_fault(snap, p + PAGE));
  must(!chk_snap_fault(snap, p + 3 * PAGE));
  must(!chk_snap_fault(snap, (void *)(uintptr_t)faults_of_other_causes_are_not_taken));
  must(chk_snap_fault(snap, p + 2 * PAGE + 7));
  must(!chk_snap_fault(snap, p + 2 * PAGE + 8)); /* it is open: a second fault has another cause */
  must(!chk_snap_fault(NULL, p));
  chk_snap_drop(snap);
  munmap(p, 5 * PAGE);
}

/* The kernel reads from protected pages, and writes the number of the processor to the thread's
 * area for rseq(2) whenever it moves it. */
static void writes_by_the_kernel_are_restored(void **state) {
  (void)state;
  int ends[2];
  must(pipe(ends) == 0);
  cpu_set_t all, one;
  must(sched_getaffinity(0, sizeof all, &all) == 0);
  take();
  for (int run = 0; run < 50; run++) {
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (!CPU_ISSET(cpu, &all)) continue;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      must(sched_setaffinity(0, sizeof one, &one) == 0);
      must(sched_getcpu() == (int)cpu);
      chk_snap_restore(snap);
      must(sched_getcpu() == (int)cpu); /* the kernel's current value, not the saved one */
    }
    char text[2];
    must(write(ends[1], (const void *)&many[20 * PAGE], 1) == 1);
    must(read(ends[0], text, 1) == 1);
    chk_snap_restore(snap);
  }
  must(sched_setaffinity(0, sizeof all, &all) == 0);
  chk_snap_drop(snap);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(globals_and_thread_variables_are_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(written_pages_take_no_second_fault, setup, teardown),
      cmocka_unit_test_setup_teardown(blocks_from_before_are_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(blocks_of_a_run_are_the_same_in_the_next, setup, teardown),
      cmocka_unit_test_setup_teardown(trimmed_heap_comes_back, setup, teardown),
      cmocka_unit_test_setup_teardown(sparse_reservation_stays_sparse, setup, teardown),
      cmocka_unit_test_setup_teardown(kept_pages_are_not_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(taking_again_makes_dirty_pages_part_of_the_image, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(buffered_text_is_printed_once, setup, teardown),
      cmocka_unit_test_setup_teardown(faults_of_other_causes_are_not_taken, setup, teardown),
      cmocka_unit_test_setup_teardown(writes_by_the_kernel_are_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(dropping_gives_saved_pages_back, setup, teardown),
      cmocka_unit_test_setup_teardown(kept_and_shared_pages_are_left_alone, setup, teardown),
  };
  if (counts()) return 0;
  return CHK_SNAP_WORKS ? cmocka_run_group_tests(tests, NULL, NULL) : not_here();
}
