/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/init.h - start, stop and abort of a program; who am I, how many are we; error strings. */
#ifndef EYOT_INIT_H
#define EYOT_INIT_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts eyot on the calling unit. Collective over all units, blocking. `argc`/`argv` may be NULL (kept for symmetry with
 * MPI_Init; nothing is removed from them). Chooses the fabric by EYOT_FABRIC (mpi or sim), makes the symmetric heap and
 * EYOT_TEAM_ALL. On the mpi fabric MPI is initialised unless the program has done it.
 * Errors: ESTATE (already initialised, or after finalize), EFABRIC (cannot load; the log says what was tried. Or the program was compiled with headers of another
 * version, whose inline operations would go wrong), ENOMEM, ESYS.
 * Thread rule: from the unit's main thread. Source: seed 000 chapter 4 (dart_init). */
EYOTI_INLINE int eyot_init(int *argc, char ***argv);

/* The out-of-line half of eyot_init, for those that cannot use C headers; fast_abi is EYOT_FAST_ABI of the headers by which the caller inlines operations. */
EYOT_API int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi);

EYOTI_INLINE int eyot_init(int *argc, char ***argv) {
  return eyoti_init_call(argc, argv, EYOT_FAST_ABI);
}

/* Stops eyot. Collective over all units, blocking: completes all operations of the caller, waits for all units, releases
 * teams and segments that are still alive (leaks are counted in a warning). Calls after it return ESTATE.
 * Errors: ESTATE. */
EYOT_API int eyot_finalize(void);

/* Ends the whole run at once with exit code `code` (0 is turned into 1), printing `reason` if not NULL. Any unit, any time
 * after init; does not return. */
EYOT_API void eyot_abort(int code, const char *reason) __attribute__((noreturn));

/* True between a successful eyot_init and eyot_finalize. Never fails. */
EYOT_API bool eyot_initialized(void);

/* The calling unit's global id. Before init and after finalize: id UINT32_MAX. */
EYOT_API eyot_unit_t eyot_me(void);

/* Number of units of the run; 0 before init and after finalize. */
EYOT_API uint32_t eyot_size(void);

/* Name of the fabric in use: "mpi", "sim", "fake"; "none" before init. */
EYOT_API const char *eyot_fabric_name(void);

/* One line of text for an error code (never NULL), and its symbolic name ("EYOT_ERANGE"). Local, no init needed. */
EYOT_API const char *eyot_strerror(int code);
EYOT_API const char *eyot_errname(int code);

/* Library version as "major.minor.patch". Local, no init needed. */
EYOT_API const char *eyot_version(void);

#ifdef __cplusplus
}
#endif
#endif
