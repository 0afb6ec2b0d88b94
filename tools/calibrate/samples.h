/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - what eyot-calibrate-probe has measured at one place: a median and quartiles for each
 * kind. */
#ifndef EYOT_CALIBRATE_SAMPLES_H
#define EYOT_CALIBRATE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLES_KINDS = 64, SAMPLES_NAME = 32 };
/* Of each unit's copy in the kind both_put: more than a cache, so that memory is in it. */
enum { SAMPLES_BOTH_BYTES = 1 << 22 };

/* The table of part_get: of the size of a third cache, which holds a part of it. */
enum { SAMPLES_PART_BYTES = 1 << 24 };

/* So long unit 1 computes in the kind away_get. */
#define SAMPLES_AWAY_NS 5e4

struct samples_kind {
  char name[SAMPLES_NAME];
  uint32_t n, cap;
  double *v;
};

struct samples {
  uint32_t n;
  struct samples_kind kind[SAMPLES_KINDS];
};

struct spread {
  double median, low, high; /* low, high: the quartiles */
  uint32_t n;
};

/* Reads the line of a sample; false: it is another line, or there is no memory for it. */
bool samples_line(struct samples *s, const char *line);
/* The spread of a kind; false: it was not measured. */
bool samples_spread(const struct samples *s, const char *name, struct spread *out);
void samples_free(struct samples *s);
#endif
