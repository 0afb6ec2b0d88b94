/* SPDX-License-Identifier: BSD-3-Clause */
/* own_random.h - what the random test programs of eyot/own.h share: what all members draw alike,
 * and each for itself; the bytes of a buffer, by a key; and the arguments [ROUNDS] [SEED] or
 * WHAT. */
#ifndef OWN_RANDOM_H
#define OWN_RANDOM_H

#include <string.h>

#include "programs/api_check.h"

/* A program of its own, chosen by its name. */
struct own_other {
  const char *name;
  void (*run)(void);
};

static uint64_t shared_random, own_random;
static uint32_t me, n;

static inline unsigned char byte(uint64_t key, uint64_t i) {
  return (unsigned char)(key * 31 + i * 7 + (i >> 8) + 1);
}
static inline eyot_tunit_t tunit(uint32_t id) {
  return (eyot_tunit_t){id};
}

/* Starts, and runs one of the others if it is named. Returns the rounds of the random test, or 0:
 * nothing is left to do but to finish. */
static inline uint64_t own_begin(int argc, char **argv, const struct own_other *others,
                                 size_t n_others) {
  OK(eyot_init(&argc, &argv));
  me = eyot_me().id;
  n = eyot_size();
  for (size_t i = 0; argc > 1 && i < n_others; i++) {
    if (strcmp(argv[1], others[i].name) != 0) continue;
    others[i].run();
    return 0;
  }
  shared_random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  own_random = shared_random * 1000 + me;
  return argc > 1 ? strtoull(argv[1], NULL, 10) : 4;
}
#define OWN_BEGIN(others) own_begin(argc, argv, (others), sizeof(others) / sizeof((others)[0]))

/* Bytes in a row. */
static inline void fill_row(void *p, uint64_t key, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) ((unsigned char *)p)[i] = byte(key, i);
}
static inline void verify_row(const void *p, uint64_t key, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++) CHECK(((const unsigned char *)p)[i] == byte(key, i));
}
#endif
