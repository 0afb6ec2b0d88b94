/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - STREAM's triad, a = b + alpha c, on three shared arrays with one block a thread. Each
 * pass ends with a barrier, which is timed too, as in the UPC version of HPC Challenge. The loop
 * runs on plain pointers (upc_cast) or on pointers to shared. Verified element by element. */
#include <eyot/upc.h>

#include "../common/args.h"
#include "all_alloc.h"

/* The modeled machine moves an element's 24 bytes in so many ps (8 GB/s a thread). */
enum { TRIAD_PS = 3000 };
static const double ALPHA = 1.5;

struct stream {
  uint64_t elements, passes, block; /* block: elements of a thread */
  uint32_t access;                  /* 0: plain pointers, 1: pointers to shared */
  upc_shared_t a, b, c;
};

UPC_SHARED_ARRAY(int64_t, wrong, 1); /* elements of each thread that are wrong */
UPC_SHARED_ARRAY(int64_t, total, 1);

static double b_of(int64_t i) {
  return 1.0 + (double)(i % 1009);
}
static double c_of(int64_t i) {
  return 2.0 - (double)(i % 31);
}
static upc_shared_t at(upc_shared_t p, int64_t i, const struct stream *s) {
  return upc_add(p, i, sizeof(double), s->block);
}
/* The caller's block of an array. */
static double *mine(upc_shared_t p, const struct stream *s) {
  return upc_cast(at(p, MYTHREAD * (int64_t)s->block, s));
}
static int64_t my_count(const struct stream *s) {
  return (int64_t)upc_affinitysize(s->elements * sizeof(double), s->block * sizeof(double),
                                   (size_t)MYTHREAD) /
         (int64_t)sizeof(double);
}

static void triad(const struct stream *s) {
  if (s->access == 0) {
    double *a = mine(s->a, s);
    const double *b = mine(s->b, s), *c = mine(s->c, s);
    int64_t n = my_count(s);
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + ALPHA * c[i];
  } else {
    int64_t i;
    upc_forall_blocked(i, (int64_t)s->elements, (int64_t)s->block) {
      double b = upc_relaxed_get(double, at(s->b, i, s)),
             c = upc_relaxed_get(double, at(s->c, i, s));
      upc_relaxed_put(double, at(s->a, i, s), b + ALPHA * c);
    }
  }
  if (eyot_compute((uint64_t)my_count(s) * TRIAD_PS / 1000) != EYOT_OK) upc_global_exit(1);
}

static void begin(struct stream *s) {
  s->block = (s->elements + (uint64_t)THREADS - 1) / (uint64_t)THREADS;
  upc_shared_t *arrays[] = {&s->a, &s->b, &s->c};
  for (int k = 0; k < 3; k++)
    *arrays[k] = all_alloc("stream", (size_t)THREADS, s->block * sizeof(double));
  double *a = mine(s->a, s), *b = mine(s->b, s), *c = mine(s->c, s);
  int64_t first = MYTHREAD * (int64_t)s->block, n = my_count(s);
  for (int64_t i = 0; i < n; i++) {
    a[i] = -1.0;
    b[i] = b_of(first + i);
    c[i] = c_of(first + i);
  }
  upc_barrier();
}

/* The caller's elements by plain pointers, and the next thread's first by a pointer to shared. */
static int64_t verify(const struct stream *s) {
  const double *a = mine(s->a, s);
  int64_t first = MYTHREAD * (int64_t)s->block, n = my_count(s), bad = 0;
  for (int64_t i = 0; i < n; i++) bad += a[i] != b_of(first + i) + ALPHA * c_of(first + i);
  int64_t next = (first + (int64_t)s->block) % (int64_t)s->elements;
  bad += upc_relaxed_get(double, at(s->a, next, s)) != b_of(next) + ALPHA * c_of(next);
  upc_relaxed_put(int64_t, upc_add(upc_shared_array(wrong), MYTHREAD, sizeof(int64_t), 1), bad);
  upc_all_reduceL(upc_shared_array(total), upc_shared_array(wrong), UPC_ADD, (size_t)THREADS, 1,
                  NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  return upc_relaxed_get(int64_t, upc_shared_array(total));
}

static bool run(struct stream *s) {
  uint64_t best = UINT64_MAX, sum = 0;
  begin(s);
  for (uint64_t k = 0; k < s->passes; k++) {
    upc_tick_t start = upc_ticks_now();
    triad(s);
    upc_barrier();
    uint64_t ns = upc_ticks_to_ns(upc_ticks_now() - start);
    best = ns < best ? ns : best;
    sum += ns;
  }
  int64_t bad = verify(s);
  if (MYTHREAD == 0) {
    printf("stream: %llu elements on %d threads, best %.6f ms, mean %.6f ms, %.1f MB/s\n",
           (unsigned long long)s->elements, THREADS, (double)best / 1e6,
           (double)sum / (double)s->passes / 1e6,
           best > 0 ? 24e3 * (double)s->elements / (double)best : 0.0);
    printf("stream: %s: %lld elements wrong\n", bad == 0 ? "verified" : "WRONG", (long long)bad);
  }
  upc_all_free(s->a);
  upc_all_free(s->b);
  upc_all_free(s->c);
  return bad == 0;
}

int main(int argc, char **argv) {
  struct stream s = {.access = 0};
  const struct args_option table[] = {
      {"elements", "N", ARGS_FIELD(&s.elements), 1, UINT64_C(1) << 36, 4000000,
       .help = "elements of an array over all threads; three arrays of 8 bytes an element must fit "
               "into UPC_SHARED_HEAP_SIZE times the threads"},
      {"passes", "N", ARGS_FIELD(&s.passes), 1, 1000000, 10, .help = "passes over the arrays"},
      {"access", "plain|shared", ARGS_WORD(&s.access),
       .help = "plain (default): pointers of upc_cast; shared: pointers to shared"},
  };
  upc_init();
  int leave = args_parse("stream", table, ARGS_COUNT(table), argc, argv);
  if (leave == ARGS_RUN) leave = run(&s) ? 0 : 1;
  upc_finalize();
  return leave;
}
