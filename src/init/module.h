/* SPDX-License-Identifier: BSD-3-Clause */
/* module.h - finds and loads a fabric module, for init.c, which_mpi.c and the launcher.
 *
 * Why it exists: fabrics are shared objects that the core loads at start, never linked into one
 * image, because SimGrid's library exports its own MPI_*. */
#ifndef EYOT_INIT_MODULE_H
#define EYOT_INIT_MODULE_H

#include "fabric/module.h"

/* Loads eyot-fabric-NAME.so from EYOT_FABRIC_DIR, or from the folder `eyot` beside libeyot. Errors:
 * EFABRIC (logs the path and the reason). */
EYOT_API int eyoti_module_load(const char *name, void **handle, const struct fab_module **module);
/* True if that file exists; loading it may still fail. */
EYOT_API bool eyoti_module_exists(const char *name);
#endif
