/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.c - operators of the program, and predefined ones without a collective, against values that
 * each rank computes for itself, on MPI_COMM_WORLD and on communicators whose ranks are turned
 * round and shuffled. */
#include <math.h>
#include <string.h>

#include "mpi_face/check.h"

/* x -> a*x + b on numbers of 32 bits. One after the other is associative, and does not commute. */
struct map {
  unsigned a, b;
};
enum { LONG = 600, FEW = 3 }; /* maps of an element of the long type, of 4,800 bytes */

static MPI_Comm comm;
static int rank, size;
static MPI_Datatype map_type, long_type;
static MPI_Op then, larger;

static struct map of(int r, int i) {
  return (struct map){(unsigned)(2 * r + 3 + 2 * i), (unsigned)(r * r + 5 * i + 1)};
}
static struct map compose(struct map first, struct map second) {
  return (struct map){first.a * second.a, second.a * first.b + second.b};
}
/* The maps of the ranks first..last, one after the other. */
static struct map chain(int first, int last, int i) {
  struct map m = of(first, i);
  for (int r = first + 1; r <= last; r++) m = compose(m, of(r, i));
  return m;
}

static void then_function(void *in, void *inout, int *len, MPI_Datatype *type) {
  int bytes;
  MPI_Type_size(*type, &bytes);
  CHECK(*type == map_type || *type == long_type || *type == MPI_UNSIGNED_LONG);
  struct map *a = in, *b = inout;
  for (int i = 0; i < *len * (bytes / (int)sizeof *a); i++) b[i] = compose(a[i], b[i]);
}
static void larger_function(void *in, void *inout, int *len, MPI_Datatype *type) {
  int *a = in, *b = inout;
  CHECK(*type == MPI_INT);
  for (int i = 0; i < *len; i++)
    if (a[i] > b[i]) b[i] = a[i];
}

static struct map *maps(int n, int r) {
  struct map *m = malloc((size_t)(n + 1) * sizeof *m);
  if (m == NULL) abort();
  for (int i = 0; i <= n; i++) m[i] = r < 0 ? (struct map){77, 77} : of(r, i);
  return m;
}
static void check_maps(int line, const struct map *got, int n, int first, int last, int from) {
  int bad = 0;
  for (int i = 0; i < n; i++) {
    struct map want = chain(first, last, from + i);
    bad += got[i].a != want.a || got[i].b != want.b;
  }
  if (bad > 0) fprintf(stderr, "ops.c:%d: %d of %d maps differ\n", line, bad, n);
  CHECK(bad == 0);
}
#define MAPS(got, n, last, from) check_maps(__LINE__, got, n, 0, last, from)

/* n elements of `each` maps of `type` in all functions that combine. */
static void composed(MPI_Datatype type, int each, int n) {
  int all = each * n, root = size - 1;
  struct map *mine = maps(all, rank), *got = maps(all, -1);
  MPI_Request request;
  MUST(MPI_Reduce(mine, got, n, type, then, root, comm));
  if (rank == root) MAPS(got, all, size - 1, 0);
  CHECK(rank == root || got[0].a == 77);
  MUST(MPI_Allreduce(mine, got, n, type, then, comm));
  MAPS(got, all, size - 1, 0);
  memcpy(got, mine, (size_t)all * sizeof *got);
  MUST(MPI_Allreduce(MPI_IN_PLACE, got, n, type, then, comm));
  MAPS(got, all, size - 1, 0);
  memset(got, 0, (size_t)all * sizeof *got);
  MUST(MPI_Iallreduce(mine, got, n, type, then, comm, &request));
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MAPS(got, all, size - 1, 0);
  MUST(MPI_Scan(mine, got, n, type, then, comm));
  MAPS(got, all, rank, 0);
  got[0].a = 77;
  MUST(MPI_Exscan(mine, got, n, type, then, comm));
  if (rank > 0) MAPS(got, all, rank - 1, 0);
  CHECK(rank > 0 || got[0].a == 77);
  free(mine);
  free(got);
}

/* Blocks of equal and of different lengths: rank r has r % 3 elements. */
static void scattered(MPI_Datatype type, int each) {
  int *counts = malloc((size_t)size * sizeof *counts), total = 0, at = 0;
  if (counts == NULL) abort();
  for (int r = 0; r < size; r++) {
    counts[r] = (r + 1) % 3;
    if (r < rank) at += counts[r];
    total += counts[r];
  }
  struct map *mine = maps(2 * size * each, rank), *got = maps(2 * each, -1);
  MUST(MPI_Reduce_scatter_block(mine, got, 2, type, then, comm));
  MAPS(got, 2 * each, size - 1, 2 * rank * each);
  MUST(MPI_Reduce_scatter(mine, got, counts, type, then, comm));
  MAPS(got, counts[rank] * each, size - 1, at * each);
  MUST(MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, type, then, comm));
  MAPS(mine, counts[rank] * each, size - 1, at * each);
  CHECK(total == 0 || counts[0] == 1);
  free(mine);
  free(got);
  free(counts);
}

/* An operator is freed while a collective uses it, and many datatypes come and go. */
static void freed(void) {
  MPI_Op op;
  MPI_Request request;
  int mine = rank * 7 % 5, most = -1, want = 0, commutes = -1;
  MUST(MPI_Op_create(larger_function, 1, &op));
  MUST(MPI_Op_commutative(op, &commutes));
  CHECK(commutes != 0);
  for (int r = 0; r < size; r++) want = r * 7 % 5 > want ? r * 7 % 5 : want;
  MUST(MPI_Iallreduce(&mine, &most, 1, MPI_INT, op, comm, &request));
  MUST(MPI_Op_free(&op));
  CHECK(op == MPI_OP_NULL);
  MUST(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK(most == want);
  MUST(MPI_Op_commutative(then, &commutes));
  CHECK(commutes == 0);
}
static void many_types(void) {
  MPI_Datatype kept = map_type;
  for (int i = 0; i < 1100; i++) {
    struct map mine = of(0, i), got;
    MUST(MPI_Type_contiguous(2, MPI_UNSIGNED, &map_type));
    MUST(MPI_Type_commit(&map_type));
    MUST(MPI_Allreduce(&mine, &got, 1, map_type, then, MPI_COMM_SELF));
    CHECK(got.a == mine.a && got.b == mine.b);
    MUST(MPI_Type_free(&map_type));
  }
  map_type = kept;
}

/* -- without a collective ---------------------------------------------------------------------- */

/* The predefined operator gives what it gives in a scan: also of numbers that are none and of -0,
 * where eyot/op.h says more than MPI. */
#define LIKE_SCAN(c, type, op, used, expression)                           \
  do {                                                                     \
    c mine, scanned, local;                                                \
    memset(&mine, 0, sizeof mine);                                         \
    for (int r = rank, i = 0; i <= rank; i++, r--) {                       \
      c one = expression;                                                  \
      if (r == rank)                                                       \
        memcpy(&mine, &one, sizeof one), memcpy(&local, &one, sizeof one); \
      else                                                                 \
        MUST(MPI_Reduce_local(&one, &local, 1, type, op));                 \
    }                                                                      \
    MUST(MPI_Scan(&mine, &scanned, 1, type, op, comm));                    \
    CHECK(memcmp(&scanned, &local, used) == 0);                            \
  } while (0)
#define INTEGER(c, type)                                                       \
  for (int k = 0; k < 10; k++) {                                               \
    MPI_Op op = (MPI_Op[]){MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_BAND,     \
                           MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR}[k]; \
    LIKE_SCAN(c, type, op, sizeof(c), (c)(r * 7919 % 5 * 93 - 200));           \
  }
#define SPECIAL(r) ((r) % 8 == 5 ? NAN : (r) % 3 == 1 ? -0.0 : (r) % 3 == 0 ? 0.0 : (r)-4)
#define REAL(c, type, used)                             \
  do {                                                  \
    LIKE_SCAN(c, type, MPI_SUM, used, (c)(r % 11 + 1)); \
    LIKE_SCAN(c, type, MPI_PROD, used, (c)(r % 3 + 1)); \
    LIKE_SCAN(c, type, MPI_MIN, used, (c)SPECIAL(r));   \
    LIKE_SCAN(c, type, MPI_MAX, used, (c)SPECIAL(r));   \
  } while (0)

struct int_pair {
  int value, index;
};
struct float_pair {
  float value;
  int index;
};
struct float_two {
  float re, im;
};
struct double_two {
  double re, im;
};

static void local(void) {
  INTEGER(signed char, MPI_SIGNED_CHAR)
  INTEGER(unsigned char, MPI_UNSIGNED_CHAR)
  INTEGER(short, MPI_SHORT)
  INTEGER(unsigned short, MPI_UNSIGNED_SHORT)
  INTEGER(int, MPI_INT)
  INTEGER(unsigned, MPI_UNSIGNED)
  INTEGER(long, MPI_LONG)
  INTEGER(uint64_t, MPI_UINT64_T)
  LIKE_SCAN(unsigned char, MPI_BYTE, MPI_BXOR, 1, (unsigned char)(r * 37));
  REAL(float, MPI_FLOAT, sizeof(float));
  REAL(double, MPI_DOUBLE, sizeof(double));
  REAL(long double, MPI_LONG_DOUBLE, 10);
  for (int k = 0; k < 2; k++) {
    MPI_Op op = k == 0 ? MPI_SUM : MPI_PROD, at = k == 0 ? MPI_MINLOC : MPI_MAXLOC;
    LIKE_SCAN(struct float_two, MPI_C_FLOAT_COMPLEX, op, sizeof(struct float_two),
              ((struct float_two){1, (float)(2 * (r % 2) + 2)}));
    LIKE_SCAN(struct double_two, MPI_C_DOUBLE_COMPLEX, op, sizeof(struct double_two),
              ((struct double_two){1, 2 * (r % 2) + 2}));
    LIKE_SCAN(struct int_pair, MPI_2INT, at, sizeof(struct int_pair),
              ((struct int_pair){r * 5 % 3, 100 - r}));
    LIKE_SCAN(struct float_pair, MPI_FLOAT_INT, at, sizeof(struct float_pair),
              ((struct float_pair){(float)SPECIAL(r), 100 - r}));
  }
  struct map a = of(0, 0), b = of(1, 0);
  MUST(MPI_Reduce_local(&a, &b, 1, map_type, then));
  check_maps(__LINE__, &b, 1, 0, 1, 0);
}

/* The types of C++ and Fortran, by size, and sums of complex numbers of long double, which the
 * interface adds. */
static void others(void) {
  static const struct {
    MPI_Datatype type;
    int bytes;
    const char *name;
  } all[] = {{MPI_CXX_BOOL, 1, "MPI_CXX_BOOL"},
             {MPI_CXX_FLOAT_COMPLEX, 8, "MPI_CXX_FLOAT_COMPLEX"},
             {MPI_CXX_DOUBLE_COMPLEX, 16, "MPI_CXX_DOUBLE_COMPLEX"},
             {MPI_INTEGER, sizeof(int), "MPI_INTEGER"},
             {MPI_LOGICAL, sizeof(int), "MPI_LOGICAL"},
             {MPI_CHARACTER, 1, "MPI_CHARACTER"},
             {MPI_REAL, 4, "MPI_REAL"},
             {MPI_DOUBLE_PRECISION, 8, "MPI_DOUBLE_PRECISION"},
             {MPI_COMPLEX, 8, "MPI_COMPLEX"},
             {MPI_DOUBLE_COMPLEX, 16, "MPI_DOUBLE_COMPLEX"},
             {MPI_INTEGER1, 1, "MPI_INTEGER1"},
             {MPI_INTEGER2, 2, "MPI_INTEGER2"},
             {MPI_INTEGER4, 4, "MPI_INTEGER4"},
             {MPI_INTEGER8, 8, "MPI_INTEGER8"},
             {MPI_REAL4, 4, "MPI_REAL4"},
             {MPI_REAL8, 8, "MPI_REAL8"},
             {MPI_COMPLEX8, 8, "MPI_COMPLEX8"},
             {MPI_COMPLEX16, 16, "MPI_COMPLEX16"},
             {MPI_2INTEGER, 2 * sizeof(int), "MPI_2INTEGER"},
             {MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), "MPI_C_LONG_DOUBLE_COMPLEX"},
             {MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), "MPI_CXX_LONG_DOUBLE_COMPLEX"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char name[MPI_MAX_OBJECT_NAME];
    int bytes, length;
    MUST(MPI_Type_size(all[i].type, &bytes));
    MUST(MPI_Type_get_name(all[i].type, name, &length));
    CHECK(bytes == all[i].bytes && strcmp(name, all[i].name) == 0);
  }
  long double mine[4] = {rank, 2, 0, 1}, got[4], local[4] = {1, 1, 2, -3};
  MUST(MPI_Allreduce(mine, got, 2, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, comm));
  CHECK(got[0] == size * (size - 1) / 2 && got[1] == 2 * size && got[2] == 0 && got[3] == size);
  MUST(MPI_Scan(mine + 2, got, 1, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_PROD, comm)); /* i^(rank+1) */
  static const int real[] = {1, 0, -1, 0};
  CHECK(got[0] == real[(rank + 1) % 4] && got[1] == real[rank % 4]);
  long double two[4] = {2, 5, 1, 1};
  MUST(MPI_Reduce_local(local, two, 2, MPI_C_LONG_DOUBLE_COMPLEX, MPI_PROD));
  CHECK(two[0] == -3 && two[1] == 7 && two[2] == 5 && two[3] == -1);
  int truth = rank > 0, any = -1;
  MUST(MPI_Allreduce(&truth, &any, 1, MPI_LOGICAL, MPI_LOR, comm));
  CHECK(any == (size > 1));
}

/* -- pairs ------------------------------------------------------------------------------------- */

/* MPI_MINLOC and MPI_MAXLOC of two pairs of each rank. */
#define PAIRS(c, type, data)                                                                     \
  do {                                                                                           \
    struct {                                                                                     \
      c value;                                                                                   \
      int index;                                                                                 \
    } mine[2], got[2], one;                                                                      \
    int bytes = -1;                                                                              \
    MPI_Aint low = -1, extent = -1;                                                              \
    MUST(MPI_Type_size(type, &bytes));                                                           \
    MUST(MPI_Type_get_extent(type, &low, &extent));                                              \
    CHECK(bytes == (data) && low == 0 && extent == (MPI_Aint)sizeof one);                        \
    for (int k = 0; k < 2; k++) {                                                                \
      MPI_Op op = k == 0 ? MPI_MINLOC : MPI_MAXLOC;                                              \
      int best[2] = {0, 0};                                                                      \
      for (int i = 0; i < 2; i++) {                                                              \
        mine[i].value = (c)((rank + i) * 5 % 7 - 3);                                             \
        mine[i].index = 1000 - rank;                                                             \
        for (int r = 1; r < size; r++) {                                                         \
          int a = (r + i) * 5 % 7, b = (best[i] + i) * 5 % 7;                                    \
          if ((k == 0 ? a < b : a > b) || a == b) best[i] = r;                                   \
        }                                                                                        \
      }                                                                                          \
      MUST(MPI_Allreduce(mine, got, 2, type, op, comm));                                         \
      for (int i = 0; i < 2; i++)                                                                \
        CHECK(got[i].value == (c)((best[i] + i) * 5 % 7 - 3) && got[i].index == 1000 - best[i]); \
      one = mine[0];                                                                             \
      MUST(MPI_Reduce_local(&mine[1], &one, 1, type, op));                                       \
      CHECK(one.value ==                                                                         \
            ((k == 0) == (mine[0].value < mine[1].value) ? mine[0].value : mine[1].value));      \
    }                                                                                            \
  } while (0)

static void pairs(void) {
  PAIRS(double, MPI_DOUBLE_INT, 12);
  PAIRS(long, MPI_LONG_INT, 12);
  PAIRS(short, MPI_SHORT_INT, 6);
  PAIRS(long double, MPI_LONG_DOUBLE_INT, 20);
  PAIRS(float, MPI_FLOAT_INT, 8);
  struct {
    double value;
    int index;
  } mine = {rank == size / 2 ? (double)NAN : rank, rank}, got;
  MUST(MPI_Allreduce(&mine, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm)); /* it is not lost */
  CHECK(isnan(got.value) && got.index == size / 2);
}

/* What lies between and after the value and the index of a pair is not sent, nor written. */
#define KEPT(c, type, data)                                                                        \
  do {                                                                                             \
    struct {                                                                                       \
      c value;                                                                                     \
      int index;                                                                                   \
    } mine[3], got[3], want[3];                                                                    \
    MPI_Status status;                                                                             \
    int bytes = -1;                                                                                \
    memset(mine, 0x5a, sizeof mine);                                                               \
    memset(got, 0x77, sizeof got);                                                                 \
    memset(want, 0x77, sizeof want);                                                               \
    for (int i = 0; i < 3; i++) {                                                                  \
      mine[i].value = (c)(rank + i);                                                               \
      mine[i].index = want[i].index = i;                                                           \
      want[i].value = (c)((rank + size - 1) % size + i);                                           \
    }                                                                                              \
    MUST(MPI_Sendrecv(mine, 3, type, (rank + 1) % size, 4, got, 3, type, (rank + size - 1) % size, \
                      4, comm, &status));                                                          \
    MUST(MPI_Get_count(&status, MPI_BYTE, &bytes));                                                \
    CHECK(bytes == 3 * (data) && same_but_value(got, want, sizeof got[0], sizeof(c)));             \
    for (int i = 0; i < 3; i++) CHECK(got[i].value == want[i].value);                              \
    memset(got, 0x77, sizeof got);                                                                 \
    MUST(MPI_Allreduce(mine, got, 3, type, MPI_MINLOC, comm));                                     \
    CHECK(same_but_value(got, want, sizeof got[0], sizeof(c)));                                    \
    for (int i = 0; i < 3; i++) CHECK(got[i].value == (c)i);                                       \
  } while (0)

/* Three elements, in all bytes after the value, which may have some that are not data itself. */
static int same_but_value(const void *a, const void *b, size_t each, size_t value) {
  int same = 1;
  for (size_t i = 0; i < 3; i++)
    same = same && memcmp((const char *)a + i * each + value, (const char *)b + i * each + value,
                          each - value) == 0;
  return same;
}

static void gaps_of_pairs(void) {
  KEPT(double, MPI_DOUBLE_INT, 12);
  KEPT(long, MPI_LONG_INT, 12);
  KEPT(short, MPI_SHORT_INT, 6);
  KEPT(long double, MPI_LONG_DOUBLE_INT, 20);
}

static void all_on(MPI_Comm on) {
  comm = on;
  MUST(MPI_Comm_rank(comm, &rank));
  MUST(MPI_Comm_size(comm, &size));
  composed(map_type, 1, FEW);
  composed(MPI_UNSIGNED_LONG, 1, 1100); /* any datatype, more than fits into a piece */
  composed(long_type, LONG, 2);
  scattered(map_type, 1);
  scattered(long_type, LONG);
  freed();
  local();
  pairs();
  others();
  gaps_of_pairs();
}

int main(void) {
  static const int keys[] = {3, 1, 4, 1, 5, 9, 2, 6};
  MPI_Comm turned, shuffled;
  begin();
  MUST(MPI_Type_contiguous(2, MPI_UNSIGNED, &map_type));
  MUST(MPI_Type_contiguous(LONG, map_type, &long_type));
  MUST(MPI_Type_commit(&map_type));
  MUST(MPI_Type_commit(&long_type));
  MUST(MPI_Op_create(then_function, 0, &then));
  MUST(MPI_Op_create(larger_function, 1, &larger));
  all_on(MPI_COMM_WORLD);
  MUST(MPI_Comm_split(MPI_COMM_WORLD, 3, -me, &turned));
  all_on(turned);
  MUST(MPI_Comm_split(turned, 1, keys[me % 8], &shuffled));
  all_on(shuffled);
  if (me == 0) many_types();
  MUST(MPI_Comm_free(&shuffled));
  MUST(MPI_Comm_free(&turned));
  MUST(MPI_Op_free(&then)); /* the other one ends with MPI */
  return finish();
}
