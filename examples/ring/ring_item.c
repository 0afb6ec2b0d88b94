/* SPDX-License-Identifier: BSD-3-Clause */
/* ring_item.c - the contents of an item. */
#include "ring.h"

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next_word(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static char byte_at(uint64_t *state, uint64_t *word, uint32_t i) {
  if (i % 8 == 0) *word = next_word(state);
  return (char)(*word >> i % 8 * 8 & 0xff);
}

void ring_item_make(char *at, uint32_t bytes, uint32_t stream, uint32_t number) {
  uint64_t state = (uint64_t)stream << 32 | number, word = 0;
  for (uint32_t i = 0; i < bytes; i++) at[i] = byte_at(&state, &word, i);
}

bool ring_item_is(const char *at, uint32_t bytes, uint32_t stream, uint32_t number) {
  uint64_t state = (uint64_t)stream << 32 | number, word = 0;
  for (uint32_t i = 0; i < bytes; i++)
    if (at[i] != byte_at(&state, &word, i)) return false;
  return true;
}
