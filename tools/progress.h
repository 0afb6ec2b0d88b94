/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - shows how far a campaign is, on standard error: on a terminal one line that is drawn
 * again (--progress-line=off: none); elsewhere with --progress-line a line now and then. All times
 * are wall time. */
#ifndef EYOT_TOOLS_PROGRESS_H
#define EYOT_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_TEXT_BYTES 256u

struct progress {
  const char *tool;
  uint64_t began_us, shown_us, wait_us;
  uint64_t before; /* runs of earlier sessions, which say nothing of the rate */
  size_t columns;  /* that the line may have; 0: any number */
  bool terminal, on, drawn;
};

/* What there is to show. total 0: it is not known. */
struct progress_counts {
  uint64_t done, total, failed;
};

/* Microseconds of a clock that only advances. */
uint64_t progress_now_us(void);
/* What --progress-line says; without it, whether standard error is a terminal. */
bool progress_wanted(void);
/* `before`: runs that were made before. */
void progress_begin(struct progress *p, const char *tool, bool on, uint64_t before);
/* Shows the counts if it is time to. */
void progress_show(struct progress *p, const struct progress_counts *c);
/* Removes the line from the terminal, before anything else is printed. */
void progress_end(struct progress *p);
/* The line; us: since progress_begin. Of a narrow terminal the bar is shorter, or missing. */
void progress_text(const struct progress *p, const struct progress_counts *c, uint64_t us,
                   char out[PROGRESS_TEXT_BYTES]);
#endif
