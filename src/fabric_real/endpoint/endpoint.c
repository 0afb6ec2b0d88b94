/* SPDX-License-Identifier: BSD-3-Clause */
/* endpoint.c - see endpoint.h. */
#include "fabric_real/endpoint/endpoint.h"

#include <time.h>

int fmpi_mpi_failed(const char *function, const char *call, int code) {
  char text[MPI_MAX_ERROR_STRING] = "?";
  int len;
  (void)MPI_Error_string(code, text, &len);
  eyoti_log(EYOTI_LOG_ERROR, function, EYOT_ESYS, "%.60s: %s", call, text);
  return EYOT_ESYS;
}

uint64_t fmpi_clock_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
