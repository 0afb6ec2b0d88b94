/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h - the parts that benchmarks of eyot share: the clock, and an exit on failure. */
#ifndef BENCH_H
#define BENCH_H

#include <eyot/eyot.h>

#include "clock.h"

static inline void must(int code, const char *what) {
  if (code != EYOT_OK) eyot_abort(1, what);
}
#endif
