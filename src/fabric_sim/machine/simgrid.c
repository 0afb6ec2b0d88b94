/* SPDX-License-Identifier: BSD-3-Clause */
/* simgrid.c - loads the module that calls SimGrid. See simgrid.h. */
#include "fabric_sim/machine/simgrid.h"

#include <dlfcn.h>
#include <stddef.h>

#include "base/check.h"
#include "base/shared_object.h"
#include "fabric/module.h"

#define FILE_NAME "eyot-simgrid.so"

/* NULL but in unit tests, which are linked with the module's objects. */
extern const struct sim_sg_ops eyot_simgrid_module __attribute__((weak));

int sim_sg_open(const struct sim_sg_ops **out) {
  *out = &eyot_simgrid_module;
  if (*out != NULL) return EYOT_OK;
  void *handle;
  eyoti_no_memory_aborts(); /* constructors of SimGrid's libraries allocate */
  EYOTI_TRY(eyoti_shared_object_load(FILE_NAME, "SimGrid's part of the sim fabric", true, &handle));
  const struct sim_sg_ops *found = dlsym(handle, SIM_SG_MODULE_SYMBOL);
  if (found == NULL || found->abi != FAB_ABI) {
    dlclose(handle);
    return EYOTI_FAIL(EYOT_EFABRIC,
                      "%s is not of this version of the sim fabric; install libeyot and its "
                      "modules together",
                      FILE_NAME);
  }
  *out = found;
  return EYOT_OK;
}
