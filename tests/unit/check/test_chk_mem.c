/* SPDX-License-Identifier: BSD-3-Clause */
/* test_chk_mem.c - the memory that outlives runs (snapshot/mem.h): alignment, zeroes, reuse, and
 * the pages that large blocks return. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/snapshot/mem.h"

/* cmocka.h uses what the headers above declare. */
#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* shadow memory needs more addresses than a limit would leave */
#else
#define SANITIZED 0
#endif
#define MOST 400
#define MIB ((size_t)1 << 20)
#define NO_LIMIT 4 /* exit code of a child */

static bool all(const unsigned char *p, size_t bytes, unsigned char value) {
  for (size_t i = 0; i < bytes; i++)
    if (p[i] != value) return false;
  return true;
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  assert_null(chk_alloc(0));
  assert_null(chk_alloc((size_t)1 << 60));
  assert_null(chk_alloc(SIZE_MAX));
  chk_free(NULL);
  unsigned char *p = chk_resize(NULL, 10);
  assert_non_null(p);
  assert_null(chk_resize(p, SIZE_MAX)); /* and p is unchanged */
  p[9] = 1;
  assert_null(chk_resize(p, 0));
  void *base;
  size_t bytes;
  chk_mem_region(&base, &bytes);
  assert_true((char *)p > (char *)base && (char *)p < (char *)base + bytes);
  assert_int_equal((uintptr_t)base % 4096, 0);
  assert_int_equal(bytes % 4096, 0);
}

/* Every length around the ends of classes holds the requested bytes, and takes at most a quarter
 * and two units more. */
static void blocks_of_all_sizes_hold_what_was_asked_for(void **state) {
  (void)state;
  for (size_t bytes = 1; bytes < 70000; bytes += 1 + bytes / 300) {
    unsigned char *a = chk_alloc(bytes), *b = chk_alloc(bytes);
    assert_int_equal((uintptr_t)a % 64, 0);
    size_t apart = (size_t)(a < b ? b - a : a - b);
    assert_true(apart >= bytes);
    memset(a, 1, bytes);
    assert_true(all(b, bytes, 0));
    memset(b, 2, bytes);
    assert_true(all(a, bytes, 1));
    chk_free(a);
    assert_ptr_equal(chk_alloc(bytes), a); /* the last that was freed, zeroed */
    assert_true(all(a, bytes, 0) && all(b, bytes, 2));
    chk_free(a);
    chk_free(b);
  }
}

/* Allocates and frees blocks at random; each is filled with its own number. */
static void random_blocks_keep_their_contents(void **state) {
  (void)state;
  unsigned char *at[MOST] = {NULL};
  size_t bytes[MOST] = {0};
  srand(3);
  for (int step = 0; step < 20000; step++) {
    int i = rand() % MOST;
    size_t want = (size_t)(rand() % (1 << (rand() % 16 + 1))) + 1;
    if (at[i] != NULL) assert_true(all(at[i], bytes[i], (unsigned char)i));
    if (at[i] == NULL) {
      at[i] = chk_alloc(want);
      assert_true(all(at[i], want, 0));
    } else if (step % 3 == 0) {
      chk_free(at[i]);
      at[i] = NULL;
      continue;
    } else {
      at[i] = chk_resize(at[i], want);
      size_t held = bytes[i] < want ? bytes[i] : want;
      assert_true(all(at[i], held, (unsigned char)i));
      assert_true(all(at[i] + held, want - held, 0));
    }
    bytes[i] = want;
    memset(at[i], i, want);
  }
  for (int i = 0; i < MOST; i++) chk_free(at[i]);
}

static size_t pages_there(const unsigned char *p, size_t bytes) {
  static unsigned char there[64 * 256];
  uintptr_t low = (uintptr_t)p / 4096 * 4096;
  assert_int_equal(mincore((void *)low, bytes, there), 0);
  size_t n = 0;
  for (size_t i = 0; i < bytes / 4096; i++) n += there[i] & 1;
  return n;
}

/* Large blocks take only touched pages, return them, and are zero again. */
static void large_blocks_give_their_pages_back(void **state) {
  (void)state;
  unsigned char *p = chk_alloc(64 * MIB), *q = chk_alloc(64 * MIB);
  p[0] = p[20 * MIB] = p[64 * MIB - 1] = 1;
  q[0] = q[64 * MIB - 1] = 2;
  assert_in_range(pages_there(p, 64 * MIB), 2, 8); /* the last page is not read */
  memset(p, 1, 8 * MIB);
  chk_free(p);
  assert_in_range(pages_there(p, 64 * MIB), 0, 8);
  assert_ptr_equal(chk_alloc(64 * MIB), p);
  for (size_t k = 0; k < 64 * MIB; k += 64) assert_int_equal(p[k], 0);
  assert_true(p[64 * MIB - 1] == 0 && q[0] == 2 && q[64 * MIB - 1] == 2);
  unsigned char *r = chk_resize(q, 100 * MIB);
  assert_true(r[0] == 2 && r[64 * MIB - 1] == 2 && r[64 * MIB] == 0 && r[100 * MIB - 1] == 0);
  chk_free(p);
  chk_free(r);
}

/* The region's end is an error, not a crash, and freed blocks can be allocated again. */
static void full_region_is_an_error_and_frees_are_found_again(void **state) {
  (void)state;
  void *base;
  size_t bytes, n = 0;
  chk_mem_region(&base, &bytes);
  void *at[100];
  while (n < 100 && (at[n] = chk_alloc(bytes / 40)) != NULL) n++;
  assert_in_range(n, 20, 40);
  assert_null(chk_alloc(bytes / 40));
  chk_free(at[n / 2]);
  assert_ptr_equal(chk_alloc(bytes / 40), at[n / 2]);
  while (n > 0) chk_free(at[--n]);
}

/* Where addresses are scarce the region is smaller. In a child, before its first block. */
static int small_region(void) {
  struct rlimit limit = {.rlim_cur = 2048 * MIB, .rlim_max = 2048 * MIB};
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  if (mmap(NULL, 4096 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
      MAP_FAILED)
    return NO_LIMIT;
  void *base;
  size_t bytes;
  chk_mem_region(&base, &bytes);
  unsigned char *p = chk_alloc(100 * MIB);
  if (base == NULL || bytes > 2048 * MIB || p == NULL) return 2;
  p[100 * MIB - 1] = 1;
  return chk_alloc(4096 * MIB) == NULL ? 0 : 3;
}

static void short_address_space_gets_a_smaller_region(void **state) {
  const pid_t *child = *state;
  int how;
  if (*child < 0) skip();
  assert_int_equal(waitpid(*child, &how, 0), *child);
  assert_true(WIFEXITED(how));
#ifndef __x86_64__ /* of which no emulator is meant */
  if (WEXITSTATUS(how) == NO_LIMIT) {
    print_message("left out: the limit of the address space has no effect, as under qemu-user\n");
    return;
  }
#endif
  assert_int_equal(WEXITSTATUS(how), 0);
}

int main(void) {
  pid_t child = SANITIZED ? -1 : fork();
  if (child == 0) _exit(small_region());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(blocks_of_all_sizes_hold_what_was_asked_for),
      cmocka_unit_test(random_blocks_keep_their_contents),
      cmocka_unit_test(large_blocks_give_their_pages_back),
      cmocka_unit_test(full_region_is_an_error_and_frees_are_found_again),
      cmocka_unit_test_prestate(short_address_space_gets_a_smaller_region, &child),
  };
  return cmocka_run_group_tests_name("chk_mem", tests, NULL, NULL);
}
