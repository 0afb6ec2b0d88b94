/* SPDX-License-Identifier: BSD-3-Clause */
/* patience.h - how long a report waits for the tool that finds its source lines (code_line.c).
 *
 * Why it exists: a broken tool must not delay a report for ever; but a loaded machine gives a tool
 * that works little of the processor, so a limit of time alone would lose lines that are there. */
#ifndef EYOT_BASE_PATIENCE_H
#define EYOT_BASE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero at first. */
struct eyoti_patience {
  uint64_t since_ns; /* the tool has not worked since */
  uint64_t worked_ns;
};

/* Whether to wait on at `now_ns` for a tool that has had `worked_ns` of processor time: until it
 * has had 5 s, or none for 5 s. */
bool eyoti_patience_lasts(struct eyoti_patience *p, uint64_t now_ns, uint64_t worked_ns);
#endif
