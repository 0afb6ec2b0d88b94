/* SPDX-License-Identifier: BSD-3-Clause */
/* exact_model.h - what EYOT_SUM_EXACT must give, by its definition: sums of floating-point numbers
 * as integers of 2,300 bits, and whether a number is the nearest one to such a sum. Nothing here
 * rounds: a candidate is compared with its neighbors. */
#ifndef EXACT_MODEL_H
#define EXACT_MODEL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/draw.h"

#define EXACT_LIMBS 72 /* of 32 bits, with signs of their own; the unit is 2^-1074 */

struct exact_model {
  int64_t limb[EXACT_LIMBS];
  bool nan, positive, negative; /* operands: no number, infinities */
  bool other;                   /* an operand was not -0 */
};

/* Adds times * x, |times| < 8. x is a number. */
static inline void exact_add_times(struct exact_model *m, double x, int64_t times) {
  int exponent;
  int64_t mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
  int shift = exponent - 53 + 1074;
  for (; shift < 0; shift++) mantissa /= 2; /* a denormal number: even so far */
  uint64_t size = mantissa < 0 ? (uint64_t)-mantissa : (uint64_t)mantissa;
  int64_t sign = mantissa < 0 ? -times : times;
  for (int bit = 0; bit < 53; bit++)
    if (size >> bit & 1) m->limb[(shift + bit) / 32] += sign * (INT64_C(1) << (shift + bit) % 32);
}

static inline void exact_add(struct exact_model *m, double x) {
  m->other |= x != 0 || !signbit(x);
  if (isnan(x))
    m->nan = true;
  else if (isinf(x))
    *(x > 0 ? &m->positive : &m->negative) = true;
  else
    exact_add_times(m, x, 1);
}

/* The sign of twice the sum minus x times `a` minus y times `b`. */
static inline int exact_sign(const struct exact_model *sum, double x, int64_t a, double y,
                             int64_t b) {
  struct exact_model m = *sum;
  for (int i = 0; i < EXACT_LIMBS; i++) m.limb[i] *= 2;
  exact_add_times(&m, x, -a);
  exact_add_times(&m, y, -b);
  int64_t carry = 0, any = 0;
  for (int i = 0; i < EXACT_LIMBS; i++) {
    int64_t all = m.limb[i] + carry;
    any |= all & INT64_C(0xffffffff);
    carry = (all - (all & INT64_C(0xffffffff))) / (INT64_C(1) << 32);
  }
  return carry < 0 ? -1 : carry > 0 || any != 0 ? 1 : 0;
}

/* Of the two types: the neighbor of r towards `to`, the greatest number, whether r is even. */
static inline double exact_next(bool single, double r, double to) {
  return single ? (double)nextafterf((float)r, (float)to) : nextafter(r, to);
}
static inline bool exact_even(bool single, double r) {
  float f = (float)r;
  uint64_t bits = 0;
  memcpy(&bits, single ? (void *)&f : (void *)&r, single ? sizeof f : sizeof r);
  return bits % 2 == 0;
}

/* Whether a number r, not an infinity, is the nearest to the sum: twice the sum lies between r plus
 * the number before it and r plus the number after it. */
static inline bool exact_nearest(const struct exact_model *m, bool single, double r) {
  double greatest = single ? (double)FLT_MAX : DBL_MAX;
  double below = exact_next(single, r, -(double)INFINITY), above = exact_next(single, r, INFINITY);
  int from_above, from_below;
  if (r >= greatest) /* the next would be as far away as the one before */
    from_above = exact_sign(m, r, 3, below, -1);
  else
    from_above = exact_sign(m, r, 1, above, 1);
  if (r <= -greatest)
    from_below = exact_sign(m, r, 3, above, -1);
  else
    from_below = exact_sign(m, r, 1, below, 1);
  if (from_above > 0 || from_below < 0) return false;
  return (from_above != 0 && from_below != 0) || exact_even(single, r);
}

/* Whether r, of the type float if `single`, has the bits that the sum must have. */
static inline bool exact_is(const struct exact_model *m, bool single, double r) {
  double greatest = single ? (double)FLT_MAX : DBL_MAX;
  double before = exact_next(single, greatest, 0);
  if (m->nan || (m->positive && m->negative)) return isnan(r);
  if (m->positive || m->negative) return isinf(r) && (r > 0) == m->positive;
  if (isnan(r)) return false;
  if (isinf(r) && r > 0) return exact_sign(m, greatest, 3, before, -1) >= 0;
  if (isinf(r)) return exact_sign(m, -greatest, 3, -before, -1) <= 0;
  if (r == 0) return exact_sign(m, 0, 0, 0, 0) == 0 && (signbit(r) != 0) == !m->other;
  return exact_nearest(m, single, r);
}

/* -- operands ---------------------------------------------------------------------------------- */

/* How operands are drawn: any bits; of like size; such that they cancel but for a rest; around the
 * least and around the greatest numbers; halves of the last bit; special values. */
enum exact_kind {
  EXACT_ANY = 0,
  EXACT_LIKE,
  EXACT_CANCEL,
  EXACT_LEAST,
  EXACT_GREATEST,
  EXACT_TIES,
  EXACT_SPECIAL,
  EXACT_ZEROS,
  EXACT_KINDS
};

static inline uint64_t exact_mix(uint64_t x) {
  return draw(&x);
}
static inline double exact_bits(bool single, uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float f;
  double d;
  memcpy(&f, &low, sizeof f);
  memcpy(&d, &bits, sizeof d);
  return single ? (double)f : d;
}
/* A number of any bits. */
static inline double exact_number(bool single, uint64_t seed) {
  for (;;) {
    double x = exact_bits(single, seed = exact_mix(seed + 1));
    if (isfinite(x)) return x;
  }
}

/* Operand `k` of a sum: the same for all who ask, and one that its type can hold. */
static inline double exact_operand(enum exact_kind kind, bool single, uint64_t seed, uint32_t k) {
  static const double SPECIAL[] = {0.0, -0.0, 1.0, -1.0};
  uint64_t h = exact_mix(exact_mix(seed * 64 + (uint64_t)kind) + k);
  double greatest = single ? (double)FLT_MAX : DBL_MAX, least = single ? 0x1p-149 : 0x1p-1074;
  double last = single ? 0x1p-24 : 0x1p-53, small = (double)(h % 64) * least;
  switch (kind) {
    case EXACT_LIKE:
      return (double)(int64_t)(h % 2001) / 1024 - 1;
    case EXACT_CANCEL: /* pairs, and every fifth operand without its pair */
      if (k % 5 == 4) return exact_number(single, h);
      return (k % 2 == 0 ? 1 : -1) * exact_number(single, exact_mix(seed + k / 2));
    case EXACT_LEAST:
      return h % 2 == 0 ? small : -small * 3;
    case EXACT_GREATEST:
      if (h % 4 == 3) return (h % 8 < 4 ? 1 : -1) * greatest * last / 2;
      return (h % 8 < 5 ? 1 : -1) * (h % 3 == 0 ? greatest : greatest / 2);
    case EXACT_TIES: /* sums near 1 + n + 1/2 units of the last bit */
      if (k == 0) return 1 + 2 * last * (double)(h % 4);
      if (k == 1) return last;
      return h % 8 == 0 ? small : h % 8 == 1 ? -small : 0.0;
    case EXACT_SPECIAL:
      if (h % 16 == 0) return NAN;
      if (h % 16 < 3) return h % 16 == 1 ? (double)INFINITY : -(double)INFINITY;
      return SPECIAL[h % 4];
    case EXACT_ZEROS:
      return seed % 3 == 0 || h % 8 != 0 ? -0.0 : 0.0;
    case EXACT_ANY:
    case EXACT_KINDS:
      break;
  }
  return exact_number(single, h);
}
#endif
