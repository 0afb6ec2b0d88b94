/* SPDX-License-Identifier: BSD-3-Clause */
/* op_forms.c - each predefined operator with each predefined datatype that takes it, in all
 * reductions and scans (blocking, non-blocking and persistent, in place and not), against the
 * operands combined one after the other by MPI_Reduce_local; what elements have beside their data,
 * and what lies after them, stays as it was. On MPI_COMM_WORLD and with other ranks: op_forms
 * [STEP], each STEPth call. */
#include <float.h>

#include "mpi_face/check.h"

enum { MOST = 32, LONG = 700, RANKS_MAX = 8, SPACE = MOST * (LONG + 2) * RANKS_MAX };
/* Bytes of a long double that are its value. */
#define LONG_BYTES (LDBL_MANT_DIG == 64 ? 10 : sizeof(long double))
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static _Alignas(16) char in[SPACE], out[SPACE], want[SPACE], one[MOST], sum[MOST];
static MPI_Comm comm;
static int rank, size;

/* Kinds of values. */
enum kind { WHOLE, SINGLE, DOUBLE, LONG_DOUBLE, SHORT, LONG_INT };
struct row {
  MPI_Datatype type;
  enum kind kind;
  int values;  /* of the kind in an element; WHOLE: its bytes */
  int located; /* an int comes after the value, at its alignment */
  const char *ops;
};
/* s p: sum, product; n x: minimum, maximum; a o e: bits; A O E: logical; N X: with a location. */
#define C_INTEGER "spnxaoeAOE"
#define INTEGER "spnxaoe"
#define REAL "spnx"
static const struct row ROWS[] = {
    {MPI_BYTE, WHOLE, 1, 0, "aoe"},
    {MPI_C_BOOL, WHOLE, 1, 0, "AOE"},
    {MPI_CXX_BOOL, WHOLE, 1, 0, "AOE"},
    {MPI_LOGICAL, WHOLE, 4, 0, "AOE"},
    {MPI_SIGNED_CHAR, WHOLE, 1, 0, C_INTEGER},
    {MPI_UNSIGNED_CHAR, WHOLE, 1, 0, C_INTEGER},
    {MPI_SHORT, WHOLE, 2, 0, C_INTEGER},
    {MPI_UNSIGNED_SHORT, WHOLE, 2, 0, C_INTEGER},
    {MPI_INT, WHOLE, 4, 0, C_INTEGER},
    {MPI_UNSIGNED, WHOLE, 4, 0, C_INTEGER},
    {MPI_LONG, WHOLE, 8, 0, C_INTEGER},
    {MPI_UNSIGNED_LONG, WHOLE, 8, 0, C_INTEGER},
    {MPI_LONG_LONG, WHOLE, 8, 0, C_INTEGER},
    {MPI_UNSIGNED_LONG_LONG, WHOLE, 8, 0, C_INTEGER},
    {MPI_INT8_T, WHOLE, 1, 0, C_INTEGER},
    {MPI_UINT8_T, WHOLE, 1, 0, C_INTEGER},
    {MPI_INT16_T, WHOLE, 2, 0, C_INTEGER},
    {MPI_UINT16_T, WHOLE, 2, 0, C_INTEGER},
    {MPI_INT32_T, WHOLE, 4, 0, C_INTEGER},
    {MPI_UINT32_T, WHOLE, 4, 0, C_INTEGER},
    {MPI_INT64_T, WHOLE, 8, 0, C_INTEGER},
    {MPI_UINT64_T, WHOLE, 8, 0, C_INTEGER},
    {MPI_INTEGER, WHOLE, 4, 0, INTEGER},
    {MPI_INTEGER1, WHOLE, 1, 0, INTEGER},
    {MPI_INTEGER2, WHOLE, 2, 0, INTEGER},
    {MPI_INTEGER4, WHOLE, 4, 0, INTEGER},
    {MPI_INTEGER8, WHOLE, 8, 0, INTEGER},
    {MPI_AINT, WHOLE, 8, 0, INTEGER},
    {MPI_COUNT, WHOLE, 8, 0, INTEGER},
    {MPI_OFFSET, WHOLE, 8, 0, INTEGER},
    {MPI_FLOAT, SINGLE, 1, 0, REAL},
    {MPI_DOUBLE, DOUBLE, 1, 0, REAL},
    {MPI_LONG_DOUBLE, LONG_DOUBLE, 1, 0, REAL},
    {MPI_REAL, SINGLE, 1, 0, REAL},
    {MPI_REAL4, SINGLE, 1, 0, REAL},
    {MPI_REAL8, DOUBLE, 1, 0, REAL},
    {MPI_DOUBLE_PRECISION, DOUBLE, 1, 0, REAL},
    {MPI_C_FLOAT_COMPLEX, SINGLE, 2, 0, "sp"},
    {MPI_C_DOUBLE_COMPLEX, DOUBLE, 2, 0, "sp"},
    {MPI_C_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2, 0, "sp"},
    {MPI_CXX_FLOAT_COMPLEX, SINGLE, 2, 0, "sp"},
    {MPI_CXX_DOUBLE_COMPLEX, DOUBLE, 2, 0, "sp"},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2, 0, "sp"},
    {MPI_COMPLEX, SINGLE, 2, 0, "sp"},
    {MPI_COMPLEX8, SINGLE, 2, 0, "sp"},
    {MPI_COMPLEX16, DOUBLE, 2, 0, "sp"},
    {MPI_DOUBLE_COMPLEX, DOUBLE, 2, 0, "sp"},
    {MPI_2INT, WHOLE, 4, 1, "NX"},
    {MPI_2INTEGER, WHOLE, 4, 1, "NX"},
    {MPI_FLOAT_INT, SINGLE, 1, 1, "NX"},
    {MPI_DOUBLE_INT, DOUBLE, 1, 1, "NX"},
    {MPI_LONG_INT, LONG_INT, 1, 1, "NX"},
    {MPI_SHORT_INT, SHORT, 1, 1, "NX"},
    {MPI_LONG_DOUBLE_INT, LONG_DOUBLE, 1, 1, "NX"},
};

static size_t bytes_of(const struct row *r) {
  static const size_t of[] = {0, 4, 8, sizeof(long double), sizeof(short), sizeof(long)};
  return r->kind == WHOLE ? (size_t)r->values : of[r->kind];
}
static size_t extent_of(const struct row *r) {
  MPI_Aint low, extent;
  MUST(MPI_Type_get_extent(r->type, &low, &extent));
  return (size_t)extent;
}
/* Whether byte `at` of an element is data. */
static int is_data(const struct row *r, size_t at) {
  size_t each = bytes_of(r), index = each < sizeof(int) ? sizeof(int) : each;
  if (r->located && at >= index) return at < index + sizeof(int);
  if (at >= each * (size_t)(r->kind == WHOLE ? 1 : r->values)) return 0;
  return r->kind != LONG_DOUBLE || at % sizeof(long double) < LONG_BYTES;
}

/* Element i of a rank: small numbers, whose sums and products are exact; integers of all bits. */
static void element(const struct row *r, int of, int i, char *to) {
  static const int FEW[] = {1, -1, 2, 0, 1, -1, 1, 3};
  uint64_t h = (uint64_t)(of + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)(i + 1) * 0xc2b2ae3d27d4eb4fu;
  size_t each = bytes_of(r);
  h ^= h >> 31;
  memset(to, 0x33 + of, extent_of(r));
  for (int k = 0; k < (r->kind == WHOLE ? 1 : r->values); k++) {
    int few = FEW[(h >> (8 * k)) % 8];
    float f = (float)few;
    double d = few;
    long double l = few;
    short s = (short)few;
    long whole = few;
    uint64_t bits = r->located || h % 3 == 0 ? (uint64_t)(int64_t)few : h >> 5;
    const void *from[] = {&bits, &f, &d, &l, &s, &whole};
    memcpy(to + (size_t)k * each, from[r->kind], r->kind == LONG_DOUBLE ? LONG_BYTES : each);
  }
  int index = (int)(h >> 40) % 50;
  if (r->located) memcpy(to + (each < sizeof(int) ? sizeof(int) : each), &index, sizeof index);
}

/* Of the first `ranks` ranks, which are not none, on what `to` has beside data. */
static void fold(const struct row *r, MPI_Op op, int ranks, int i, char *to) {
  for (int k = 0; k < ranks; k++) {
    element(r, k, i, one);
    if (k > 0) MUST(MPI_Reduce_local(sum, one, 1, r->type, op));
    memcpy(sum, one, sizeof sum);
  }
  for (size_t at = 0, end = extent_of(r); at < end; at++)
    if (is_data(r, at)) to[at] = sum[at];
}

/* -- one call ---------------------------------------------------------------------------------- */

enum what { REDUCE, ALLREDUCE, SCAN, EXSCAN, BLOCK, SCATTER, WHATS };
struct test {
  const struct row *r;
  MPI_Op op;
  char op_name;
  enum what what;
  enum form form;
  int in_place, n, root, counts[RANKS_MAX];
  size_t extent, space; /* bytes of an element, and of what is compared */
};

#define CALL(Name, iname, ...)                                                       \
  if (t->form == BLOCKING) MUST(MPI_##Name(__VA_ARGS__));                            \
  if (t->form == NONBLOCKING) MUST(MPI_##iname(__VA_ARGS__, q));                     \
  if (t->form == PERSISTENT) MUST(MPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, q)); \
  break

static void call(struct test *t, const void *from, MPI_Request *q) {
  MPI_Datatype type = t->r->type;
  switch (t->what) {
    case REDUCE:
      CALL(Reduce, Ireduce, rank == t->root ? from : in, out, t->n, type, t->op, t->root, comm);
    case ALLREDUCE:
      CALL(Allreduce, Iallreduce, from, out, t->n, type, t->op, comm);
    case SCAN:
      CALL(Scan, Iscan, from, out, t->n, type, t->op, comm);
    case EXSCAN:
      CALL(Exscan, Iexscan, from, out, t->n, type, t->op, comm);
    case BLOCK:
      CALL(Reduce_scatter_block, Ireduce_scatter_block, from, out, t->n, type, t->op, comm);
    case SCATTER:
      CALL(Reduce_scatter, Ireduce_scatter, from, out, t->counts, type, t->op, comm);
    case WHATS:
      break;
  }
}

/* The elements that this rank gives, and gets: their number, the first one, of how many ranks. */
static int given(const struct test *t) {
  int all = 0;
  for (int k = 0; k < size; k++) all += t->counts[k];
  return t->what == BLOCK ? t->n * size : t->what == SCATTER ? all : t->n;
}
static int got(const struct test *t, int *first, int *ranks) {
  *ranks = t->what == SCAN ? rank + 1 : t->what == EXSCAN ? rank : size;
  *first = t->what == BLOCK ? t->n * rank : 0;
  for (int k = 0; k < rank && t->what == SCATTER; k++) *first += t->counts[k];
  if (t->what == REDUCE && rank != t->root) return 0;
  if (*ranks == 0) return 0;
  return t->what == SCATTER ? t->counts[rank] : t->n;
}

/* The sign of a zero in a product of complex numbers depends on the order of the factors. */
static void clear_signs(const struct test *t, char *p, int n) {
  size_t each = bytes_of(t->r);
  for (size_t at = 0; t->r->values == 2 && t->r->kind != WHOLE && at < 2 * each * (size_t)n;
       at += each) {
    double d;
    float f;
    long double l;
    memcpy(&d, p + at, t->r->kind == DOUBLE ? sizeof d : 0);
    memcpy(&f, p + at, t->r->kind == SINGLE ? sizeof f : 0);
    memcpy(&l, p + at, t->r->kind == LONG_DOUBLE ? sizeof l : 0);
    if ((t->r->kind == DOUBLE && d == 0) || (t->r->kind == SINGLE && f == 0) ||
        (t->r->kind == LONG_DOUBLE && l == 0))
      memset(p + at, 0, each);
  }
}

/* Everything in `out` is what it was, but for data of the results. In place, what a
 * reduce_scatter leaves after its result is not defined. */
static void compare(const struct test *t, const void *place) {
  int first, ranks, n = got(t, &first, &ranks);
  size_t bytes = t->in_place && t->what >= BLOCK ? (size_t)n * t->extent : t->space;
  size_t padded = t->r->kind == LONG_DOUBLE ? (size_t)given(t) * t->extent : 0;
  memcpy(want, place, t->space);
  for (int i = 0; i < n; i++) fold(t->r, t->op, ranks, first + i, want + (size_t)i * t->extent);
  clear_signs(t, want, n);
  clear_signs(t, out, n);
  for (size_t at = 0; at < bytes; at++) {
    if (out[at] == want[at] || (at < padded && !is_data(t->r, at % t->extent))) continue;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(t->r->type, name, &length);
    if (failures++ < 10)
      fprintf(stderr,
              "rank %d of %d: %s, operator %c, function %d, form %d, in place %d: byte %d\n", rank,
              size, name, t->op_name, (int)t->what, (int)t->form, t->in_place, (int)at);
    return;
  }
}

static void run(struct test *t) {
  static char before[SPACE];
  MPI_Request q = MPI_REQUEST_NULL;
  t->extent = extent_of(t->r);
  t->space = t->extent * (size_t)(t->n * size + 2);
  int in_place = t->in_place && (t->what != REDUCE || rank == t->root);
  for (int i = 0; i < size; i++) t->counts[i] = i == 0 ? 0 : t->n - t->n * i / (2 * size);
  for (int i = 0; i < given(t); i++) element(t->r, rank, i, in + (size_t)i * t->extent);
  memset(before, 0x77, t->space);
  if (in_place) memcpy(before, in, (size_t)given(t) * t->extent);
  memcpy(out, before, t->space);
  if (t->form != BLOCKING) call(t, in_place ? MPI_IN_PLACE : in, &q);
  for (int times = 0; times < (t->form == PERSISTENT ? 2 : 1); times++) {
    if (t->form != NONBLOCKING) memcpy(out, before, t->space);
    if (t->form == BLOCKING) call(t, in_place ? MPI_IN_PLACE : in, &q);
    if (t->form == PERSISTENT) MUST(MPI_Start(&q));
    if (t->form != BLOCKING) MUST(MPI_Wait(&q, MPI_STATUS_IGNORE));
    compare(t, before);
  }
  if (t->form == PERSISTENT) MUST(MPI_Request_free(&q));
}

static MPI_Op op_of(char name) {
  static const char NAMES[] = "spnxaoeAOENX";
  static const MPI_Op OPS[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_BAND,   MPI_BOR,
                               MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};
  return OPS[strchr(NAMES, name) - NAMES];
}

/* Each step-th run. */
static void run_all(MPI_Comm on, int step) {
  int number = 0;
  comm = on;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
    for (const char *op = ROWS[i].ops; *op != '\0'; op++)
      for (int k = 0; k < WHATS * FORMS * 2; k++)
        for (int large = 0; large < 2; large++) {
          if (number++ % (large ? 11 * step : step) != 0) continue;
          struct test t = {.r = &ROWS[i], .op = op_of(*op), .op_name = *op};
          t.what = (enum what)(k % WHATS);
          t.form = (enum form)(k / WHATS % FORMS);
          t.in_place = k / (WHATS * FORMS);
          t.n = large ? LONG : 1 + number % 4;
          t.root = number % size;
          run(&t);
        }
}

int main(int argc, char **argv) {
  MPI_Comm turned;
  begin();
  int step = argc > 1 ? atoi(argv[1]) : 1;
  CHECK(n_ranks <= RANKS_MAX && step > 0);
  run_all(MPI_COMM_WORLD, step);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 0, me % 2 == 0 ? me : -me, &turned));
  run_all(turned, step);
  MUST(MPI_Comm_free(&turned));
  return finish();
}
