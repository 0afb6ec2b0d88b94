/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c - waits for and tests of words of each type, by each comparison: one word, all, any and
 * some of several, with masks and with a value for each word. The PE to the left writes the words.
 * Argument "words": without those of 2 bytes. */
#include "tests/openshmem/check.h"

/* MANY is more than an implementation keeps on the stack. */
enum { FEW = 5, MANY = 37, COMPARISONS = 6 };

static const int comparisons[COMPARISONS] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT,
                                             SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE};
#define NONE SIZE_MAX

/* Whether 5 (first) and 5 less, equal and more (-1, 5, 9 - or a huge one) compare so. */
#define HOLDS(cmp, a, b)                \
  ((cmp) == SHMEM_CMP_EQ   ? (a) == (b) \
   : (cmp) == SHMEM_CMP_NE ? (a) != (b) \
   : (cmp) == SHMEM_CMP_GT ? (a) > (b)  \
   : (cmp) == SHMEM_CMP_LE ? (a) <= (b) \
   : (cmp) == SHMEM_CMP_LT ? (a) < (b)  \
                           : (a) >= (b))

/* Tests of the PE's own word, by all comparisons with values on both sides of it, and with those
 * that a wrong sign or width would take for others. */
#define DEFINE_TESTS(T, N, op)                                                                  \
  static void tests_##N(void) {                                                                 \
    static T words[3];                                                                          \
    const T values[] = {0, 1, 2, (T)-1, (T)-2, (T)((T)1 << (8 * sizeof(T) - 2))};               \
    enum { VALUES = sizeof values / sizeof *values };                                           \
    words[0] = words[2] = (T)-1;                                                                \
    for (int i = 0; i < VALUES; i++) {                                                          \
      words[1] = values[i];                                                                     \
      for (int k = 0; k < VALUES; k++)                                                          \
        for (int c = 0; c < COMPARISONS; c++) {                                                 \
          int holds = HOLDS(comparisons[c], values[i], values[k]);                              \
          const T *list = &values[k];                                                           \
          size_t index = NONE;                                                                  \
          SAME(int, #N "_test", shmem_##N##_test(&words[1], comparisons[c], values[k]), holds); \
          SAME(int, #N "_test_all",                                                             \
               shmem_##N##_test_all(&words[1], 1, NULL, comparisons[c], values[k]), holds);     \
          SAME(size_t, #N "_test_any",                                                          \
               shmem_##N##_test_any(&words[1], 1, NULL, comparisons[c], values[k]),             \
               holds ? 0 : NONE);                                                               \
          SAME(size_t, #N "_test_some_vector",                                                  \
               shmem_##N##_test_some_vector(&words[1], 1, &index, NULL, comparisons[c], list),  \
               (size_t)holds);                                                                  \
          SAME(size_t, #N "_test_some_vector: index", index, holds ? 0 : NONE);                 \
          if (holds) shmem_##N##_wait_until(&words[1], comparisons[c], values[k]);              \
        }                                                                                       \
    }                                                                                           \
    shmem_barrier_all();                                                                        \
  }

/* One word, which the left PE moves from 5 to what each comparison waits for. */
#define DEFINE_ONE(T, N, op)                                                                \
  static void one_##N(void) {                                                               \
    static T words[COMPARISONS], changed;                                                   \
    static const T to[COMPARISONS] = {(T)-7, 6, (T)((T)1 << (8 * sizeof(T) - 2)), 3, 1, 9}; \
    static const T by[COMPARISONS] = {(T)-7, 5, 5, 4, 2, 9};                                \
    for (int c = 0; c < COMPARISONS; c++) words[c] = 5;                                     \
    changed = 5;                                                                            \
    shmem_barrier_all();                                                                    \
    for (int c = 0; c < COMPARISONS; c++) shmem_##N##_p(&words[c], to[c], next_pe(1));      \
    shmem_##N##_p(&changed, 4, next_pe(1));                                                 \
    for (int c = 0; c < COMPARISONS; c++) {                                                 \
      shmem_##N##_wait_until(&words[c], comparisons[c], by[c]);                             \
      SAME(T, #N "_wait_until: the word", words[c], to[c]);                                 \
    }                                                                                       \
    shmem_##N##_wait(&changed, 5);                                                          \
    SAME(T, #N "_wait: the word", changed, 4);                                              \
    shmem_barrier_all();                                                                    \
  }

/* Several words, of which the left PE writes one after the other: the odd ones alone, then all. */
#define ODD_WRITTEN(T, N, count)      \
  for (int i = 0; i < (count); i++) { \
    words[i] = 0;                     \
    values[i] = (T)(i + 1);           \
    even[i] = i % 2 == 0;             \
  }                                   \
  shmem_barrier_all();                \
  for (int i = 1; i < (count); i += 2) shmem_##N##_p(&words[i], (T)(i + 1), next_pe(1));

/* Each result of "some" is marked; all odd words appear once. */
#define GATHER(N, call, ...)                                                       \
  memcpy(left, even, sizeof left);                                                 \
  for (size_t got = 0; got < odd;) {                                               \
    size_t found = shmem_##N##_##call(words, count, indices, left, __VA_ARGS__);   \
    if (found == 0) {                                                              \
      complain(__FILE__, __LINE__, #N "_" #call ": 0, expected at least 1");       \
      break;                                                                       \
    }                                                                              \
    for (size_t i = 0; i < found; i++) {                                           \
      SAME(int, #N "_" #call ": a masked or repeated index", left[indices[i]], 0); \
      left[indices[i]] = 1;                                                        \
    }                                                                              \
    got += found;                                                                  \
  }
#define GATHER_ANY(N, call, ...)                                                         \
  memcpy(left, even, sizeof left);                                                       \
  for (size_t got = 0; got < odd; got++) {                                               \
    size_t i = shmem_##N##_##call(words, count, left, __VA_ARGS__);                      \
    if (i >= count || left[i] != 0) {                                                    \
      complain(__FILE__, __LINE__, #N "_" #call ": %zu, expected an odd index once", i); \
      break;                                                                             \
    }                                                                                    \
    left[i] = 1;                                                                         \
  }

#define DEFINE_SEVERAL(T, N, op)                                                                \
  static void several_##N(size_t count) {                                                       \
    static T words[MANY];                                                                       \
    T values[MANY];                                                                             \
    int even[MANY] = {0}, left[MANY], all[MANY], n = (int)count;                                \
    size_t indices[MANY], odd = count / 2;                                                      \
    for (int i = 0; i < MANY; i++) all[i] = 1;                                                  \
    ODD_WRITTEN(T, N, n)                                                                        \
    GATHER(N, wait_until_some, SHMEM_CMP_NE, 0)                                                 \
    GATHER_ANY(N, wait_until_any, SHMEM_CMP_GT, 0)                                              \
    shmem_##N##_wait_until_all(words, count, even, SHMEM_CMP_GE, 1);                            \
    for (int i = 0; i < n; i++)                                                                 \
      SAME(T, #N "_wait_until_all: a word", words[i], i % 2 != 0 ? (T)(i + 1) : 0);             \
    SAME(int, #N "_test_all", shmem_##N##_test_all(words, count, even, SHMEM_CMP_NE, 0), 1);    \
    SAME(int, #N "_test_all of all", shmem_##N##_test_all(words, count, NULL, SHMEM_CMP_NE, 0), \
         0);                                                                                    \
    SAME(size_t, #N "_test_some",                                                               \
         shmem_##N##_test_some(words, count, indices, NULL, SHMEM_CMP_GT, 0), odd);             \
    SAME(size_t, #N "_test_some: first", indices[0], 1);                                        \
    SAME(size_t, #N "_test_any", shmem_##N##_test_any(words, count, NULL, SHMEM_CMP_EQ, 99),    \
         NONE);                                                                                 \
    shmem_barrier_all();                                                                        \
    ODD_WRITTEN(T, N, n)                                                                        \
    GATHER(N, wait_until_some_vector, SHMEM_CMP_EQ, values)                                     \
    GATHER_ANY(N, wait_until_any_vector, SHMEM_CMP_EQ, values)                                  \
    shmem_##N##_wait_until_all_vector(words, count, even, SHMEM_CMP_EQ, values);                \
    SAME(int, #N "_test_all_vector",                                                            \
         shmem_##N##_test_all_vector(words, count, even, SHMEM_CMP_EQ, values), 1);             \
    SAME(int, #N "_test_all_vector of all",                                                     \
         shmem_##N##_test_all_vector(words, count, NULL, SHMEM_CMP_EQ, values), 0);             \
    SAME(size_t, #N "_test_some_vector",                                                        \
         shmem_##N##_test_some_vector(words, count, indices, even, SHMEM_CMP_LE, values), odd); \
    SAME(size_t, #N "_test_any_vector",                                                         \
         shmem_##N##_test_any_vector(words, count, even, SHMEM_CMP_NE, values), NONE);          \
    /* nothing to wait for: all masked, or none */                                              \
    SAME(size_t, #N "_wait_until_any",                                                          \
         shmem_##N##_wait_until_any(words, count, all, SHMEM_CMP_EQ, 99), NONE);                \
    SAME(size_t, #N "_wait_until_any",                                                          \
         shmem_##N##_wait_until_any(words, 0, NULL, SHMEM_CMP_EQ, 99), NONE);                   \
    SAME(size_t, #N "_wait_until_some",                                                         \
         shmem_##N##_wait_until_some(words, count, indices, all, SHMEM_CMP_EQ, 99), 0);         \
    SAME(size_t, #N "_test_some",                                                               \
         shmem_##N##_test_some(words, 0, indices, NULL, SHMEM_CMP_EQ, 99), 0);                  \
    SAME(int, #N "_test_all", shmem_##N##_test_all(words, 0, NULL, SHMEM_CMP_EQ, 99), 1);       \
    SAME(int, #N "_test_all", shmem_##N##_test_all(words, count, all, SHMEM_CMP_EQ, 99), 1);    \
    shmem_##N##_wait_until_all(words, count, all, SHMEM_CMP_EQ, 99);                            \
    shmem_barrier_all();                                                                        \
  }

SHMEMI_WAIT_TYPES(DEFINE_TESTS, )
SHMEMI_WAIT_TYPES(DEFINE_ONE, )
SHMEMI_WAIT_TYPES(DEFINE_SEVERAL, )

/* A test in a loop ends; words of the heap, at its very end too; the untyped deprecated forms. */
static void elsewhere(void) {
  static long word;
  short *end = shmem_malloc(3 * sizeof *end);
  int *number = shmem_calloc(1, sizeof *number);
  end[0] = end[1] = end[2] = 0;
  word = 0;
  shmem_barrier_all();
  shmem_short_p(&end[2], -3, next_pe(1));
  shmem_int_atomic_add(number, 2, next_pe(1));
  shmem_long_p(&word, 4, next_pe(1));
  shmem_short_wait_until(&end[2], SHMEM_CMP_LT, 0);
  INT(end[2], -3);
  while (!shmem_int_test(number, SHMEM_CMP_EQ, 2)) continue;
  INT(*number, 2);
  (shmem_wait_until)(&word, SHMEM_CMP_EQ, 4);
  INT(word, 4);
  shmem_wait(&word, 3);
  shmem_free(number);
  shmem_free(end);
}

#define RUN(T, N, op)            \
  if (sizeof(T) > 2 || !words) { \
    tests_##N();                 \
    one_##N();                   \
    several_##N(FEW);            \
    several_##N(MANY);           \
  }

int main(void) {
#ifdef __SANITIZE_ADDRESS__ /* the library reads the 4 bytes around a short: beyond objects too */
  const bool words = true;
#else
  const bool words = false;
#endif
  begin();
  SHMEMI_WAIT_TYPES(RUN, )
  if (!words) elsewhere();
  return finish();
}
