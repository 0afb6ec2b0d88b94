/* SPDX-License-Identifier: BSD-3-Clause */
/* ranges.c - prints lists of units. See ranges.h. */
#include "fabric_sim/report/ranges.h"

void sim_ranges_print(const uint32_t *unit, uint32_t n, uint32_t most, FILE *out) {
  uint32_t pieces = 0;
  for (uint32_t i = 0; i < n;) {
    uint32_t j = i;
    if (most != 0 && pieces++ == most) {
      fprintf(out, ",...");
      return;
    }
    while (j + 1 < n && unit[j + 1] == unit[j] + 1) j++;
    fprintf(out, "%s%u", i == 0 ? "" : ",", unit[i]);
    if (j > i) fprintf(out, "-%u", unit[j]);
    i = j + 1;
  }
}
