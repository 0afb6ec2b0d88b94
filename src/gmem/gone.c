/* SPDX-License-Identifier: BSD-3-Clause */
/* gone.c - what messages say of memory that no longer exists. */
#include "gmem/state.h"

const char *eyoti_gmem_gone(const struct eyot_rt *rt, eyot_gptr_t g, const char *unknown,
                            char text[EYOTI_GONE]) {
  struct eyoti_made was = {.kind = EYOTI_MADE_COLLECTIVE, .id = g.seg, .gen = eyoti_gptr_gen(g)};
  if (eyoti_gptr_is_private(g))
    was = (struct eyoti_made){
        .kind = EYOTI_MADE_PRIVATE, .id = eyoti_gptr_place(g), .gen = eyoti_gmem_private_gen(g)};
  else if (g.seg >= EYOTI_SEG_REGISTERED)
    was = (struct eyoti_made){.kind = EYOTI_MADE_REGISTERED,
                              .id = g.seg - EYOTI_SEG_REGISTERED,
                              .gen = eyoti_gptr_gen(g)};
  /* memory of one unit is known there only */
  if (was.kind != EYOTI_MADE_COLLECTIVE && g.unit != rt->fab->me) was.id = UINT64_MAX;
  return eyoti_made_gone(rt, &was, unknown, text);
}
