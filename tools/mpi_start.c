/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_start.c - finds the launcher of an MPI, and prepares its arguments and environment
 * (mpi_start.h). */
#include "mpi_start.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf.h"
#include "link_message.h"
#include "tool.h"

/* Each launcher's path as found by the build, and its usual names. */
static const char *const LAUNCHERS[][3] = {
#ifdef EYOT_BUILT_MPIEXEC
    [EYOTI_MPI_MPICH] = {EYOT_BUILT_MPIEXEC, "mpiexec.mpich", "mpiexec"},
#else
    [EYOTI_MPI_MPICH] = {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"},
#endif
#ifdef EYOT_BUILT_OPENMPIEXEC
    [EYOTI_MPI_OPENMPI] = {EYOT_BUILT_OPENMPIEXEC, "mpiexec.openmpi", "mpiexec"},
#else
    [EYOTI_MPI_OPENMPI] = {"mpiexec.openmpi", "orterun", "mpiexec"},
#endif
};

/* The MPI that a launcher belongs to. Open MPI's launchers are links to one program, orterun
 * (prterun from version 5 on), whatever their names. False: unknown. */
static bool mpi_of(const char *path, enum eyoti_mpi *mpi) {
  char real[PATH_MAX];
  if (realpath(path, real) == NULL) return false;
  const char *slash = strrchr(real, '/'), *name = slash != NULL ? slash + 1 : real;
  if (strstr(name, "openmpi") != NULL || strstr(name, "orterun") != NULL ||
      strstr(name, "prterun") != NULL) {
    *mpi = EYOTI_MPI_OPENMPI;
    return true;
  }
  if (strstr(name, "mpich") == NULL && strstr(name, "hydra") == NULL) return false;
  *mpi = EYOTI_MPI_MPICH;
  return true;
}

int mpi_start_find(struct mpi_start *s, char *path, size_t size) {
  const char *launcher = eyoti_conf_foreign_env("EYOT_MPIEXEC");
  bool given, named = launcher != NULL && *launcher != '\0';
  enum eyoti_mpi mpi = eyoti_mpi_first(), other;
  EYOTI_TRY(eyoti_mpi_given(&mpi, &given));
  *s = (struct mpi_start){.mpi = mpi, .launcher = named ? launcher : "mpiexec"};
  if (named) {
    if (!tool_find(launcher, path, size)) return 1;
    if (!mpi_of(path, &other)) return 0;
    if (given && other != mpi)
      return EYOTI_FAIL(EYOT_EINVAL,
                        "EYOT_MPIEXEC is %s, a launcher of %s, but EYOT_MPI (eyotrun --mpi) asks "
                        "for %s: leave one of them out",
                        launcher, eyoti_mpi_name(other), eyoti_mpi_name(mpi));
    s->mpi = other;
    return 0;
  }
  for (size_t i = 0; i < sizeof LAUNCHERS[mpi] / sizeof *LAUNCHERS[mpi]; i++)
    if (tool_find(LAUNCHERS[mpi][i], path, size) && (!mpi_of(path, &other) || other == mpi))
      return 0;
  return 1;
}

/* Open MPI's launcher passes its own variables on to other machines; all others must be named, and
 * those of a supervised run before they are set. */
static int export_variables(bool placed, char **args, int *n) {
  static char flag[] = "-x", run[] = EYOTI_RUN_ENV, at[] = LINK_ENV;
  int words = 0;
  if (placed) {
    char *both[] = {flag, run, flag, at};
    for (; words < 4; words++) args[(*n)++] = both[words];
  }
  for (char **e = environ; e != NULL && *e != NULL && words + 2 <= MPI_START_WORDS_MAX; e++) {
    if (strncmp(*e, "EYOT_", 5) != 0 && strncmp(*e, "EYOTI_", 6) != 0 &&
        strncmp(*e, "UCX_", 4) != 0)
      continue;
    if (strncmp(*e, EYOTI_RUN_ENV, strlen(EYOTI_RUN_ENV)) == 0) continue;
    char *name = strndup(*e, strcspn(*e, "="));
    if (name == NULL) return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the arguments of mpiexec");
    args[(*n)++] = flag;
    args[(*n)++] = name;
    words += 2;
  }
  return EYOT_OK;
}

int mpi_start_prepare(const struct mpi_start *s, bool placed, char **args, int *n) {
  /* The processes need not detect it. */
  EYOTI_TRY(eyoti_conf_set(EYOTI_CONF_MPI, s->mpi == EYOTI_MPI_OPENMPI ? "openmpi" : "mpich"));
  if (s->mpi != EYOTI_MPI_OPENMPI) return EYOT_OK;
  if (geteuid() == 0) { /* in a container root is the only user */
    EYOTI_TRY(eyoti_conf_foreign_default("OMPI_ALLOW_RUN_AS_ROOT", "1"));
    EYOTI_TRY(eyoti_conf_foreign_default("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
  }
  /* On one machine, more units than processors are used in tests; MPICH starts them without an
   * option. The second is that of Open MPI 5. */
  if (!placed) {
    EYOTI_TRY(eyoti_conf_foreign_default("OMPI_MCA_rmaps_base_oversubscribe", "1"));
    EYOTI_TRY(
        eyoti_conf_foreign_default("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"));
  }
  return export_variables(placed, args, n);
}
