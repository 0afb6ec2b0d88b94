/* SPDX-License-Identifier: BSD-3-Clause */
/* test_runs.c - blocks in runs: copies of all pieces against a list of their bytes, and checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "coll/runs.h"

#define BUFFER 4096u
#define MOST 256u /* bytes of a block */

/* Where the bytes of a block are, in their order. */
static uint64_t list(const eyot_block_t *b, uint64_t *at) {
  uint64_t n = 0;
  uint64_t count[EYOT_BLOCK_DIMS];
  for (uint32_t d = 0; d < EYOT_BLOCK_DIMS; d++) count[d] = b->count[d] > 0 ? b->count[d] : 1;
  for (uint64_t k = 0; k < count[2]; k++)
    for (uint64_t j = 0; j < count[1]; j++)
      for (uint64_t i = 0; i < count[0]; i++)
        for (uint64_t x = 0; x < b->run_bytes; x++) {
          int64_t off = (int64_t)(b->at + x) + (int64_t)i * b->stride[0] +
                        (int64_t)j * b->stride[1] + (int64_t)k * b->stride[2];
          assert_true(n < MOST && off >= 0 && off < (int64_t)BUFFER);
          at[n++] = (uint64_t)off;
        }
  return n;
}

static const eyot_block_t BLOCKS[] = {
    {.at = 3, .run_bytes = 0},
    {.at = 5, .run_bytes = 7},
    {.at = 8, .run_bytes = 8, .count = {5}, .stride = {8}},
    {.at = 8, .run_bytes = 8, .count = {5}, .stride = {24}},
    {.at = 900, .run_bytes = 5, .count = {4, 3}, .stride = {-7, 50}},
    {.at = 0, .run_bytes = 4, .count = {3, 4}, .stride = {64, 4}},
    {.at = 0, .run_bytes = 4, .count = {3, 4, 2}, .stride = {4, 12, 100}},
    {.at = 2000, .run_bytes = 3, .count = {2, 3, 4}, .stride = {200, -30, 6}},
    {.at = 1, .run_bytes = 2, .count = {1, 7, 1}, .stride = {99, 4, 99}},
};
enum { BLOCK_COUNT = sizeof BLOCKS / sizeof BLOCKS[0] };

static void pieces_are_those_of_the_list(void **state) {
  (void)state;
  static char buffer[BUFFER], packed[MOST], back[BUFFER], wanted[BUFFER];
  uint64_t at[MOST];
  for (uint32_t i = 0; i < BUFFER; i++) buffer[i] = (char)(i * 7 + i / 256);
  for (int k = 0; k < BLOCK_COUNT; k++) {
    struct eyoti_runs s;
    uint64_t bytes, end, n = list(&BLOCKS[k], at);
    assert_int_equal(eyoti_runs_make(&s, &BLOCKS[k], true, "blocks", 0, &bytes, &end), EYOT_OK);
    assert_int_equal(bytes, n);
    for (uint64_t from = 0; from <= n; from++)
      for (uint64_t len = 0; from + len <= n; len++) {
        eyoti_runs_pack(&s, buffer + BLOCKS[k].at, packed, from, len);
        memset(back, 0, sizeof back);
        memset(wanted, 0, sizeof wanted);
        for (uint64_t i = 0; i < len; i++) {
          assert_int_equal(packed[i], buffer[at[from + i]]);
          wanted[at[from + i]] = packed[i];
        }
        eyoti_runs_unpack(&s, back + BLOCKS[k].at, packed, from, len);
        assert_memory_equal(back, wanted, sizeof back);
      }
  }
}

/* A matrix and its transposed one: other runs, the same bytes. */
static void blocks_move_to_other_shapes(void **state) {
  (void)state;
  const eyot_block_t rows = {.run_bytes = 12, .count = {4}, .stride = {20}};
  const eyot_block_t cols = {.run_bytes = 4, .count = {3, 4}, .stride = {16, 4}};
  struct eyoti_runs a, b;
  uint64_t bytes, end;
  uint32_t from[4][5], to[3][4] = {{0}};
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t j = 0; j < 5; j++) from[i][j] = i * 10 + j;
  assert_int_equal(eyoti_runs_make(&a, &rows, true, "rows", 0, &bytes, &end), EYOT_OK);
  assert_int_equal(end, 72);
  assert_int_equal(eyoti_runs_make(&b, &cols, true, "cols", 0, &bytes, &end), EYOT_OK);
  assert_int_equal(end, 48);
  eyoti_runs_move(&a, (const char *)from, &b, (char *)to, 48);
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t j = 0; j < 3; j++) assert_int_equal(to[j][i], i * 10 + j);
}

static void as_few_runs_as_there_can_be(void **state) {
  (void)state;
  const eyot_block_t whole = {.run_bytes = 2, .count = {3, 5, 7}, .stride = {2, 6, 30}};
  const eyot_block_t rows = {.run_bytes = 2, .count = {3, 5, 7}, .stride = {2, 8, 40}};
  struct eyoti_runs s;
  uint64_t bytes, end;
  assert_int_equal(eyoti_runs_make(&s, &whole, true, "whole", 0, &bytes, &end), EYOT_OK);
  assert_true(eyoti_runs_is_whole(&s) && s.run == 210 && bytes == 210 && end == 210);
  assert_int_equal(eyoti_runs_make(&s, &rows, true, "rows", 0, &bytes, &end), EYOT_OK);
  assert_true(s.run == 6 && s.count[0] == 35 && s.stride[0] == 8 && s.count[1] == 1);
}

static void wrong_blocks_are_refused(void **state) {
  (void)state;
  static const eyot_block_t WRONG[] = {
      {.at = 7, .run_bytes = 8, .count = {2}, .stride = {-8}},
      {.at = UINT64_MAX - 1, .run_bytes = 8},
      {.run_bytes = UINT64_MAX, .count = {2}},
      {.run_bytes = 8, .count = {UINT64_MAX / 2}, .stride = {INT64_MAX}},
      {.run_bytes = 8, .count = {1u << 31, 1u << 31}, .stride = {8, INT64_MAX / 4}},
      {.run_bytes = 8, .count = {2}, .stride = {INT64_MIN}},
      {.run_bytes = 8, .count = {2}, .stride = {7}},
      {.run_bytes = 8, .count = {2, 2}, .stride = {16, 23}},
      {.run_bytes = 8, .count = {2}, .stride = {0}},
  };
  struct eyoti_runs s;
  uint64_t bytes, end;
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++)
    assert_int_equal(eyoti_runs_make(&s, &WRONG[i], true, "wrong", 0, &bytes, &end), EYOT_EINVAL);
  const eyot_block_t same = {.run_bytes = 8, .count = {4}, .stride = {0}};
  assert_int_equal(eyoti_runs_make(&s, &same, false, "sent", 0, &bytes, &end), EYOT_OK);
  assert_true(bytes == 32 && end == 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_those_of_the_list),
      cmocka_unit_test(blocks_move_to_other_shapes),
      cmocka_unit_test(as_few_runs_as_there_can_be),
      cmocka_unit_test(wrong_blocks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
