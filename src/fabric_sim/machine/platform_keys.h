/* SPDX-License-Identifier: BSD-3-Clause */
/* platform_keys.h - the figures of a machine by name: parses "key=value,..." into its description,
 * and lists them. For platform.c and eyot-info. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H
#define EYOT_FABRIC_SIM_MACHINE_PLATFORM_KEYS_H

#include <stdbool.h>

#include "fabric_sim/machine/platform.h"

/* Changes *p key by key (platform_keys.def). Errors: EINVAL (logs key, value and what is expected);
 * *p is then unspecified. */
int sim_plat_keys(const char *text, struct sim_plat *p);

/* Sets the figure of one line of a machine file; `key`, `value` and `unit` are its words. Errors:
 * EINVAL (logs file, line and what is expected). */
int sim_plat_key(const char *path, uint32_t line, const char *key, const char *value,
                 const char *unit, struct sim_plat *p);
struct eyoti_machine; /* base/machine_file.h */
/* After the last line of the file, which is `m`: checks that all figures are there, and fit each
 * other. Errors: EINVAL (logs the missing ones, or a line). None of them counts as given by the
 * user. */
int sim_plat_complete(const char *path, const struct eyoti_machine *m, struct sim_plat *p);
/* Gives the keys that follow others (TIME_AS, RATE_AS, TIME_OR) the figures that are not given. */
void sim_plat_resolve(struct sim_plat *p);

/* One figure of a machine. */
struct sim_figure {
  const char *key, *unit, *meaning;
  const char *source; /* NULL: chosen, without a publication */
  double value;
  char word[16]; /* instead of the value, where it is one; else empty */
  bool given;    /* by the user */
  bool no_limit; /* a rate of 0 */
};

/* The number of rows of platform_keys.def. sim_plat_figure: whether row i is a figure of this
 * machine, which is then *out. */
uint32_t sim_plat_rows(void);
bool sim_plat_figure(const struct sim_plat *p, uint32_t i, struct sim_figure *out);
/* Whether the user has given that key. */
bool sim_plat_has_given(const struct sim_plat *p, const char *key);
#endif
