/* SPDX-License-Identifier: BSD-3-Clause */
/* slack.h - memory for the state of one unit in pages that the unit uses anyway. For the layers,
 * and for sim and gmem, which give it.
 *
 * Why it exists: of a million simulated units each has a page of stack and a page of heap of its
 * own, of which a part stays unused, and some twenty blocks of malloc beside them (docs/adr/0110).
 * Elsewhere a unit has no slack, and its state comes from calloc. One thread of a unit uses it. */
#ifndef EYOT_RT_SLACK_H
#define EYOT_RT_SLACK_H

#include <stddef.h>
#include <stdint.h>

#define EYOTI_SLACKS 2u /* the places: above the stack, and in the heap */
#define EYOTI_SLACK_ALIGN 8u
/* Simulated units above which there is slack; of fewer, pages are not short. */
#define EYOTI_SLACK_UNITS 4096u

/* A function that is not inlined, so that what it needs of the stack is needed while it runs, and
 * not while its caller waits: below the slack above the stack there is room for what waits. */
#define EYOTI_APART __attribute__((noinline))

struct eyoti_slack {
  char *memory;         /* NULL: none */
  uint16_t used, bytes; /* of it, from its beginning on */
  uint16_t last;        /* where the last block begins */
};

/* Adds zeroed memory, aligned to EYOTI_SLACK_ALIGN, that stays until nothing of the unit is used
 * any more. Each place gives once, the one above the stack first. */
static inline void eyoti_slack_give(struct eyoti_slack slack[EYOTI_SLACKS], char *memory,
                                    uint16_t bytes) {
  if (slack->memory != NULL) slack++;
  *slack = (struct eyoti_slack){.memory = memory, .bytes = bytes};
}
/* Zeroed memory of the caller's unit, as calloc: from its slack if that has enough left. NULL: no
 * memory. */
void *eyoti_slack_new(size_t bytes);
/* Releases it, as free. Of slack only the last block is given out again: it is for what stays as
 * long as the unit. */
void eyoti_slack_free(void *memory);
#endif
