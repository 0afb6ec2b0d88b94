/* SPDX-License-Identifier: BSD-3-Clause */
/* edge.c - what a program calls at each edge of its code if it was compiled with eyotcc
 * --instrument=edges (the compilers' -fsanitize-coverage=trace-pc, whose name and meaning the
 * function has): eyotcheck --strategy guided looks for runs that reach new ones. */
#include "init/instrument.h"

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (eyoti_instrumented()) eyoti_check_edge(__builtin_return_address(0));
}
