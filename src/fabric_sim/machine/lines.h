/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.h - tables of whole cache lines that cost memory only where they are used, for net_*.c.
 *
 * Why it exists: a machine has its full size, and a job occupies and crosses a part of it. The
 * system supplies the pages of these tables, zeroed, when they are touched. */
#ifndef EYOT_FABRIC_SIM_MACHINE_LINES_H
#define EYOT_FABRIC_SIM_MACHINE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define SIM_LINE_BYTES 64u

/* Returns n zeroed elements of `bytes` bytes (whole lines), aligned to lines; NULL: out of memory.
 * The line before them holds the length of the mapping. */
static inline void *sim_lines_new(uint64_t n, size_t bytes) {
  const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  size_t total = (size_t)n * bytes + SIM_LINE_BYTES;
  void *p = mmap(NULL, total, prot, flags, -1, 0);
  if (p == MAP_FAILED) return NULL;
  *(size_t *)p = total;
  return (char *)p + SIM_LINE_BYTES;
}

static inline void sim_lines_free(void *lines) {
  if (lines == NULL) return;
  void *p = (char *)lines - SIM_LINE_BYTES;
  (void)munmap(p, *(size_t *)p);
}
#endif
