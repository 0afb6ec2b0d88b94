/* SPDX-License-Identifier: BSD-3-Clause */
/* edge.c - the function that a program calls at each edge of its code if it was compiled with
 * eyotcc --instrument=edges. eyotcc links it into programs; eyotcheck --strategy guided looks for
 * runs that reach new edges. Name and meaning are those of the compilers'
 * -fsanitize-coverage=trace-pc. */
#include "init/instrument.h"

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
  if (eyoti_instrumented()) eyoti_check_edge(__builtin_return_address(0));
}
