/* SPDX-License-Identifier: BSD-3-Clause */
/* vendor.c - see vendor.h: settings to be made before MPI starts, and variables that launchers
 * leave in the environment. All other code is the same for all MPIs. */
#include "fabric_real/launch/vendor.h"

#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "rt/launcher.h"

/* Open MPI's one-sided communication over UCX, on whatever network UCX finds. Left alone, version
 * 4.1 takes UCX on Mellanox hardware only (Debian's never does); elsewhere its default crashes in
 * MPI_Compare_and_swap, and osc/pt2pt does not send before a flush. The last one lets every
 * fmpi_poll serve one-sided operations, instead of one in a hundred. */
static const struct {
  const char *name, *value;
} OPENMPI_SETTINGS[] = {{"OMPI_MCA_pml", "ucx"},
                        {"OMPI_MCA_osc", "ucx,sm"},
                        {"OMPI_MCA_pml_ucx_tls", "any"},
                        {"OMPI_MCA_pml_ucx_devices", "any"},
                        {"OMPI_MCA_opal_common_ucx_tls", "any"},
                        {"OMPI_MCA_opal_common_ucx_devices", "any"},
                        {"OMPI_MCA_opal_common_ucx_progress_iterations", "1"}};

bool fmpi_is_openmpi(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int len;
  return MPI_Get_library_version(text, &len) == MPI_SUCCESS && strncmp(text, "Open MPI", 8) == 0;
}

int fmpi_vendor_before_init(void) {
  if (!fmpi_is_openmpi()) return EYOT_OK;
  for (size_t i = 0; i < sizeof OPENMPI_SETTINGS / sizeof *OPENMPI_SETTINGS; i++)
    EYOTI_TRY(eyoti_conf_foreign_default(OPENMPI_SETTINGS[i].name, OPENMPI_SETTINGS[i].value));
  return EYOT_OK;
}

/* Dynamic windows of Open MPI over UCX: in 4.1 a second range is entered into the table behind a
 * hole, the table is searched beyond its end, no range is found for an access to its last byte, and
 * each operation frees the remote key that the one before may still use. Later versions mend some
 * of it and have other defects (docs/adr/0024-attached-memory-by-messages.md). */
bool fmpi_vendor_attach_by_message(void) {
  return fmpi_is_openmpi();
}

bool fmpi_vendor_bounds_requests(void) {
  return fmpi_is_openmpi();
}

/* The variable is for tests of what is done about it, not an option of a run. */
bool fmpi_vendor_loses_requests(void) {
  return fmpi_is_openmpi() || eyoti_conf_foreign_env("EYOTI_MPI_LOSES_REQUESTS") != NULL;
}

/* MPICH searches for an address that is free on all units whenever it allocates a window, which
 * takes ten times as long as the allocation and which nothing here needs. Unknown to other MPIs,
 * which then keep their ways. */
void fmpi_vendor_skip_address_search(void) {
  int index, count;
  MPI_T_cvar_handle handle;
  const int none = 0;
  if (MPI_T_cvar_get_index("MPIR_CVAR_SHM_SYMHEAP_RETRY", &index) != MPI_SUCCESS) return;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
  (void)MPI_T_cvar_write(handle, &none);
  (void)MPI_T_cvar_handle_free(&handle);
}

/* Progress threads, ours or MPICH's, if the user asks for them, need the highest level; threads of
 * the program call one at a time, if need be by the unit's lock (rt/threads.h). */
int fmpi_vendor_thread_level(bool thread, bool serialized) {
  const char *text = eyoti_conf_foreign_env("MPIR_CVAR_ASYNC_PROGRESS");
  return thread || (text != NULL && *text != '\0' && *text != '0' && !fmpi_is_openmpi())
             ? MPI_THREAD_MULTIPLE
         : serialized ? MPI_THREAD_SERIALIZED
                      : MPI_THREAD_FUNNELED;
}

/* A program under a launcher that its MPI does not understand runs as many jobs of one unit
 * each. */
/* MPI and its own launcher may not understand each other: MPICH 4.2.0 of Ubuntu 24.04 makes n jobs
 * of n processes. */
static int check_own_launcher(const struct eyoti_launcher *own, const char *text) {
  if (strtol(text, NULL, 10) <= 1) return EYOT_OK; /* one unit on purpose */
  return EYOTI_FAIL(EYOT_EFABRIC,
                    "started by %s as one of %s processes (%s), but MPI knows of this one only: "
                    "this installation of MPI does not understand its own launcher, as the package "
                    "of MPICH in Ubuntu 24.04; install another, or name another by EYOT_MPI",
                    own->name, text, own->variable);
}

int fmpi_check_launcher(int world_size) {
  bool openmpi = fmpi_is_openmpi();
  uint32_t own = openmpi ? EYOTI_LAUNCHER_OPENMPI : EYOTI_LAUNCHER_MPICH;
  const struct eyoti_launcher *l = eyoti_launcher_at(own);
  if (world_size != 1) return EYOT_OK;
  const char *size = eyoti_conf_foreign_env(l->variable);
  if (size != NULL) return check_own_launcher(l, size);
  for (uint32_t i = 0; (l = eyoti_launcher_at(i)) != NULL; i++) {
    const char *text = eyoti_conf_foreign_env(l->variable);
    if (text == NULL || strtol(text, NULL, 10) <= 1) continue;
    return EYOTI_FAIL(
        EYOT_EFABRIC,
        "started by %s as one of %s processes (%s), but %s knows of this one only: the launcher "
        "belongs to another MPI than the one that %s; use eyotrun, %s",
        l->name, text, l->variable, openmpi ? "Open MPI" : "MPI",
        eyoti_conf_is_set(EYOTI_CONF_MPI) ? "EYOT_MPI selects" : "eyot was built with",
        openmpi ? "mpiexec.openmpi, or srun --mpi=pmix" : "mpiexec.mpich, or srun --mpi=pmi2");
  }
  return EYOT_OK;
}

/* Open MPI's MPI_Init leaves by _exit where it finds a launcher of PMI that it was not built for,
 * which no handler sees. */
int fmpi_check_launcher_before_init(void) {
  bool port = eyoti_conf_foreign_env("PMI_PORT") != NULL;
  if (!fmpi_is_openmpi() || (!port && eyoti_launcher_descriptor() < 0) ||
      eyoti_conf_foreign_env("PMIX_NAMESPACE") != NULL)
    return EYOT_OK;
  EYOTI_TRY(fmpi_check_launcher(1));
  if (!port) return EYOT_OK; /* one process on purpose */
  return EYOTI_FAIL(EYOT_EFABRIC,
                    "started by a launcher of PMI (PMI_PORT), which Open MPI does not know: the "
                    "launcher belongs to another MPI than the one that %s; use eyotrun, "
                    "mpiexec.openmpi, or srun --mpi=pmix",
                    eyoti_conf_is_set(EYOTI_CONF_MPI) ? "EYOT_MPI selects" : "eyot was built with");
}
