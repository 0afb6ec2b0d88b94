/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c - implements module.h. */
#include "init/module.h"

#include <dlfcn.h>
#include <eyot/init.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/shared_object.h"

static int file_name(const char *name, char *file, size_t size) {
  int n = snprintf(file, size, "eyot-fabric-%s.so", name);
  if (n < 0 || (size_t)n >= size)
    return EYOTI_FAIL(EYOT_EFABRIC, "the path of the %s fabric module is too long", name);
  return EYOT_OK;
}

bool eyoti_module_exists(const char *name) {
  char file[NAME_MAX], path[PATH_MAX];
  return file_name(name, file, sizeof file) == 0 &&
         eyoti_shared_object_path(file, path, sizeof path) == 0 && access(path, R_OK) == 0;
}

int eyoti_module_load(const char *name, void **handle, const struct fab_module **module) {
  char file[NAME_MAX], what[NAME_MAX];
  EYOTI_TRY(file_name(name, file, sizeof file));
  snprintf(what, sizeof what, "the %s fabric", name);
  void *h;
  EYOTI_TRY(eyoti_shared_object_load(file, what, strcmp(name, "sim") == 0, &h));
  const struct fab_module *m = dlsym(h, FAB_MODULE_SYMBOL);
  if (m == NULL || m->abi != FAB_ABI) {
    char found[64] = "no such symbol", path[PATH_MAX];
    if (m != NULL) snprintf(found, sizeof found, "ABI %u", m->abi);
    dlclose(h);
    EYOTI_TRY(eyoti_shared_object_path(file, path, sizeof path));
    return EYOTI_FAIL(EYOT_EFABRIC,
                      "%s is not a fabric module of this libeyot, version %s: it needs %s with ABI "
                      "%u, and the file has %s; install libeyot and its modules together",
                      path, eyot_version(), FAB_MODULE_SYMBOL, FAB_ABI, found);
  }
  *handle = h;
  *module = m;
  return EYOT_OK;
}
