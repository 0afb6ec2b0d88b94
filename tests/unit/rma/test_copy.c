/* SPDX-License-Identifier: BSD-3-Clause */
/* test_copy.c - copies past the caches: every alignment of both sides, odd lengths, nothing beside
 * the target changes, and areas that overlap. */
#include <stdlib.h>
#include <string.h>

#include "rma/copy.h"
#include "unit/api_unit.h"

#define SPACE 4096u
#define GUARD 128u
#define SIDES 64u /* alignments of a cache line */

static unsigned char from[SPACE], to[SPACE], expected[SPACE];

static void fill(unsigned char *p, unsigned factor) {
  for (unsigned i = 0; i < SPACE; i++) p[i] = (unsigned char)(i * factor + i / 251);
}

static void check_copy(unsigned char *d, const unsigned char *s, uint64_t len) {
  fill(from, 7);
  fill(to, 13);
  memcpy(expected, to, sizeof to);
  unsigned char *e = expected + (d - to);
  /* s may lie in `to`, whose copy is still as it was */
  memmove(e, s >= to && s < to + SPACE ? expected + (s - to) : s, len);
  eyoti_copy_stream(d, s, len);
  assert_memory_equal(to, expected, sizeof to);
}

static void each_alignment_and_odd_lengths(void **state) {
  (void)state;
  static const uint64_t LENS[] = {0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 1000, 2047, 2048};
  for (unsigned d = 0; d < SIDES; d++)
    for (unsigned s = 0; s < SIDES; s += 3)
      for (unsigned i = 0; i < sizeof LENS / sizeof *LENS; i++)
        check_copy(to + GUARD + d, from + GUARD + s, LENS[i]);
}

static void areas_that_overlap(void **state) {
  (void)state;
  for (int shift = -300; shift <= 300; shift += 7) check_copy(to + 1024, to + 1024 + shift, 1000);
  check_copy(to + 1024, to + 1024, 1000);
}

/* Not shorter than what takes the call at all, or never. */
static void the_threshold_comes_from_the_caches(void **state) {
  (void)state;
  uint64_t bytes = eyoti_copy_stream_min();
  assert_true(bytes == UINT64_MAX || (bytes >= 65536 && bytes % 64 == 0));
  setenv("EYOTI_COPY_STREAM_BYTES", "12345", 1);
#ifdef __x86_64__
  assert_true(eyoti_copy_stream_min() == 12345);
#else
  assert_true(eyoti_copy_stream_min() == UINT64_MAX);
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_alignment_and_odd_lengths),
      cmocka_unit_test(areas_that_overlap),
      cmocka_unit_test(the_threshold_comes_from_the_caches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
