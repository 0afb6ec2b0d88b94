/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h - finding and loading a fabric module.
 *
 * Why it exists: fabrics are shared objects that the core loads at start, never linked into one
 * image, because SimGrid's library exports its own MPI_*. */
#ifndef EYOT_INIT_MODULE_H
#define EYOT_INIT_MODULE_H

#include "fabric/fabric.h"

/* Loads eyot-fabric-NAME.so from EYOT_FABRIC_DIR, or from the folder `eyot` beside libeyot. Errors:
 * EFABRIC (says what was tried and why it failed). */
EYOT_API int eyoti_module_load(const char *name, void **handle, const struct fab_module **module);
/* Whether that file is there; says nothing of whether it can be loaded. */
EYOT_API bool eyoti_module_exists(const char *name);
#endif
