/* SPDX-License-Identifier: BSD-3-Clause */
/* cpi.c - pi by the midpoint rule on 4 / (1 + x^2), the smallest whole UPC program: a cyclic loop,
 * one shared element a thread, and a reduction. Fails unless the result is as near to pi as the
 * rule promises. */
#include <eyot/upc.h>
#include <math.h>

#include "../common/args.h"

enum { INTERVAL_NS = 2 }; /* declared cost of an interval on the modeled machine */
static const double PI = 3.14159265358979323846;

UPC_SHARED_ARRAY(double, parts, 1); /* a sum of each thread */
UPC_SHARED_ARRAY(double, pi, 1);    /* the result, element 0 */

static double my_part(int64_t intervals) {
  double h = 1.0 / (double)intervals, sum = 0;
  int64_t i, n = 0;
  upc_forall_cyclic(i, intervals) {
    double x = h * ((double)i + 0.5);
    sum += 4.0 / (1.0 + x * x);
    n++;
  }
  if (eyot_compute((uint64_t)n * INTERVAL_NS) != EYOT_OK) upc_global_exit(1);
  return h * sum;
}

int main(int argc, char **argv) {
  uint64_t intervals;
  const struct args_option table[] = {
      {"intervals", "N", ARGS_FIELD(&intervals), 1, UINT64_C(1) << 40, 1000000,
       .help = "intervals of the rule"},
  };
  upc_init();
  int leave = args_parse("cpi", table, ARGS_COUNT(table), argc, argv);
  if (leave != ARGS_RUN) {
    upc_finalize();
    return leave;
  }
  upc_tick_t begin = upc_ticks_now();
  upc_relaxed_put(double, upc_add(upc_shared_array(parts), MYTHREAD, sizeof(double), 1),
                  my_part((int64_t)intervals));
  upc_all_reduceD(upc_shared_array(pi), upc_shared_array(parts), UPC_ADD, (size_t)THREADS, 1, NULL,
                  UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  uint64_t ns = upc_ticks_to_ns(upc_ticks_now() - begin);
  double result = upc_relaxed_get(double, upc_shared_array(pi)), n = (double)intervals;
  /* The rule's error is 1 / (12 n^2) here; the rest is for rounding. */
  bool right = fabs(result - PI) < 0.09 / (n * n) + 1e-11;
  if (MYTHREAD == 0)
    printf("cpi: %s: pi is about %.15f, off by %.2e, with %.0f intervals on %d threads, %.6f ms\n",
           right ? "verified" : "WRONG", result, fabs(result - PI), n, THREADS, (double)ns / 1e6);
  upc_finalize();
  return right ? 0 : 1;
}
