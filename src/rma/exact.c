/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c - implements exact.h.
 *
 * A sum of W words, the lowest first: the number is in all bits but the upper 8, which say what the
 * number cannot: whether an operand was an infinity, no number, or anything but -0. */
#include "rma/exact.h"

#include <math.h>
#include <string.h>

/* Bits of the upper byte; the sum of two sums has those of both. */
#define OTHER (UINT64_C(1) << 56) /* an operand was not -0 */
#define POSITIVE_INF (UINT64_C(1) << 57)
#define NEGATIVE_INF (UINT64_C(1) << 58)
#define NO_NUMBER (UINT64_C(1) << 59)
#define TOP_NUMBER (OTHER - 1) /* the bits of the top word that belong to the number */

#define WORDS_MOST (EYOTI_EXACT_F64_BYTES / 8)

/* A binary format of IEEE 754, and the words of its sums. */
struct format {
  uint32_t fraction; /* bits */
  uint32_t exponent; /* bits */
  uint32_t words;
};
static const struct format F32 = {23, 8, EYOTI_EXACT_F32_BYTES / 8};
static const struct format F64 = {52, 11, EYOTI_EXACT_F64_BYTES / 8};

/* The greatest number is below 2^(2^exponent - 2 + fraction) units; 2^32 of them and a sign. */
_Static_assert(2046 + 52 + 32 + 1 <= 64 * (EYOTI_EXACT_F64_BYTES / 8) - 8 &&
                   254 + 23 + 32 + 1 <= 64 * (EYOTI_EXACT_F32_BYTES / 8) - 8,
               "no sum of one operand of each unit overflows");
_Static_assert(EYOTI_EXACT_F64_BYTES <= EYOTI_WIRE_MOST, "the widest form has a bound");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "formats of IEEE 754");

static uint64_t word_get(const unsigned char *sum, uint32_t i) {
  uint64_t w;
  memcpy(&w, sum + 8 * i, sizeof w);
  return w;
}
static void word_set(unsigned char *sum, uint32_t i, uint64_t w) {
  memcpy(sum + 8 * i, &w, sizeof w);
}

/* -- from a number ----------------------------------------------------------------------------- */

/* The number mantissa * 2^shift units. */
static void put_number(const struct format *f, uint64_t sum[WORDS_MOST], uint64_t mantissa,
                       uint32_t shift, bool negative) {
  uint32_t at = shift / 64, bit = shift % 64;
  sum[at] = mantissa << bit;
  if (bit > 0) sum[at + 1] = mantissa >> (64 - bit);
  if (!negative) return;
  uint64_t carry = 1;
  for (uint32_t i = 0; i < f->words; i++) {
    sum[i] = ~sum[i] + carry;
    carry = carry == 1 && sum[i] == 0;
  }
  sum[f->words - 1] &= TOP_NUMBER;
}

static void widen(const struct format *f, void *out, uint64_t bits) {
  uint64_t sum[WORDS_MOST] = {0};
  uint64_t fraction = bits & ((UINT64_C(1) << f->fraction) - 1);
  uint32_t greatest = (1u << f->exponent) - 1,
           exponent = (uint32_t)(bits >> f->fraction) & greatest;
  bool negative = bits >> (f->fraction + f->exponent) != 0;
  uint64_t *top = &sum[f->words - 1];
  if (exponent == greatest)
    *top = fraction != 0 ? NO_NUMBER : negative ? NEGATIVE_INF : POSITIVE_INF;
  else if (exponent == 0)
    put_number(f, sum, fraction, 0, negative);
  else
    put_number(f, sum, fraction | UINT64_C(1) << f->fraction, exponent - 1, negative);
  if (!negative || exponent != 0 || fraction != 0) *top |= OTHER;
  memcpy(out, sum, 8 * f->words);
}

/* -- addition ---------------------------------------------------------------------------------- */

static inline void add(const struct format *f, unsigned char *out, const unsigned char *left,
                       const unsigned char *right) {
  uint32_t top = f->words - 1;
  uint64_t carry = 0;
  for (uint32_t i = 0; i < top; i++) {
    uint64_t sum;
    bool over = __builtin_add_overflow(word_get(left, i), word_get(right, i), &sum);
    over |= __builtin_add_overflow(sum, carry, &sum);
    word_set(out, i, sum);
    carry = over;
  }
  uint64_t l = word_get(left, top), r = word_get(right, top);
  uint64_t number = (l + r + carry) & TOP_NUMBER;
  word_set(out, top, number | ((l | r) & ~TOP_NUMBER));
}

/* -- rounding ---------------------------------------------------------------------------------- */

/* The magnitude of a number, read word by word. */
struct magnitude {
  const unsigned char *sum;
  uint32_t words;
  uint32_t low; /* the lowest word that is not 0 */
  bool negative;
};

static uint64_t number_word(const unsigned char *sum, uint32_t words, uint32_t i) {
  uint64_t w = word_get(sum, i);
  return i < words - 1 ? w : (uint64_t)((int64_t)(w << 8) >> 8);
}

static uint64_t magnitude_word(const struct magnitude *m, uint32_t i) {
  uint64_t w = i < m->words ? number_word(m->sum, m->words, i) : 0;
  if (!m->negative || i >= m->words || i < m->low) return w;
  return i == m->low ? -w : ~w;
}

/* The bits of the number next to m, of two the even one; without its sign. high: the highest word
 * of m that is not 0. */
static uint64_t nearest(const struct format *f, const struct magnitude *m, uint32_t high) {
  uint32_t first = 64 * high + 63 - (uint32_t)__builtin_clzll(magnitude_word(m, high));
  uint32_t last = 64 * m->low + (uint32_t)__builtin_ctzll(magnitude_word(m, m->low));
  if (first <= f->fraction) return magnitude_word(m, 0); /* exact */
  uint32_t shift = first - f->fraction, at = shift / 64, bit = shift % 64;
  uint64_t kept = magnitude_word(m, at) >> bit;
  if (bit > 0) kept |= magnitude_word(m, at + 1) << (64 - bit);
  kept &= (UINT64_C(2) << f->fraction) - 1;
  uint32_t next = shift - 1; /* the first bit that is rounded off */
  bool half = (magnitude_word(m, next / 64) >> next % 64 & 1) != 0;
  if (half && (last < next || (kept & 1) != 0)) kept++;
  /* The leading bit of the fraction, and a carry out of it, count the exponent up. */
  uint64_t bits = ((uint64_t)shift << f->fraction) + kept;
  uint64_t infinity = (UINT64_C(1) << (f->fraction + f->exponent)) - (UINT64_C(1) << f->fraction);
  return bits < infinity ? bits : infinity;
}

/* The bits of a sum as a number; *no_number: it is none. */
static uint64_t rounded(const struct format *f, const unsigned char *sum, bool *no_number) {
  uint64_t marks = word_get(sum, f->words - 1) & ~TOP_NUMBER;
  uint64_t infinities = marks & (POSITIVE_INF | NEGATIVE_INF);
  uint64_t sign = UINT64_C(1) << (f->fraction + f->exponent);
  uint64_t infinity = sign - (UINT64_C(1) << f->fraction);
  *no_number = (marks & NO_NUMBER) != 0 || infinities == (POSITIVE_INF | NEGATIVE_INF);
  if (*no_number) return 0;
  if (infinities != 0) return infinities == NEGATIVE_INF ? sign | infinity : infinity;
  struct magnitude m = {.sum = sum, .words = f->words};
  while (m.low < f->words && number_word(sum, f->words, m.low) == 0) m.low++;
  if (m.low == f->words) return (marks & OTHER) != 0 ? 0 : sign;
  m.negative = number_word(sum, f->words, f->words - 1) >> 63 != 0;
  uint32_t high = f->words - 1;
  while (magnitude_word(&m, high) == 0) high--;
  return nearest(f, &m, high) | (m.negative ? sign : 0);
}

/* -- the two types ----------------------------------------------------------------------------- */

#define FORM(t, T, U, F, BYTES)                                                            \
  static void t##_widen(void *wide, const void *elements, uint64_t n) {                    \
    for (uint64_t i = 0; i < n; i++) {                                                     \
      U bits;                                                                              \
      memcpy(&bits, (const char *)elements + i * sizeof bits, sizeof bits);                \
      widen(&F, (char *)wide + i * BYTES, bits);                                           \
    }                                                                                      \
  }                                                                                        \
  static void t##_round(void *elements, const void *wide, uint64_t n) {                    \
    const T nan = (T)NAN;                                                                  \
    for (uint64_t i = 0; i < n; i++) {                                                     \
      bool no_number;                                                                      \
      U bits = (U)rounded(&F, (const unsigned char *)wide + i * BYTES, &no_number);        \
      if (no_number) memcpy(&bits, &nan, sizeof bits);                                     \
      memcpy((char *)elements + i * sizeof bits, &bits, sizeof bits);                      \
    }                                                                                      \
  }                                                                                        \
  void eyoti_exact_##t##_add(void *out, const void *left, const void *right, uint64_t n) { \
    for (uint64_t i = 0; i < n; i++)                                                       \
      add(&F, (unsigned char *)out + i * BYTES, (const unsigned char *)left + i * BYTES,   \
          (const unsigned char *)right + i * BYTES);                                       \
  }                                                                                        \
  const struct eyoti_wire eyoti_exact_##t = {                                              \
      .element = sizeof(T), .wide = BYTES, .widen = t##_widen, .round = t##_round};

FORM(f32, float, uint32_t, F32, EYOTI_EXACT_F32_BYTES)
FORM(f64, double, uint64_t, F64, EYOTI_EXACT_F64_BYTES)
