/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waits for and tests of words of the PE's own symmetric memory.
 *
 * short and unsigned short are deprecated here and have no wait of eyot: the word of 4 bytes that
 * holds one is waited for, as often as it takes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/openshmem/osh.h"

#define FEW 16u

/* Words, or one word if n is 1: values[i*step] is what ivars[i] is compared with. */
struct words {
  const void *ivars;
  uint64_t n, bytes;
  eyot_type_t type;
  bool is_signed;
  const int *status; /* NULL, or others than 0 leave words out */
  int cmp;
  const void *values;
  uint64_t step;
};

static eyot_cmp_t comparison(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return EYOT_CMP_EQ;
    case SHMEM_CMP_NE:
      return EYOT_CMP_NE;
    case SHMEM_CMP_GT:
      return EYOT_CMP_GT;
    case SHMEM_CMP_LE:
      return EYOT_CMP_LE;
    case SHMEM_CMP_LT:
      return EYOT_CMP_LT;
    case SHMEM_CMP_GE:
      return EYOT_CMP_GE;
    default:
      osh_fail(EYOT_EINVAL, "cmp is %d, expected one of SHMEM_CMP_EQ to SHMEM_CMP_GE", cmp);
  }
}

/* A value of 2, 4 or 8 bytes, extended by its sign. */
static uint64_t load(const void *from, uint64_t bytes, bool is_signed) {
  uint64_t v = 0;
  memcpy(&v, from, bytes); /* the lower bytes come first (x86-64, ARM64 little-endian) */
  if (is_signed && bytes < sizeof v) {
    unsigned shift = (unsigned)(64 - 8 * bytes);
    v = (uint64_t)((int64_t)(v << shift) >> shift);
  }
  return v;
}
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "wait.c reads short words as the lower bytes of longer ones: little-endian only"
#endif

static eyot_cond_t condition(const struct words *w, uint64_t i, eyot_cmp_t cmp) {
  eyot_cond_t c = {.word = EYOT_GPTR_NULL, .type = w->type, .cmp = cmp};
  if (w->status != NULL && w->status[i] != 0) return c;
  const char *at = (const char *)w->ivars + i * w->bytes;
  c.value = load((const char *)w->values + i * w->step, w->bytes, w->is_signed);
  if (!osh_recent(at, w->bytes, osh.me, &c.word))
    c.word = osh_gptr(w->n == 1 ? "ivar" : "ivars", at, w->bytes, osh.me);
  return c;
}

/* The conditions of a list; the caller gives them back. */
static eyot_cond_t *conditions(const struct words *w, eyot_cond_t *few) {
  eyot_cmp_t cmp = comparison(w->cmp);
  eyot_cond_t *c = few;
  if (w->n > FEW) c = malloc(w->n * sizeof *c);
  if (c == NULL) osh_fail(EYOT_ENOMEM, "no memory for %" PRIu64 " conditions", w->n);
  for (uint64_t i = 0; i < w->n; i++) c[i] = condition(w, i, cmp);
  return c;
}

static void give_back(eyot_cond_t *c, const eyot_cond_t *few) {
  if (c != few) free(c);
}

/* -- words that hold already ------------------------------------------------------------------- */

/* Compares values that load has extended. */
static inline bool compare(int cmp, bool is_signed, uint64_t seen, uint64_t value) {
  uint64_t sign = is_signed ? UINT64_C(1) << 63 : 0; /* as unsigned numbers in the same order */
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return seen == value;
    case SHMEM_CMP_NE:
      return seen != value;
    case SHMEM_CMP_GT:
      return (seen ^ sign) > (value ^ sign);
    case SHMEM_CMP_LE:
      return (seen ^ sign) <= (value ^ sign);
    case SHMEM_CMP_LT:
      return (seen ^ sign) < (value ^ sign);
    case SHMEM_CMP_GE:
      return (seen ^ sign) >= (value ^ sign);
    default:
      return false;
  }
}

/* A program may wait in a loop for a test to become false: one of so many loads makes progress. */
#define LOADS_A_CALL 32u

/* Whether a word of 4 or 8 bytes that is mapped satisfies the condition: a load that acquires, in
 * place of a call. False: it does not, or the call must look. */
static inline bool holds_now(const void *ivar, uint64_t bytes, bool is_signed, int cmp,
                             uint64_t value, uint64_t *seen) {
  static unsigned loads; /* `recent` is empty if several threads call at once */
  eyot_gptr_t g;
  uint64_t word = 0;
  if (((uintptr_t)ivar & (bytes - 1)) != 0 || !osh_recent(ivar, bytes, osh.me, &g) ||
      ++loads % LOADS_A_CALL == 0 || !eyot_get_mapped(&word, g, bytes))
    return false;
  *seen = load(&word, bytes, is_signed);
  return compare(cmp, is_signed, *seen, value);
}

/* -- words of 2 bytes -------------------------------------------------------------------------- */

static bool short_holds(const struct words *w, uint64_t i, uint32_t word, unsigned shift) {
  uint16_t half = (uint16_t)(word >> shift);
  return compare(w->cmp, w->is_signed, load(&half, sizeof half, w->is_signed),
                 load((const char *)w->values + i * w->step, w->bytes, w->is_signed));
}

/* Looks at word i; *whole is the condition "the 4 bytes around it have changed". */
static bool short_test(const struct words *w, uint64_t i, eyot_cond_t *whole) {
  uintptr_t at = (uintptr_t)w->ivars + i * w->bytes, base = at & ~(uintptr_t)3;
  uint64_t seen;
  bool done;
  eyot_gptr_t half = osh_gptr("ivar", (const void *)at, w->bytes, osh.me);
  *whole = (eyot_cond_t){.word = eyot_gptr_add(half, (int64_t)base - (int64_t)at),
                         .type = EYOT_UINT32,
                         .cmp = EYOT_CMP_GE,
                         .value = 0};
  osh_must(eyot_test_until_word(whole, &seen, &done));
  whole->cmp = EYOT_CMP_NE;
  whole->value = seen;
  return short_holds(w, i, (uint32_t)seen, (unsigned)(at - base) * 8);
}

/* The indices of the words that hold, ascending; with `blocks`, waits until there is one. */
static uint64_t short_some(const struct words *w, size_t *indices, bool blocks) {
  eyot_cond_t few[FEW], *c = w->n > FEW ? malloc(w->n * sizeof *c) : few;
  uint64_t found = 0, asked = 0;
  if (c == NULL) osh_fail(EYOT_ENOMEM, "no memory for %" PRIu64 " conditions", w->n);
  do {
    asked = 0;
    for (uint64_t i = 0; i < w->n; i++) {
      c[i] = (eyot_cond_t){.word = EYOT_GPTR_NULL, .type = EYOT_UINT32, .cmp = EYOT_CMP_EQ};
      if (w->status != NULL && w->status[i] != 0) continue;
      asked++;
      if (short_test(w, i, &c[i])) indices[found++] = i;
    }
    size_t unused;
    if (blocks && found == 0 && asked > 0)
      osh_must(eyot_wait_until_any(c, w->n, EYOT_FOREVER, &unused));
  } while (blocks && found == 0 && asked > 0);
  give_back(c, few);
  return found;
}

static void short_wait(const struct words *w, uint64_t i) {
  eyot_cond_t whole;
  uint64_t seen;
  if (w->status != NULL && w->status[i] != 0) return;
  while (!short_test(w, i, &whole)) osh_must(eyot_wait_until_word(&whole, EYOT_FOREVER, &seen));
}

/* -- the kinds of waits ------------------------------------------------------------------------ */

static void wait_all(const struct words *w) {
  if (w->bytes == 2) {
    (void)comparison(w->cmp);
    for (uint64_t i = 0; i < w->n; i++) short_wait(w, i);
    return;
  }
  eyot_cond_t few[FEW], *c = conditions(w, few);
  osh_must(w->n == 1 && w->status == NULL ? eyot_wait_until_word(c, EYOT_FOREVER, NULL)
                                          : eyot_wait_until_all(c, w->n, EYOT_FOREVER));
  give_back(c, few);
}

static int test_all(const struct words *w) {
  bool done = true;
  eyot_cond_t few[FEW];
  if (w->bytes == 2) {
    (void)comparison(w->cmp);
    for (uint64_t i = 0; i < w->n; i++)
      done = ((w->status != NULL && w->status[i] != 0) || short_test(w, i, few)) && done;
    return done;
  }
  eyot_cond_t *c = conditions(w, few);
  osh_must(w->n == 1 && w->status == NULL ? eyot_test_until_word(c, NULL, &done)
                                          : eyot_test_until_all(c, w->n, &done));
  give_back(c, few);
  return done;
}

static size_t some_of(const struct words *w, size_t *indices, bool blocks) {
  size_t count = 0;
  if (w->bytes == 2) return short_some(w, indices, blocks);
  eyot_cond_t few[FEW], *c = conditions(w, few);
  osh_must(blocks ? eyot_wait_until_some(c, w->n, EYOT_FOREVER, indices, &count)
                  : eyot_test_until_some(c, w->n, indices, &count));
  give_back(c, few);
  return count;
}

/* Moves the first k of n conditions to the end. */
static void rotate(eyot_cond_t *c, uint64_t n, uint64_t k) {
  const uint64_t parts[][2] = {{0, k}, {k, n}, {0, n}};
  for (int p = 0; p < 3; p++)
    for (uint64_t i = parts[p][0], j = parts[p][1]; i + 1 < j; i++) {
      eyot_cond_t other = c[--j];
      c[j] = c[i];
      c[i] = other;
    }
}

/* The word with which a call begins, so that repeated calls return each word that holds, as
 * OpenSHMEM 1.5 asks of shmem_test_any and shmem_wait_until_any. Drawn, not counted: other calls
 * between those of a series must not keep it at the same word. */
static uint64_t first_of(uint64_t n) {
  static uint64_t calls;
  uint64_t x = __atomic_add_fetch(&calls, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED);
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u; /* SplitMix64 (Steele, Lea, Flood, 2014) */
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (x ^ x >> 31) % n;
}

static size_t any_of(const struct words *w, bool blocks) {
  size_t index = SIZE_MAX;
  uint64_t first = w->n > 1 ? first_of(w->n) : 0;
  if (w->bytes == 2) {
    size_t few[FEW], *all = w->n > FEW ? malloc(w->n * sizeof *all) : few;
    if (all == NULL) osh_fail(EYOT_ENOMEM, "no memory for %" PRIu64 " indices", w->n);
    size_t n = short_some(w, all, blocks);
    if (n > 0) index = all[first % n];
    if (all != few) free(all);
    return index;
  }
  eyot_cond_t few[FEW], *c = conditions(w, few);
  if (first > 0) rotate(c, w->n, first);
  osh_must(blocks ? eyot_wait_until_any(c, w->n, EYOT_FOREVER, &index)
                  : eyot_test_until_any(c, w->n, &index));
  give_back(c, few);
  return index == SIZE_MAX ? index : (index + first) % w->n;
}
_Static_assert(EYOT_NO_COND == SIZE_MAX, "as OpenSHMEM's answer for no word");

/* -- the functions ----------------------------------------------------------------------------- */

#define IS_SIGNED(T) ((T)-1 < (T)1)
#define TYPE(T)                                               \
  (sizeof(T) == 8 ? (IS_SIGNED(T) ? EYOT_INT64 : EYOT_UINT64) \
                  : (IS_SIGNED(T) ? EYOT_INT32 : EYOT_UINT32))
#define WORDS(T, p, n, status, values, step) \
  (&(struct words){p, n, sizeof(T), TYPE(T), IS_SIGNED(T), status, cmp, values, step})
#define LIST(T) T *ivars, size_t nelems
#define BODY(call, act) \
  {                     \
    OSH_ENTER(call);    \
    act;                \
  }

#define DEFINE_LISTS(T, N, suffix, V, values, step)                                        \
  OSH_DEFINE(void, N##_wait_until_all##suffix, (LIST(T), const int *status, int cmp, V))   \
  BODY("shmem_" #N "_wait_until_all" #suffix,                                              \
       wait_all(WORDS(T, ivars, nelems, status, values, step)))                            \
  OSH_DEFINE(size_t, N##_wait_until_any##suffix, (LIST(T), const int *status, int cmp, V)) \
  BODY("shmem_" #N "_wait_until_any" #suffix,                                              \
       return any_of(WORDS(T, ivars, nelems, status, values, step), true))                 \
  OSH_DEFINE(size_t, N##_wait_until_some##suffix,                                          \
             (LIST(T), size_t * indices, const int *status, int cmp, V))                   \
  BODY("shmem_" #N "_wait_until_some" #suffix,                                             \
       return some_of(WORDS(T, ivars, nelems, status, values, step), indices, true))       \
  OSH_DEFINE(int, N##_test_all##suffix, (LIST(T), const int *status, int cmp, V))          \
  BODY("shmem_" #N "_test_all" #suffix,                                                    \
       return test_all(WORDS(T, ivars, nelems, status, values, step)))                     \
  OSH_DEFINE(size_t, N##_test_any##suffix, (LIST(T), const int *status, int cmp, V))       \
  BODY("shmem_" #N "_test_any" #suffix,                                                    \
       return any_of(WORDS(T, ivars, nelems, status, values, step), false))                \
  OSH_DEFINE(size_t, N##_test_some##suffix,                                                \
             (LIST(T), size_t * indices, const int *status, int cmp, V))                   \
  BODY("shmem_" #N "_test_some" #suffix,                                                   \
       return some_of(WORDS(T, ivars, nelems, status, values, step), indices, false))

#define HOLDS_NOW(T)                             \
  (sizeof(T) > 2 &&                              \
   holds_now(ivar, sizeof(T), IS_SIGNED(T), cmp, \
             IS_SIGNED(T) ? (uint64_t)(int64_t)cmp_value : (uint64_t)cmp_value, &(uint64_t){0}))
#define DEFINE_WAITS(T, N, op)                                                       \
  static __attribute__((noinline)) void N##_wait_call(T *ivar, int cmp, T cmp_value, \
                                                      const void *site) {            \
    OSH_ENTER_AT("shmem_" #N "_wait_until", site);                                   \
    wait_all(WORDS(T, ivar, 1, NULL, &cmp_value, 0));                                \
  }                                                                                  \
  OSH_DEFINE(void, N##_wait_until, (T * ivar, int cmp, T cmp_value)) {               \
    if (HOLDS_NOW(T)) return;                                                        \
    N##_wait_call(ivar, cmp, cmp_value, __builtin_return_address(0));                \
  }                                                                                  \
  static __attribute__((noinline)) int N##_test_call(T *ivar, int cmp, T cmp_value,  \
                                                     const void *site) {             \
    OSH_ENTER_AT("shmem_" #N "_test", site);                                         \
    return test_all(WORDS(T, ivar, 1, NULL, &cmp_value, 0));                         \
  }                                                                                  \
  OSH_DEFINE(int, N##_test, (T * ivar, int cmp, T cmp_value)) {                      \
    if (HOLDS_NOW(T)) return 1;                                                      \
    return N##_test_call(ivar, cmp, cmp_value, __builtin_return_address(0));         \
  }                                                                                  \
  DEFINE_LISTS(T, N, , T cmp_value, &cmp_value, 0)                                   \
  DEFINE_LISTS(T, N, _vector, const T *cmp_values, cmp_values, sizeof(T))            \
  OSH_DEFINE(void, N##_wait, (T * ivar, T cmp_value)) {                              \
    int cmp = SHMEM_CMP_NE;                                                          \
    BODY("shmem_" #N "_wait", wait_all(WORDS(T, ivar, 1, NULL, &cmp_value, 0)))      \
  }
SHMEMI_WAIT_TYPES(DEFINE_WAITS, )

#undef shmem_wait_until
OSH_DEFINE(void, wait_until, (long *ivar, int cmp, long cmp_value))
BODY("shmem_wait_until", wait_all(WORDS(long, ivar, 1, NULL, &cmp_value, 0)))
OSH_DEFINE(void, wait, (long *ivar, long cmp_value)) {
  int cmp = SHMEM_CMP_NE;
  BODY("shmem_wait", wait_all(WORDS(long, ivar, 1, NULL, &cmp_value, 0)))
}

OSH_DEFINE(uint64_t, signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_value)) {
  uint64_t seen;
  if (holds_now(sig_addr, sizeof *sig_addr, false, cmp, cmp_value, &seen)) return seen;
  OSH_ENTER("shmem_signal_wait_until");
  eyot_gptr_t g = osh_gptr("sig_addr", sig_addr, sizeof *sig_addr, osh.me);
  osh_must(eyot_wait_until(g, comparison(cmp), cmp_value, &seen));
  return seen;
}
