/* SPDX-License-Identifier: BSD-3-Clause */
/* which_mpi.c - implements which_mpi.h: EYOT_MPI, the program's image, and the launcher's
 * environment. */
#include "init/which_mpi.h"

#include <dlfcn.h>
#include <string.h>

#include "base/check.h"
#include "base/conf.h"
#include "init/module.h"

/* the longest text of any MPI: MPICH's MPI_MAX_LIBRARY_VERSION_STRING */
#define VERSION_BYTES 8192u

static const struct {
  const char *module;
  const char *name;
  const char *version; /* the start of its MPI_Get_library_version */
} MPIS[] = {[EYOTI_MPI_MPICH] = {"mpi", "MPICH", "MPICH"},
            [EYOTI_MPI_OPENMPI] = {"openmpi", "Open MPI", "Open MPI"}};
/* MPIS[EYOTI_MPI_AUTO] is empty. */
#define MPIS_FIRST (EYOTI_MPI_AUTO + 1u)
#define MPIS_END (sizeof MPIS / sizeof *MPIS)

const char *eyoti_mpi_module(enum eyoti_mpi mpi) {
  EYOTI_ASSERT(mpi >= MPIS_FIRST && mpi < MPIS_END);
  return MPIS[mpi].module;
}

const char *eyoti_mpi_name(enum eyoti_mpi mpi) {
  EYOTI_ASSERT(mpi >= MPIS_FIRST && mpi < MPIS_END);
  return MPIS[mpi].name;
}

int eyoti_mpi_given(enum eyoti_mpi *mpi, bool *given) {
  uint64_t choice;
  EYOTI_TRY(eyoti_conf_u64(EYOTI_CONF_MPI, &choice));
  *given = choice != EYOTI_MPI_AUTO;
  if (*given) *mpi = (enum eyoti_mpi)choice;
  return EYOT_OK;
}

/* Finds the MPI that the program is linked with. Its symbols come before those of any module,
 * whichever MPI the module was built for. */
static bool in_image(enum eyoti_mpi *mpi) {
  int (*get_version)(char *, int *);
  char text[VERSION_BYTES] = "";
  int len = 0;
  void *symbol = dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
  if (symbol == NULL) return false;
  memcpy(&get_version, &symbol, sizeof get_version);
  if (get_version(text, &len) != 0) return false;
  for (uint32_t i = MPIS_FIRST; i < MPIS_END; i++) {
    if (strncmp(text, MPIS[i].version, strlen(MPIS[i].version)) != 0) continue;
    *mpi = (enum eyoti_mpi)i;
    return true;
  }
  return false;
}

enum eyoti_mpi eyoti_mpi_first(void) {
  for (uint32_t i = MPIS_FIRST; i < MPIS_END; i++)
    if (eyoti_module_exists(MPIS[i].module)) return (enum eyoti_mpi)i;
  return EYOTI_MPI_MPICH;
}

/* True if Open MPI's launcher started the process, or a batch system with PMIx, which the MPICH of
 * Debian does not support. Where eyot was not built for it, the fabric refuses that launcher with a
 * message. */
static bool by_openmpi_launcher(void) {
  if (eyoti_conf_foreign_env("PMI_SIZE") != NULL ||
      !eyoti_module_exists(MPIS[EYOTI_MPI_OPENMPI].module))
    return false;
  return eyoti_conf_foreign_env("OMPI_COMM_WORLD_SIZE") != NULL ||
         eyoti_conf_foreign_env("PMIX_NAMESPACE") != NULL;
}

int eyoti_mpi_choose(enum eyoti_mpi *mpi) {
  enum eyoti_mpi chosen = EYOTI_MPI_MPICH, linked;
  bool given;
  EYOTI_TRY(eyoti_mpi_given(&chosen, &given));
  if (in_image(&linked)) {
    if (given && linked != chosen)
      return EYOTI_FAIL(EYOT_EFABRIC,
                        "the program is linked with %s, but EYOT_MPI (eyotrun --mpi) asks for %s; "
                        "one process cannot hold both",
                        MPIS[linked].name, MPIS[chosen].name);
    chosen = linked;
  } else if (!given) {
    chosen = by_openmpi_launcher() ? EYOTI_MPI_OPENMPI : eyoti_mpi_first();
  }
  *mpi = chosen;
  return EYOT_OK;
}

/* True if `function`, MPI_Initialized or MPI_Finalized, is in the image and says yes. */
static bool image_says(const char *function) {
  int (*ask)(int *flag);
  int flag = 0;
  void *symbol = dlsym(RTLD_DEFAULT, function);
  if (symbol == NULL) return false;
  memcpy(&ask, &symbol, sizeof ask);
  return ask(&flag) == 0 && flag != 0;
}

/* MPI_COMM_WORLD is a number in MPICH and its relatives, and an object in Open MPI. */
#define MPICH_COMM_WORLD 0x44000000

void eyoti_mpi_abort(int code) {
  if (!image_says("MPI_Initialized") || image_says("MPI_Finalized")) return;
  void *symbol = dlsym(RTLD_DEFAULT, "MPI_Abort");
  void *world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  if (symbol == NULL) return;
  if (world != NULL) {
    int (*abort_openmpi)(void *comm, int code);
    memcpy(&abort_openmpi, &symbol, sizeof abort_openmpi);
    (void)abort_openmpi(world, code);
  } else {
    int (*abort_mpich)(int comm, int code);
    memcpy(&abort_mpich, &symbol, sizeof abort_mpich);
    (void)abort_mpich(MPICH_COMM_WORLD, code);
  }
}
