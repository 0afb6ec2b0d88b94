/* SPDX-License-Identifier: BSD-3-Clause */
/* found.c - what the public suites have found in the interface, each by a test that failed before:
 * calls for any word return each that holds, copies of no bytes take null pointers, a PE reaches
 * itself by shmem_ptr, an alignment may be less than a pointer's, and a wait takes an allocation of
 * one short. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

static int wrong;

static void check(int holds, const char *what) {
  if (holds) return;
  printf("FAILED: %s\n", what);
  wrong = 1;
}

int main(void) {
  static int words[5], excluded[5] = {0, 0, 1, 0, 0};
  static short halves[3];
  int seen[5] = {0}, seen_waiting[5] = {0}, seen_halves[3] = {0};
  shmem_init();
  int me = shmem_my_pe();
  for (int i = 0; i < 5; i++) shmem_int_atomic_set(&words[i], 1, me);
  for (int i = 0; i < 3; i++) shmem_short_p(&halves[i], 1, me);
  shmem_quiet();
  for (int i = 0; i < 60; i++) {
    seen[shmem_int_test_any(words, 5, excluded, SHMEM_CMP_EQ, 1)]++;
    seen_waiting[shmem_int_wait_until_any(words, 5, NULL, SHMEM_CMP_EQ, 1)]++;
    seen_halves[shmem_short_test_any(halves, 3, NULL, SHMEM_CMP_EQ, 1)]++;
  }
  for (int i = 0; i < 5; i++) {
    check((seen[i] > 0) == (i != 2), "shmem_test_any returns each word that holds");
    check(seen_waiting[i] > 0, "shmem_wait_until_any returns each word that holds");
  }
  for (int i = 0; i < 3; i++) check(seen_halves[i] > 0, "shmem_short_test_any returns each word");
  check(shmem_int_test_any(words, 5, NULL, SHMEM_CMP_EQ, 2) == SIZE_MAX, "no word holds");

  short *one = shmem_calloc(1, sizeof *one);
  *one = 3;
  shmem_short_wait_until(one, SHMEM_CMP_EQ, 3);
  shmem_free(one);

  shmem_putmem(NULL, NULL, 0, 0);
  shmem_getmem(NULL, NULL, 0, 0);
  shmem_putmem_nbi(NULL, NULL, 0, 0);
  shmem_getmem_nbi(NULL, NULL, 0, 0);

  int *small = shmem_align(4, sizeof *small);
  check(small != NULL, "shmem_align takes 4");
  check(shmem_ptr(small, me) == small && shmem_ptr(words, me) == words, "shmem_ptr of this PE");
  shmem_free(small);
  shmem_finalize();
  return wrong;
}
