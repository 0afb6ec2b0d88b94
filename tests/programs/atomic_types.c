/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic_types.c - every atomic function with every type and operator, on every unit, compared with
 * a serial model (support/coll_model.h); pairs that are not defined are refused.
 *
 * Each unit has words of its own in every unit's part, so that results do not depend on the order
 * of units. Types and operators are variables, and constants, which inline functions treat
 * otherwise. */
#include "programs/coll_team.h"
#include "support/coll_model.h"

#define WORDS 80u /* elements of the longest array */
#define ROW (8u * WORDS)

struct pair {
  eyot_type_t type;
  eyot_op_t op;
  uint64_t width;
  const struct model_case *c; /* NULL: REPLACE and NOOP */
};
static eyot_set_t set;
static uint64_t round_; /* numbers the inputs */

static bool is_integer(eyot_type_t type) {
  return type < EYOT_FLOAT;
}
/* Whether eyot_accumulate_nbi takes it. */
static bool has_nbi(const struct pair *p) {
  return p->op == EYOT_REPLACE ||
         (is_integer(p->type) &&
          (p->op == EYOT_SUM || p->op == EYOT_BAND || p->op == EYOT_BOR || p->op == EYOT_BXOR));
}

static bool find(eyot_type_t type, eyot_op_t op, struct pair *p) {
  static const uint64_t WIDTH[] = {4, 4, 8, 8, 4, 8};
  *p = (struct pair){type, op, WIDTH[type], NULL};
  if (op == EYOT_REPLACE || op == EYOT_NOOP) return true;
  for (int k = 0; k < MODEL_CASES; k++)
    if (model_cases[k].type == type && model_cases[k].op == op) p->c = &model_cases[k];
  return p->c != NULL;
}

/* n elements of which sums, products and comparisons differ. */
static void draw_elements(const struct pair *p, uint64_t n, char *to) {
  static const struct model_case integers = {.input = MODEL_INTEGER, .width = 8};
  for (uint64_t i = 0; i < n; i++) {
    char v[8];
    round_++;
    if (p->c != NULL) {
      model_input(p->c, eyot_me().id, round_, v);
    } else {
      double d = model_order(model_mix(eyot_me().id, round_));
      float f = (float)d;
      model_input(&integers, eyot_me().id, round_, v);
      if (p->type == EYOT_DOUBLE) memcpy(v, &d, sizeof d);
      if (p->type == EYOT_FLOAT) memcpy(v, &f, sizeof f);
    }
    memcpy(to + i * p->width, v, p->width);
  }
}
/* word[i] = word[i] OP operand[i] */
static void apply(const struct pair *p, char *word, const char *operand, uint64_t n) {
  for (uint64_t i = 0; i < n && p->op != EYOT_NOOP; i++) {
    char z[8];
    const char *x = word + i * p->width, *y = operand + i * p->width;
    memcpy(z, y, p->width);
    if (p->c != NULL) p->c->fn(z, x, y);
    memcpy(word + i * p->width, z, p->width);
  }
}

/* -- calls with constants ---------------------------------------------------------------------- */

#define CONSTANT(T, O)      \
  if (type == T && op == O) \
    return nbi ? eyot_accumulate_nbi(at, T, O, x) : eyot_accumulate(at, T, O, x);
#define CONSTANTS(T)     \
  CONSTANT(T, EYOT_SUM)  \
  CONSTANT(T, EYOT_PROD) \
  CONSTANT(T, EYOT_MIN)  \
  CONSTANT(T, EYOT_MAX)  \
  CONSTANT(T, EYOT_BAND) \
  CONSTANT(T, EYOT_BOR) CONSTANT(T, EYOT_BXOR) CONSTANT(T, EYOT_REPLACE) CONSTANT(T, EYOT_NOOP)
static int by_constants(eyot_gptr_t at, eyot_type_t type, eyot_op_t op, const void *x, bool nbi) {
  CONSTANTS(EYOT_INT32)
  CONSTANTS(EYOT_UINT32)
  CONSTANTS(EYOT_INT64)
  CONSTANTS(EYOT_UINT64)
  CONSTANTS(EYOT_FLOAT)
  CONSTANTS(EYOT_DOUBLE)
  return EYOT_ENOTSUP;
}
#define MAPPED(T, O) \
  if (type == T && op == O && eyot_fetch_op_mapped(at, T, O, x, old)) return EYOT_OK;
#define MAPPEDS(T)     \
  MAPPED(T, EYOT_SUM)  \
  MAPPED(T, EYOT_BAND) \
  MAPPED(T, EYOT_BOR) MAPPED(T, EYOT_BXOR) MAPPED(T, EYOT_REPLACE) MAPPED(T, EYOT_NOOP)
static int by_mapped(eyot_gptr_t at, eyot_type_t type, eyot_op_t op, const void *x, void *old) {
  MAPPEDS(EYOT_INT32)
  MAPPEDS(EYOT_UINT32)
  MAPPEDS(EYOT_INT64)
  MAPPEDS(EYOT_UINT64)
  return eyot_fetch_op(at, type, op, x, old);
}

/* -- one pair on one unit ---------------------------------------------------------------------- */

enum function {
  FETCH,
  FETCH_MAPPED,
  FETCH_SET,
  ACCUMULATE,
  ACCUMULATE_CONSTANT,
  ACCUMULATE_NBI,
  ACCUMULATE_NBI_CONSTANT,
  ACCUMULATE_SET,
  ARRAY,
  GET_ARRAY,
  FUNCTIONS
};

static int call(enum function f, const struct pair *p, eyot_gptr_t at, const char *x, char *old,
                uint64_t n) {
  switch (f) {
    case FETCH:
      return eyot_fetch_op(at, p->type, p->op, x, old);
    case FETCH_MAPPED:
      return by_mapped(at, p->type, p->op, x, old);
    case FETCH_SET:
      return eyot_set_fetch_op(set, at, p->type, p->op, x, old);
    case ACCUMULATE:
      return eyot_accumulate(at, p->type, p->op, x);
    case ACCUMULATE_CONSTANT:
      return by_constants(at, p->type, p->op, x, false);
    case ACCUMULATE_NBI:
      return eyot_accumulate_nbi(at, p->type, p->op, x);
    case ACCUMULATE_NBI_CONSTANT:
      return by_constants(at, p->type, p->op, x, true);
    case ACCUMULATE_SET:
      return eyot_set_accumulate(set, at, p->type, p->op, x);
    case ARRAY:
      return eyot_accumulate_array(at, p->type, p->op, x, n);
    case GET_ARRAY:
    case FUNCTIONS:
      break;
  }
  return eyot_get_accumulate_array(at, p->type, p->op, x, old, n);
}

static void fail(const struct pair *p, enum function f, eyot_unit_t target, const char *what) {
  fprintf(stderr, "unit %u at %u: type %d, operator %d, function %d: %s\n", eyot_me().id, target.id,
          (int)p->type, (int)p->op, (int)f, what);
  eyot_abort(1, "an atomic does not agree with its model");
}

/* apart: old values do not replace the operands, and both are aligned. */
static void test(const struct pair *p, enum function f, eyot_gptr_t at, eyot_unit_t target,
                 uint64_t n, bool apart) {
  _Alignas(8) char word[ROW], operands[ROW + 1], olds[ROW + 1], got[ROW], before[ROW];
  char *x = operands + !apart, *old = apart ? olds : x;
  bool fetches = f <= FETCH_SET || f == GET_ARRAY, nbi = f >= ACCUMULATE_NBI && f < ARRAY;
  draw_elements(p, n, word);
  memset(operands, FILL, sizeof operands);
  memset(olds, FILL, sizeof olds);
  draw_elements(p, n, x);
  memcpy(got, x, n * p->width);
  memcpy(before, word, n * p->width);
  OK(eyot_put(at, word, n * p->width));
  bool alone = p->op == EYOT_NOOP && (n + target.id) % 2 == 0; /* an operand may be missing */
  int rc = call(f, p, at, alone ? NULL : x, old, n);
  OK(eyot_flush(target, EYOT_REMOTE));
  int want = nbi && !has_nbi(p) ? EYOT_ENOTSUP : EYOT_OK;
  if (rc != want) {
    fprintf(stderr, "returns %s, expected %s\n", eyot_strerror(rc), eyot_strerror(want));
    fail(p, f, target, "code");
  }
  if (rc == EYOT_OK) apply(p, word, got, n);
  OK(eyot_get(got, at, n * p->width));
  if (memcmp(got, word, n * p->width) != 0) fail(p, f, target, "the words are others");
  if (fetches && memcmp(old, before, n * p->width) != 0) fail(p, f, target, "old values");
  uint64_t written = fetches || !apart ? n * p->width : 0;
  if (!untouched(old + written, ROW - written)) fail(p, f, target, "writes too much");
}

/* Compare-and-swap is bitwise: NaN equals itself, zeros of two signs differ. */
static void test_swap(const struct pair *p, eyot_gptr_t at, eyot_unit_t target, bool by_set) {
  char word[8], desired[8], old[8], got[8];
  for (int hit = 0; hit < 2; hit++) {
    draw_elements(p, 1, word);
    draw_elements(p, 1, desired);
    OK(eyot_put(at, word, p->width));
    char expected[8];
    memcpy(expected, word, p->width);
    if (!hit) expected[p->width - 1] ^= (char)0x80; /* another sign */
    OK(by_set ? eyot_set_compare_swap(set, at, p->type, expected, desired, old)
              : eyot_compare_swap(at, p->type, expected, desired, old));
    OK(eyot_flush(target, EYOT_REMOTE));
    OK(eyot_get(got, at, p->width));
    CHECK(memcmp(old, word, p->width) == 0);
    CHECK(memcmp(got, hit ? desired : word, p->width) == 0);
  }
}

/* -- what is run ------------------------------------------------------------------------------- */

static void refused(eyot_gptr_t at) {
  static const char x[64], zeros[64];
  char old[64];
  uint64_t kept = 0x0123456789abcdef, got;
  OK(eyot_put(at, &kept, sizeof kept));
  memset(old, FILL, sizeof old);
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_LONG_DOUBLE_COMPLEX + 1; type++)
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_SUM_EXACT + 1; op++) {
      struct pair p = {type, op, 0, NULL};
      if (type <= EYOT_DOUBLE && op <= EYOT_NOOP && find(type, op, &p)) continue;
      for (enum function f = FETCH; f < FUNCTIONS; f++) {
        if (f == FETCH_MAPPED || f == ACCUMULATE_CONSTANT || f == ACCUMULATE_NBI_CONSTANT) continue;
        if (call(f, &p, at, x, old, 1) != EYOT_EINVAL) fail(&p, f, eyot_me(), "is not refused");
      }
      if (type > EYOT_DOUBLE)
        CHECK(eyot_compare_swap(at, type, x, zeros, old) == EYOT_EINVAL &&
              eyot_set_compare_swap(set, at, type, x, zeros, old) == EYOT_EINVAL);
    }
  OK(eyot_flush_all(EYOT_REMOTE));
  OK(eyot_get(&got, at, sizeof got));
  CHECK(got == kept && untouched(old, sizeof old));
}

static void on_unit(eyot_gptr_t at, eyot_unit_t target) {
  static const uint64_t LENGTHS[] = {1, 2, 7, 8, 9, WORDS};
  for (eyot_type_t type = EYOT_INT32; type <= EYOT_DOUBLE; type++)
    for (eyot_op_t op = EYOT_SUM; op <= EYOT_NOOP; op++) {
      struct pair p;
      if (!find(type, op, &p)) continue;
      for (enum function f = FETCH; f < ARRAY; f++)
        for (int times = 0; times < 3; times++) test(&p, f, at, target, 1, times < 2);
      for (enum function f = ARRAY; f < FUNCTIONS; f++)
        for (size_t k = 0; k < sizeof LENGTHS / sizeof LENGTHS[0]; k++)
          test(&p, f, at, target, LENGTHS[k], k % 2 == 0);
      test_swap(&p, at, target, false);
      test_swap(&p, at, target, true);
    }
}

int main(int argc, char **argv) {
  OK(eyot_init(&argc, &argv));
  uint32_t me = eyot_me().id, n = eyot_size();
  eyot_gptr_t base;
  OK(eyot_set_create(&set));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, (uint64_t)n * ROW, &base));
  eyot_gptr_t mine = eyot_gptr_add(base, (int64_t)me * ROW);
  for (uint32_t d = 0; d < n; d++) {
    eyot_unit_t target = {(me + d) % n};
    on_unit(eyot_gptr_at(mine, target), target);
  }
  refused(eyot_gptr_at(mine, eyot_me()));
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(base));
  OK(eyot_set_destroy(&set));
  return finish();
}
