/* SPDX-License-Identifier: BSD-3-Clause */
/* past.c - implements past.h. */
#include "check/strategy/past.h"

void chk_past_before_write(struct chk_past *p, bool held) {
  p->since = !held;
  p->ever |= held;
  p->ended |= p->held && !held;
  p->held = held;
}

void chk_past_now(struct chk_past *p, bool holds) {
  p->ever |= holds;
  p->ended |= p->held && !holds;
}

bool chk_past_needs(const struct chk_past *p, uint32_t could) {
  return could == 1 && p->ever && p->since;
}
