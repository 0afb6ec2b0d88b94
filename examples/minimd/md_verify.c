/* SPDX-License-Identifier: BSD-3-Clause */
/* md_verify.c - the serial run: the same system as one part, whose swaps are with itself. Sums are
 * taken in another order there, so results agree up to rounding errors, which grow with the steps.
 */
#include <math.h>

#include "minimd.h"

int md_serial(uint32_t cells, uint32_t steps, struct md_energy *energy) {
  struct md_system s = {.alone = true};
  md_box_make(&s.box, 1, 0, cells);
  int code = md_system_open(&s);
  if (code == EYOT_OK) code = md_start(&s);
  if (code == EYOT_OK) energy[0] = md_energy(&s);
  for (uint32_t step = 1; step <= steps && code == EYOT_OK; step++) {
    code = md_step(&s, step);
    energy[step] = md_energy(&s);
  }
  int closed = md_system_close(&s);
  return code != EYOT_OK ? code : closed;
}

double md_energy_error(const struct md_energy *a, const struct md_energy *b, uint32_t steps) {
  double worst = 0;
  for (uint32_t i = 0; i <= steps; i++) {
    double error = fmax(fabs(a[i].potential - b[i].potential), fabs(a[i].kinetic - b[i].kinetic)) /
                   b[i].kinetic;
    worst = isfinite(error) ? fmax(worst, error) : INFINITY;
  }
  return worst;
}
