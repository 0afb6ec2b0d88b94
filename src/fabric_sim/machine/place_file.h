/* SPDX-License-Identifier: BSD-3-Clause */
/* place_file.h - the file of --placement, which names the node of each unit. For place.c. */
#ifndef EYOT_FABRIC_SIM_MACHINE_PLACE_FILE_H
#define EYOT_FABRIC_SIM_MACHINE_PLACE_FILE_H

#include <stdint.h>

struct sim_place_file {
  const char *path;  /* the caller's */
  uint32_t *node_of; /* [n_units] */
  uint32_t *line_of; /* [n_units] where it is said */
};

/* Reads lines "UNIT NODE" or "FIRST-LAST NODE"; '#' begins a comment. Each unit is placed once.
 * Errors: ESYS (cannot be read), EINVAL (logs the line and what is expected), ENOMEM. *out can be
 * freed in any case. */
int sim_place_file(const char *path, uint32_t n_units, struct sim_place_file *out);
void sim_place_file_free(struct sim_place_file *f);
#endif
