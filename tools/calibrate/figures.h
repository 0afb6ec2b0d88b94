/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the figures of a machine file while eyot-calibrate finds them: a value for each key
 * of the platform, and how it was found; the model and thresholds that follow from measurements. */
#ifndef EYOT_CALIBRATE_FIGURES_H
#define EYOT_CALIBRATE_FIGURES_H

#include "calibrate/samples.h"

enum place { PLACE_NODE, PLACE_NETWORK, PLACES };

struct figure {
  const char *key, *unit;
  double value;
  char from[160]; /* how it was found */
  bool measured;
  struct spread spread; /* of the value, if measured */
};

enum { FIGURES_MAX = 128 };

struct figures {
  uint32_t n;
  struct figure at[FIGURES_MAX];
};

/* What is known of the machine without measuring. */
struct machine {
  uint32_t cores, numa;
  uint32_t cache[2]; /* bytes of the second and the third cache, and how they are known */
  const char *cache_from[2];
  const char *network; /* "virtual nodes of one unit", "hosts A,B" */
};

struct samples_of {
  struct samples place[PLACES];
};

/* Every figure of a Dragonfly of one router with these cores; what is measured at once is set, what
 * is fitted is 0. Returns false, after a message, if a kind is missing. */
bool figures_begin(struct figures *f, const struct machine *machine,
                   const struct samples_of *measured);
/* The largest difference of the simulator to a measurement, as a part of what was measured. */
struct figures_off {
  double part;
  const char *text; /* what was measured */
  bool network;     /* between nodes */
};

/* Moves the fitted figures by what the simulator is off with them. Returns false, after a message,
 * if a kind is missing. */
bool figures_fit(struct figures *f, const struct samples_of *measured,
                 const struct samples_of *simulated, struct figures_off *worst);
struct figure *figures_find(struct figures *f, const char *key);

/* Writes the file. Returns false and leaves errno if that fails. */
bool figures_write(const char *path, const char *title, const struct machine *machine,
                   struct figures *f, const struct samples_of *measured);
#endif
