/* SPDX-License-Identifier: BSD-3-Clause */
/* atomics.c - each atomic operation of each type: blocking, non-blocking, with a context, and by
 * its older name. Each PE works on a word of its own at the PE to the right, between two guards
 * that show a wrong width; then all PEs contend for a word of PE 0. */
#include "tests/openshmem/check.h"

static shmem_ctx_t ctx;

/* Values that need all bytes of the type: 0x01...01 times k, plus k for the sign. */
#define WIDE(T, k) ((T)((T)((uint64_t)0x4102030405060708 >> (8 * (8 - sizeof(T)))) + (T)(k)))

#define NEW_WORD(T)            \
  static T words[3];           \
  static T *word = &words[1];  \
  T old, *fetched = &old;      \
  int pe = next_pe(1);         \
  words[0] = words[2] = (T)85; \
  words[1] = (T)3;             \
  shmem_barrier_all();
/* What I have made of the neighbour's word, and the left one has made of mine. */
#define END_WORD(T, N, group, expected)                           \
  shmem_barrier_all();                                            \
  SAME(T, #N " " group ": the word", words[1], expected);         \
  SAME(T, #N " " group ": the guard before it", words[0], (T)85); \
  SAME(T, #N " " group ": the guard after it", words[2], (T)85);  \
  shmem_barrier_all();
#define GIVES(T, N, call, expected) SAME(T, "shmem_" #N #call, shmem_##N##call, expected)
#define CTX_GIVES(T, N, call, expected) \
  SAME(T, "shmem_ctx_" #N #call, shmem_ctx_##N##call, expected)
/* A non-blocking fetch, and its result after quiet. */
#define LATER(T, N, call, expected) \
  old = (T)99;                      \
  shmem_##N##call;                  \
  shmem_quiet();                    \
  SAME(T, "shmem_" #N #call, old, expected);
#define CTX_LATER(T, N, call, expected) \
  old = (T)99;                          \
  shmem_ctx_##N##call;                  \
  shmem_ctx_quiet(ctx);                 \
  SAME(T, "shmem_ctx_" #N #call, old, expected);
/* An update, complete after quiet. */
#define UPDATE(T, N, call, expected) \
  shmem_##N##call;                   \
  shmem_quiet();                     \
  SAME(T, "the word after shmem_" #N #call, shmem_##N##_atomic_fetch(word, pe), expected);
#define CTX_UPDATE(T, N, call, expected) \
  shmem_ctx_##N##call;                   \
  shmem_ctx_quiet(ctx);                  \
  SAME(T, "the word after shmem_ctx_" #N #call, shmem_##N##_atomic_fetch(word, pe), expected);

#define DEFINE_EXTENDED(T, N, op)                                                \
  static void extended_##N(void) {                                               \
    NEW_WORD(T)                                                                  \
    GIVES(T, N, _atomic_fetch(word, pe), 3);                                     \
    UPDATE(T, N, _atomic_set(word, WIDE(T, 1), pe), WIDE(T, 1))                  \
    CTX_GIVES(T, N, _atomic_fetch(ctx, word, pe), WIDE(T, 1));                   \
    CTX_UPDATE(T, N, _atomic_set(ctx, word, (T)-7, pe), (T)-7)                   \
    GIVES(T, N, _atomic_swap(word, WIDE(T, 2), pe), (T)-7);                      \
    CTX_GIVES(T, N, _atomic_swap(ctx, word, (T)4, pe), WIDE(T, 2));              \
    LATER(T, N, _atomic_fetch_nbi(fetched, word, pe), 4)                         \
    CTX_LATER(T, N, _atomic_fetch_nbi(ctx, fetched, word, pe), 4)                \
    LATER(T, N, _atomic_swap_nbi(fetched, word, WIDE(T, 3), pe), 4)              \
    CTX_LATER(T, N, _atomic_swap_nbi(ctx, fetched, word, (T)-9, pe), WIDE(T, 3)) \
    GIVES(T, N, _fetch(word, pe), (T)-9);                                        \
    UPDATE(T, N, _set(word, WIDE(T, 5), pe), WIDE(T, 5))                         \
    GIVES(T, N, _swap(word, (T)8, pe), WIDE(T, 5));                              \
    END_WORD(T, N, "fetch, set and swap", 8)                                     \
  }

#define DEFINE_STANDARD(T, N, op)                                                        \
  static void standard_##N(void) {                                                       \
    NEW_WORD(T)                                                                          \
    GIVES(T, N, _atomic_compare_swap(word, 4, WIDE(T, 1), pe), 3);                       \
    GIVES(T, N, _atomic_compare_swap(word, 3, WIDE(T, 1), pe), 3);                       \
    CTX_GIVES(T, N, _atomic_compare_swap(ctx, word, 1, 2, pe), WIDE(T, 1));              \
    CTX_GIVES(T, N, _atomic_compare_swap(ctx, word, WIDE(T, 1), (T)-3, pe), WIDE(T, 1)); \
    LATER(T, N, _atomic_compare_swap_nbi(fetched, word, (T)-3, WIDE(T, 2), pe), (T)-3)   \
    CTX_LATER(T, N, _atomic_compare_swap_nbi(ctx, fetched, word, WIDE(T, 2), (T)-1, pe), \
              WIDE(T, 2))                                                                \
    GIVES(T, N, _cswap(word, (T)-1, (T)-2, pe), (T)-1);                                  \
    GIVES(T, N, _atomic_fetch_inc(word, pe), (T)-2);                                     \
    CTX_GIVES(T, N, _atomic_fetch_inc(ctx, word, pe), (T)-1);                            \
    LATER(T, N, _atomic_fetch_inc_nbi(fetched, word, pe), 0)                             \
    CTX_LATER(T, N, _atomic_fetch_inc_nbi(ctx, fetched, word, pe), 1)                    \
    GIVES(T, N, _finc(word, pe), 2);                                                     \
    UPDATE(T, N, _atomic_inc(word, pe), 4)                                               \
    CTX_UPDATE(T, N, _atomic_inc(ctx, word, pe), 5)                                      \
    UPDATE(T, N, _inc(word, pe), 6)                                                      \
    GIVES(T, N, _atomic_fetch_add(word, (T)-10, pe), 6);                                 \
    CTX_GIVES(T, N, _atomic_fetch_add(ctx, word, 4, pe), (T)-4);                         \
    LATER(T, N, _atomic_fetch_add_nbi(fetched, word, WIDE(T, 0), pe), 0)                 \
    CTX_LATER(T, N, _atomic_fetch_add_nbi(ctx, fetched, word, 1, pe), WIDE(T, 0))        \
    GIVES(T, N, _fadd(word, 1, pe), WIDE(T, 1));                                         \
    UPDATE(T, N, _atomic_add(word, 1, pe), WIDE(T, 3))                                   \
    CTX_UPDATE(T, N, _atomic_add(ctx, word, 2, pe), WIDE(T, 5))                          \
    UPDATE(T, N, _add(word, (T)-5, pe), WIDE(T, 0))                                      \
    END_WORD(T, N, "compare, inc and add", WIDE(T, 0))                                   \
  }

#define DEFINE_BITWISE(T, N, op)                                                               \
  static void bitwise_##N(void) {                                                              \
    NEW_WORD(T)                                                                                \
    T all = (T)-1;                                                                             \
    UPDATE(T, N, _atomic_set(word, WIDE(T, 0), pe), WIDE(T, 0))                                \
    GIVES(T, N, _atomic_fetch_and(word, all, pe), WIDE(T, 0));                                 \
    CTX_GIVES(T, N, _atomic_fetch_and(ctx, word, 12, pe), WIDE(T, 0));                         \
    GIVES(T, N, _atomic_fetch_or(word, WIDE(T, 0), pe), WIDE(T, 0) & 12);                      \
    CTX_GIVES(T, N, _atomic_fetch_or(ctx, word, 3, pe), WIDE(T, 0));                           \
    GIVES(T, N, _atomic_fetch_xor(word, all, pe), WIDE(T, 0) | 3);                             \
    CTX_GIVES(T, N, _atomic_fetch_xor(ctx, word, all, pe), (T) ~(WIDE(T, 0) | 3));             \
    LATER(T, N, _atomic_fetch_xor_nbi(fetched, word, 3, pe), WIDE(T, 0) | 3)                   \
    CTX_LATER(T, N, _atomic_fetch_xor_nbi(ctx, fetched, word, 3, pe), (WIDE(T, 0) | 3) ^ 3)    \
    LATER(T, N, _atomic_fetch_and_nbi(fetched, word, (T)-2, pe), WIDE(T, 0) | 3)               \
    CTX_LATER(T, N, _atomic_fetch_and_nbi(ctx, fetched, word, (T)-4, pe),                      \
              (WIDE(T, 0) | 3) & (T)-2)                                                        \
    LATER(T, N, _atomic_fetch_or_nbi(fetched, word, 1, pe), WIDE(T, 0) & (T)-4)                \
    CTX_LATER(T, N, _atomic_fetch_or_nbi(ctx, fetched, word, 2, pe), (WIDE(T, 0) & (T)-4) | 1) \
    UPDATE(T, N, _atomic_and(word, 5, pe), (WIDE(T, 0) | 3) & 5)                               \
    UPDATE(T, N, _atomic_or(word, WIDE(T, 1), pe), ((WIDE(T, 0) | 3) & 5) | WIDE(T, 1))        \
    UPDATE(T, N, _atomic_xor(word, WIDE(T, 1), pe),                                            \
           (((WIDE(T, 0) | 3) & 5) | WIDE(T, 1)) ^ WIDE(T, 1))                                 \
    UPDATE(T, N, _atomic_set(word, all, pe), all)                                              \
    CTX_UPDATE(T, N, _atomic_and(ctx, word, (T)-9, pe), (T)-9)                                 \
    CTX_UPDATE(T, N, _atomic_or(ctx, word, 8, pe), all)                                        \
    CTX_UPDATE(T, N, _atomic_xor(ctx, word, 1, pe), (T)-2)                                     \
    END_WORD(T, N, "and, or and xor", (T)-2)                                                   \
  }

/* All PEs draw numbers at PE 0: each one once. */
#define DEFINE_CONTEND(T, N, op)                                                              \
  static void contend_##N(void) {                                                             \
    static T counter, sum;                                                                    \
    T mine = 0;                                                                               \
    counter = sum = 0;                                                                        \
    shmem_barrier_all();                                                                      \
    for (int i = 0; i < 3; i++) mine = (T)(mine + shmem_##N##_atomic_fetch_inc(&counter, 0)); \
    shmem_##N##_atomic_add(&sum, mine, 0);                                                    \
    shmem_barrier_all();                                                                      \
    int all = 3 * n_pes;                                                                      \
    if (me == 0) SAME(T, #N " counter", counter, all);                                        \
    if (me == 0) SAME(T, #N " sum of the numbers drawn", sum, all *(all - 1) / 2);            \
    shmem_barrier_all();                                                                      \
  }

SHMEMI_AMO_EXTENDED_TYPES(DEFINE_EXTENDED, )
SHMEMI_AMO_TYPES(DEFINE_STANDARD, )
SHMEMI_AMO_BITWISE_TYPES(DEFINE_BITWISE, )
SHMEMI_AMO_TYPES(DEFINE_CONTEND, )

static void signals(void) {
  static uint64_t signal;
  int pe = next_pe(1);
  shmem_barrier_all();
  shmem_signal_set(&signal, UINT64_MAX - 1, pe);
  INT(shmem_signal_wait_until(&signal, SHMEM_CMP_GT, 5), UINT64_MAX - 1);
  shmem_barrier_all();
  shmem_signal_add(&signal, 1, pe);
  INT(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, UINT64_MAX), UINT64_MAX);
  shmem_barrier_all();
  shmem_ctx_signal_set(ctx, &signal, 4, pe);
  INT(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 4), 4);
  shmem_barrier_all();
  shmem_ctx_signal_add(ctx, &signal, 3, pe);
  INT(shmem_signal_wait_until(&signal, SHMEM_CMP_NE, 4), 7);
  INT(shmem_signal_fetch(&signal), 7);
}

#define RUN_EXTENDED(T, N, op) extended_##N();
#define RUN_STANDARD(T, N, op) \
  standard_##N();              \
  contend_##N();
#define RUN_BITWISE(T, N, op) bitwise_##N();

int main(void) {
  begin();
  INT(shmem_ctx_create(0, &ctx), 0);
  SHMEMI_AMO_EXTENDED_TYPES(RUN_EXTENDED, )
  SHMEMI_AMO_TYPES(RUN_STANDARD, )
  SHMEMI_AMO_BITWISE_TYPES(RUN_BITWISE, )
  signals();
  return finish();
}
