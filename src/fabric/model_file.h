/* SPDX-License-Identifier: BSD-3-Clause */
/* model_file.h - the costs of messages (model.h) from the sections `model` and `thresholds` of a
 * machine file, which eyot-calibrate writes (docs/calibration.md). */
#ifndef EYOT_FABRIC_MODEL_FILE_H
#define EYOT_FABRIC_MODEL_FILE_H

#include "base/machine_file.h"
#include "fabric/model.h"

/* path: of the file, for messages. Errors: EINVAL (logged with file and line: an unknown key, a
 * wrong unit or value, a figure that is missing); then *out is as before. */
int fab_model_file(const char *path, const struct eyoti_machine *m, struct fab_model *out);
/* The same of the section `thresholds`, in which everything may be missing. */
int fab_thresholds_file(const char *path, const struct eyoti_machine *m,
                        struct fab_thresholds *out);
#endif
