/* SPDX-License-Identifier: BSD-3-Clause */
/* cpi.upc - pi by numerical integration, in UPC: each thread adds the intervals i with i mod THREADS
 * equal to its number. The argument is the number of intervals. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <upc_relaxed.h>

shared double part[THREADS];

int main(int argc, char **argv) {
  long i, n = argc > 1 ? atol(argv[1]) : 100000;
  double sum = 0, h = 1.0 / n;
  upc_forall(i = 0; i < n; i++; i) {
    double x = h * (i + 0.5);
    sum += 4.0 / (1.0 + x * x);
  }
  part[MYTHREAD] = h * sum;
  upc_barrier;
  if (MYTHREAD == 0) {
    double pi = 0;
    for (i = 0; i < THREADS; i++) pi += part[i];
    printf("pi is %.10f\n", pi);
    if (fabs(pi - acos(-1.0)) > 1e-6) upc_global_exit(1);
  }
  return 0;
}
