/* SPDX-License-Identifier: BSD-3-Clause */
/* costs.h - what the choice of algorithms goes by: the model of messages, and the rules.
 *
 * Why it exists: on the simulator the model is the fabric's, which computes it from the platform.
 * Other fabrics know no figures: there the user may give a machine file (EYOT_MACHINE), and without
 * one FAB_MODEL_DEFAULT holds. Nothing is measured when a program starts. The control plane, whose
 * shape all members must share before they can compare anything, does not read the file. */
#ifndef EYOT_COLL_COSTS_H
#define EYOT_COLL_COSTS_H

#include "coll/choose.h"
#include "fabric/fabric.h"

struct eyoti_costs {
  struct fab_model model;
  struct fab_thresholds thresholds; /* of the file, for messages; without one there are none */
  struct eyoti_rules rules;         /* of EYOT_COLL, then those of the file */
  uint32_t unmet;                   /* bit k: that rule of EYOT_COLL was said to decide nothing */
};

/* Of a fabric, without what the user gives. */
const struct fab_model *eyoti_costs_of(const struct fab *f);
/* Reads what the user gives: EYOT_COLL, and EYOT_MACHINE where the fabric has no model. *out: to be
 * freed; NULL: nothing is given. Errors: EINVAL (logged with rule, or file and line), ESYS (the
 * file cannot be read), ENOMEM. */
int eyoti_costs_make(const struct fab *f, struct eyoti_costs **out);
/* Sets model and thresholds from a machine file's sections of these names, and adds the rules of
 * its section `collectives`. Errors: EINVAL (logged with file and line), ESYS, ENOMEM; then *c is
 * as before. */
EYOT_API int eyoti_costs_read(const char *path, struct eyoti_costs *c);
#endif
