/* SPDX-License-Identifier: BSD-3-Clause */
/* arithmetic.c - pointer arithmetic and loops whose instructions tests/upc/arithmetic.sh counts; it
 * is compiled, not run. Each loop_... has a plain_... that does the same on plain pointers. */
#include <eyot/upc.h>

void add_cyclic(upc_shared_t *p);
void add_block(upc_shared_t *p);
void add_indefinite(upc_shared_t *p);
uint64_t random_get(const upc_shared_t *a, const int64_t *at, int n);
double loop_cyclic(upc_shared_t a, int64_t n);
double loop_blocked(upc_shared_t a, int64_t n);
double plain_cyclic(const double *a, int64_t n);
double plain_blocked(const double *a, int64_t n);

enum { BLOCK = 64 };

void add_cyclic(upc_shared_t *p) {
  *p = upc_add(*p, 1, sizeof(double), 1);
}
void add_block(upc_shared_t *p) {
  *p = upc_add(*p, 1, sizeof(double), BLOCK);
}
void add_indefinite(upc_shared_t *p) {
  *p = upc_add(*p, 1, sizeof(double), 0);
}

/* Accesses at random, whose cache misses overlap only if no pointer is stored in halves. */
uint64_t random_get(const upc_shared_t *a, const int64_t *at, int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n; i++)
    sum += upc_relaxed_get(uint64_t, upc_add(*a, at[i], sizeof(uint64_t), 1));
  return sum;
}

/* upc_forall(i = 0; i < n; i++; &a[i]) sum += a[i]; a cyclic array's own elements follow each other
 * in the caller's part. */
double loop_cyclic(upc_shared_t a, int64_t n) {
  const double *mine = upc_cast(upc_add(a, MYTHREAD, sizeof(double), 1));
  double sum = 0;
  int64_t i;
  upc_forall_cyclic(i, n) sum += *mine++;
  return sum;
}
double plain_cyclic(const double *a, int64_t n) {
  double sum = 0;
  for (int64_t i = MYTHREAD; i < n; i += THREADS) sum += *a++;
  return sum;
}

/* The same in blocks. */
double loop_blocked(upc_shared_t a, int64_t n) {
  const double *mine = upc_cast(upc_add(a, MYTHREAD * (int64_t)BLOCK, sizeof(double), BLOCK));
  double sum = 0;
  int64_t i;
  upc_forall_blocked(i, n, BLOCK) sum += *mine++;
  return sum;
}
double plain_blocked(const double *a, int64_t n) {
  double sum = 0;
  for (int64_t first = (int64_t)MYTHREAD * BLOCK; first < n; first += (int64_t)THREADS * BLOCK) {
    int64_t end = first + BLOCK < n ? first + BLOCK : n;
    for (int64_t i = first; i < end; i++) sum += *a++;
  }
  return sum;
}
