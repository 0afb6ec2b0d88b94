/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_model.h - the serial model of reductions: operators written out for one element, the tree
 * over ranks, and inputs that tell orders apart. For coll_model.c and unit tests; it uses nothing
 * of eyot but the names of types and operators. */
#ifndef COLL_MODEL_H
#define COLL_MODEL_H

#include <eyot/eyot.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_USER_BYTES 12u /* an element of the operators of the program here: 2x2 matrices */
#define MODEL_MOST EYOT_OP_BYTES_MAX /* bytes of an element, at most */

/* *out = *left OP *right, for one element. */
typedef void model_fn(void *out, const void *left, const void *right);

struct model_case {
  eyot_type_t type;
  eyot_op_t op; /* of user operators: set when they are made */
  uint32_t width;
  enum {
    MODEL_INTEGER,
    MODEL_SUMS,
    MODEL_ORDER,
    MODEL_LONG,
    MODEL_PAIR32,
    MODEL_PAIR64,
    MODEL_PAIR_FLOAT,
    MODEL_PAIR_DOUBLE,
    MODEL_MATRIX
  } input;
  model_fn *fn;
  const char *name;
};

#define MODEL(name, T, expression)                                                  \
  static inline void model_##name(void *out, const void *left, const void *right) { \
    T x, y, z;                                                                      \
    memcpy(&x, left, sizeof x);                                                     \
    memcpy(&y, right, sizeof y);                                                    \
    z = (T)(expression);                                                            \
    memcpy(out, &z, sizeof z);                                                      \
  }
#define MODEL_INTEGER_OPS(t, T, U)     \
  MODEL(t##_sum, T, (U)((U)x + (U)y))  \
  MODEL(t##_prod, T, (U)((U)x * (U)y)) \
  MODEL(t##_min, T, x < y ? x : y)     \
  MODEL(t##_max, T, x < y ? y : x)     \
  MODEL(t##_band, T, x &y)             \
  MODEL(t##_bor, T, x | y)             \
  MODEL(t##_bxor, T, x ^ y)            \
  MODEL(t##_land, T, x &&y)            \
  MODEL(t##_lor, T, x || y)            \
  MODEL(t##_lxor, T, !x != !y)
MODEL_INTEGER_OPS(i8, int8_t, uint64_t)
MODEL_INTEGER_OPS(u8, uint8_t, uint64_t)
MODEL_INTEGER_OPS(i16, int16_t, uint64_t)
MODEL_INTEGER_OPS(u16, uint16_t, uint64_t)
MODEL_INTEGER_OPS(i32, int32_t, uint64_t)
MODEL_INTEGER_OPS(u32, uint32_t, uint64_t)
MODEL_INTEGER_OPS(i64, int64_t, uint64_t)
MODEL_INTEGER_OPS(u64, uint64_t, uint64_t)

/* The order of numbers with a sign of zero; nan: the result if one is not a number. */
#define MODEL_BELOW(x, y) ((x) < (y) || ((x) == (y) && signbit(x) && !signbit(y)))
#define MODEL_REAL_OPS(t, T)                                                   \
  MODEL(t##_sum, T, x + y)                                                     \
  MODEL(t##_prod, T, x *y)                                                     \
  MODEL(t##_min, T, isnan(x) || isnan(y) ? (T)NAN : MODEL_BELOW(x, y) ? x : y) \
  MODEL(t##_max, T, isnan(x) || isnan(y) ? (T)NAN : MODEL_BELOW(x, y) ? y : x)
MODEL_REAL_OPS(f32, float)
MODEL_REAL_OPS(f64, double)
MODEL_REAL_OPS(f80, long double)

/* volatile: the compiler may not fuse a product with a sum */
#define MODEL_COMPLEX_OPS(t, T)                                                         \
  static inline void model_##t##_sum(void *out, const void *left, const void *right) {  \
    T x[2], y[2];                                                                       \
    memcpy(x, left, sizeof x);                                                          \
    memcpy(y, right, sizeof y);                                                         \
    T z[2] = {x[0] + y[0], x[1] + y[1]};                                                \
    memcpy(out, z, sizeof z);                                                           \
  }                                                                                     \
  static inline void model_##t##_prod(void *out, const void *left, const void *right) { \
    T x[2], y[2];                                                                       \
    memcpy(x, left, sizeof x);                                                          \
    memcpy(y, right, sizeof y);                                                         \
    volatile T ac = x[0] * y[0], bd = x[1] * y[1], ad = x[0] * y[1], bc = x[1] * y[0];  \
    T z[2] = {ac - bd, ad + bc};                                                        \
    memcpy(out, z, sizeof z);                                                           \
  }
MODEL_COMPLEX_OPS(c32, float)
MODEL_COMPLEX_OPS(c64, double)
MODEL_COMPLEX_OPS(c80, long double)

/* A value that is not a number is the best one; then the better, then the least index. */
#define MODEL_PAIR(t, T, better)                                                  \
  static inline void model_##t(void *out, const void *left, const void *right) {  \
    T x, y;                                                                       \
    memcpy(&x, left, sizeof x);                                                   \
    memcpy(&y, right, sizeof y);                                                  \
    bool x_nan = x.value != x.value, y_nan = y.value != y.value, take = false;    \
    if (x_nan || y_nan)                                                           \
      take = y_nan && (!x_nan || y.index < x.index);                              \
    else                                                                          \
      take = y.value better x.value || (y.value == x.value && y.index < x.index); \
    memcpy(out, take ? right : left, sizeof x);                                   \
  }
MODEL_PAIR(i32_minloc, eyot_int32_index_t, <)
MODEL_PAIR(i32_maxloc, eyot_int32_index_t, >)
MODEL_PAIR(u32_minloc, eyot_uint32_index_t, <)
MODEL_PAIR(u32_maxloc, eyot_uint32_index_t, >)
MODEL_PAIR(f32_minloc, eyot_float_index_t, <)
MODEL_PAIR(f32_maxloc, eyot_float_index_t, >)
MODEL_PAIR(i64_minloc, eyot_int64_index_t, <)
MODEL_PAIR(i64_maxloc, eyot_int64_index_t, >)
MODEL_PAIR(u64_minloc, eyot_uint64_index_t, <)
MODEL_PAIR(u64_maxloc, eyot_uint64_index_t, >)
MODEL_PAIR(f64_minloc, eyot_double_index_t, <)
MODEL_PAIR(f64_maxloc, eyot_double_index_t, >)

/* The composition of maps x -> a x + b modulo 2^32, and a third word, a sum: associative, and not
 * commutative. */
static inline void model_compose(void *out, const void *left, const void *right) {
  uint32_t x[3], y[3];
  memcpy(x, left, sizeof x);
  memcpy(y, right, sizeof y);
  uint32_t z[3] = {x[0] * y[0], x[1] * y[0] + y[1], x[2] + y[2]};
  memcpy(out, z, sizeof z);
}
/* Sums of three words: commutative. */
static inline void model_add3(void *out, const void *left, const void *right) {
  uint32_t x[3], y[3];
  memcpy(x, left, sizeof x);
  memcpy(y, right, sizeof y);
  uint32_t z[3] = {x[0] + y[0], x[1] + y[1], x[2] + y[2]};
  memcpy(out, z, sizeof z);
}

#define MODEL_CASE(E, O, T, input, fn) \
  { E, O, sizeof(T), input, model_##fn, #fn }
#define MODEL_INTEGER_CASES(t, E, T)                        \
  MODEL_CASE(E, EYOT_SUM, T, MODEL_INTEGER, t##_sum),       \
      MODEL_CASE(E, EYOT_PROD, T, MODEL_INTEGER, t##_prod), \
      MODEL_CASE(E, EYOT_MIN, T, MODEL_INTEGER, t##_min),   \
      MODEL_CASE(E, EYOT_MAX, T, MODEL_INTEGER, t##_max),   \
      MODEL_CASE(E, EYOT_BAND, T, MODEL_INTEGER, t##_band), \
      MODEL_CASE(E, EYOT_BOR, T, MODEL_INTEGER, t##_bor),   \
      MODEL_CASE(E, EYOT_BXOR, T, MODEL_INTEGER, t##_bxor), \
      MODEL_CASE(E, EYOT_LAND, T, MODEL_INTEGER, t##_land), \
      MODEL_CASE(E, EYOT_LOR, T, MODEL_INTEGER, t##_lor),   \
      MODEL_CASE(E, EYOT_LXOR, T, MODEL_INTEGER, t##_lxor)
#define MODEL_REAL_CASES(t, E, T, sums, order)                                            \
  MODEL_CASE(E, EYOT_SUM, T, sums, t##_sum), MODEL_CASE(E, EYOT_PROD, T, sums, t##_prod), \
      MODEL_CASE(E, EYOT_MIN, T, order, t##_min), MODEL_CASE(E, EYOT_MAX, T, order, t##_max)
#define MODEL_COMPLEX_CASES(t, E, T, input)                          \
  {E, EYOT_SUM, 2 * sizeof(T), input, model_##t##_sum, #t "_sum"}, { \
    E, EYOT_PROD, 2 * sizeof(T), input, model_##t##_prod, #t "_prod" \
  }
#define MODEL_PAIR_CASES(t, E, T, input) \
  MODEL_CASE(E, EYOT_MINLOC, T, input, t##_minloc), MODEL_CASE(E, EYOT_MAXLOC, T, input, t##_maxloc)

/* Every pair that is defined; the last two are operators of the program, which model_make makes. */
static struct model_case model_cases[] = {
    MODEL_INTEGER_CASES(i8, EYOT_INT8, int8_t),
    MODEL_INTEGER_CASES(u8, EYOT_UINT8, uint8_t),
    MODEL_INTEGER_CASES(i16, EYOT_INT16, int16_t),
    MODEL_INTEGER_CASES(u16, EYOT_UINT16, uint16_t),
    MODEL_INTEGER_CASES(i32, EYOT_INT32, int32_t),
    MODEL_INTEGER_CASES(u32, EYOT_UINT32, uint32_t),
    MODEL_INTEGER_CASES(i64, EYOT_INT64, int64_t),
    MODEL_INTEGER_CASES(u64, EYOT_UINT64, uint64_t),
    MODEL_REAL_CASES(f32, EYOT_FLOAT, float, MODEL_SUMS, MODEL_ORDER),
    MODEL_REAL_CASES(f64, EYOT_DOUBLE, double, MODEL_SUMS, MODEL_ORDER),
    MODEL_REAL_CASES(f80, EYOT_LONG_DOUBLE, long double, MODEL_LONG, MODEL_LONG),
    MODEL_COMPLEX_CASES(c32, EYOT_FLOAT_COMPLEX, float, MODEL_SUMS),
    MODEL_COMPLEX_CASES(c64, EYOT_DOUBLE_COMPLEX, double, MODEL_SUMS),
    MODEL_COMPLEX_CASES(c80, EYOT_LONG_DOUBLE_COMPLEX, long double, MODEL_LONG),
    MODEL_PAIR_CASES(i32, EYOT_INT32_INDEX, eyot_int32_index_t, MODEL_PAIR32),
    MODEL_PAIR_CASES(u32, EYOT_UINT32_INDEX, eyot_uint32_index_t, MODEL_PAIR32),
    MODEL_PAIR_CASES(f32, EYOT_FLOAT_INDEX, eyot_float_index_t, MODEL_PAIR_FLOAT),
    MODEL_PAIR_CASES(i64, EYOT_INT64_INDEX, eyot_int64_index_t, MODEL_PAIR64),
    MODEL_PAIR_CASES(u64, EYOT_UINT64_INDEX, eyot_uint64_index_t, MODEL_PAIR64),
    MODEL_PAIR_CASES(f64, EYOT_DOUBLE_INDEX, eyot_double_index_t, MODEL_PAIR_DOUBLE),
    {EYOT_USER, EYOT_NOOP, MODEL_USER_BYTES, MODEL_MATRIX, model_compose, "compose"},
    {EYOT_USER, EYOT_NOOP, MODEL_USER_BYTES, MODEL_MATRIX, model_add3, "add3"},
};
enum { MODEL_CASES = sizeof model_cases / sizeof model_cases[0], MODEL_USER_CASES = 2 };

/* -- inputs ------------------------------------------------------------------------------------ */

static inline uint64_t model_mix(uint64_t member, uint64_t i) {
  uint64_t h = (member + 1) * 0x9e3779b97f4a7c15u ^ (i + 1) * 0xc2b2ae3d27d4eb4fu;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return h ^ h >> 32;
}
/* Numbers whose sums and products depend on the order; no infinities. */
static inline double model_real(uint64_t h) {
  double scale = h % 5 == 0 ? 1e7 : 1.0;
  return scale * ((double)(h >> 40) / 3.0e6 + 0.3) * (h & 32 ? -1.0 : 1.0);
}
/* Numbers of which many are equal, zeros of both signs, now and then not a number. */
static inline double model_order(uint64_t h) {
  if (h % 61 == 0) return h & 64 ? NAN : -NAN;
  return h % 7 < 2 ? (h & 64 ? 0.0 : -0.0) : (double)(h % 7) - 4.0;
}

/* Bytes of a long double that are its value: the others are padding. */
#define MODEL_LONG_BYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))
#define MODEL_STORE(T, at, value)             \
  do {                                        \
    T v_ = (T)(value);                        \
    memcpy((char *)p + (at), &v_, sizeof v_); \
  } while (0)

/* Element i of `member`. */
static inline void model_input(const struct model_case *c, uint64_t member, uint64_t i, void *p) {
  uint64_t h = model_mix(member, i), few = h % 5;
  memset(p, 0, c->width);
  switch (c->input) {
    case MODEL_INTEGER:
      if (h % 3 != 0) memcpy(p, &h, c->width);
      break;
    case MODEL_SUMS:
    case MODEL_ORDER:
      for (uint32_t at = 0; at < c->width;) {
        double v = c->input == MODEL_SUMS ? model_real(model_mix(h, at)) : model_order(h);
        if (c->type == EYOT_FLOAT || c->type == EYOT_FLOAT_COMPLEX)
          MODEL_STORE(float, at, v);
        else
          MODEL_STORE(double, at, v);
        at += c->type == EYOT_FLOAT || c->type == EYOT_FLOAT_COMPLEX ? 4 : 8;
      }
      break;
    case MODEL_LONG:
      for (uint32_t at = 0; at < c->width; at += sizeof(long double)) {
        bool order = c->op == EYOT_MIN || c->op == EYOT_MAX;
        long double v = order ? model_order(h) : model_real(model_mix(h, at)) / 7.0L;
        MODEL_STORE(long double, at, v);
        /* the bytes after a number have no meaning, and are others on each member */
        memset((char *)p + at + MODEL_LONG_BYTES, (int)(h >> 16), sizeof v - MODEL_LONG_BYTES);
      }
      break;
    case MODEL_PAIR32:
      MODEL_STORE(int32_t, 0, (int32_t)few - 2);
      MODEL_STORE(int32_t, 4, (int32_t)(h >> 20) % 100);
      break;
    case MODEL_PAIR64:
      MODEL_STORE(int64_t, 0, (int64_t)few - 2);
      MODEL_STORE(int64_t, 8, (int64_t)(h >> 20) % 100);
      break;
    case MODEL_PAIR_FLOAT:
      MODEL_STORE(float, 0, model_order(h));
      MODEL_STORE(int32_t, 4, (int32_t)(h >> 20) % 100);
      break;
    case MODEL_PAIR_DOUBLE:
      MODEL_STORE(double, 0, model_order(h));
      MODEL_STORE(int64_t, 8, (int64_t)(h >> 20) % 100);
      break;
    case MODEL_MATRIX:
      for (uint32_t w = 0; w < c->width / 4; w++)
        MODEL_STORE(uint32_t, 4 * w, model_mix(h, w) | (w % 3 == 0));
      break;
  }
}

/* -- the tree ---------------------------------------------------------------------------------- */

/* Folds element i of members first..first+n-1 of a block of 2^k members: its lower half with its
 * upper one. */
static inline void model_block(const struct model_case *c, const uint32_t *members, uint64_t n,
                               uint64_t half, uint64_t i, void *out) {
  if (n == 1) {
    model_input(c, members[0], i, out);
    return;
  }
  while (half >= n) half /= 2;
  _Alignas(16) char left[MODEL_MOST], right[MODEL_MOST];
  model_block(c, members, half, half, i, left);
  model_block(c, members + half, n - half, half, i, right);
  c->fn(out, left, right);
}
/* Element i of the reduction over members[0..n-1]. */
static inline void model_fold(const struct model_case *c, const uint32_t *members, uint64_t n,
                              uint64_t i, void *out) {
  memset(out, 0, c->width);
  model_block(c, members, n, UINT64_C(1) << 40, i, out);
}

/* Whether n elements are equal: the padding of long double is not compared. */
static inline bool model_same(const struct model_case *c, const void *a, const void *b,
                              uint64_t n) {
  bool is_long = c->input == MODEL_LONG;
  uint64_t each = is_long ? sizeof(long double) : c->width;
  uint64_t bytes = is_long ? MODEL_LONG_BYTES : c->width;
  for (uint64_t at = 0; at < n * c->width; at += each)
    if (memcmp((const char *)a + at, (const char *)b + at, bytes) != 0) return false;
  return true;
}

/* -- operators of the program ------------------------------------------------------------------ */

/* An operator of the program by a function of the model, which is its context. */
static inline void model_operator(void *out, const void *left, const void *right, uint64_t n,
                                  void *context) {
  model_fn *fn;
  memcpy(&fn, &context, sizeof fn);
  for (uint64_t i = 0; i < n; i++)
    fn((char *)out + i * MODEL_USER_BYTES, (const char *)left + i * MODEL_USER_BYTES,
       (const char *)right + i * MODEL_USER_BYTES);
}
static inline int model_make(eyot_op_t ops[MODEL_USER_CASES]) {
  for (int k = 0; k < MODEL_USER_CASES; k++) {
    model_fn *fn = k == 0 ? model_compose : model_add3;
    void *context;
    memcpy(&context, &fn, sizeof context);
    int rc = eyot_op_create(model_operator, context, MODEL_USER_BYTES, k == 1, &ops[k]);
    if (rc != EYOT_OK) return rc;
  }
  return EYOT_OK;
}
#endif
