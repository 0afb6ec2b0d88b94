/* SPDX-License-Identifier: BSD-3-Clause */
/* eyot/init.h - start, stop and abort of a run; the calling unit's id and the number of units;
 * names of errors, the fabric and the version.
 *
 * Thread rule, of all headers: the thread of a unit that calls eyot_init is the only one that may
 * call functions of eyot, unless eyot_init_with asks for a higher eyot_thread_level_t; a call from
 * another thread returns ETHREAD. Inline operations do not check it. */
#ifndef EYOT_INIT_H
#define EYOT_INIT_H

#include "fast.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* eyot_init starts eyot on the calling unit. Collective over all units, blocking. It loads the
 * fabric named by EYOT_FABRIC (mpi or sim), makes the symmetric heap and EYOT_TEAM_ALL, and on mpi
 * initializes MPI unless the program has done so. `argc` and `argv` may be NULL; they are not read
 * or changed (they are there for symmetry with MPI_Init). Calls are counted, so that several
 * libraries in one program can each start eyot: all but the first return at once, and are local.
 * Errors: ESTATE (after eyot_finalize), ETHREAD (not the thread that called it first), EFABRIC (the
 * fabric cannot be loaded, and the log says what was tried; or the headers that the program was
 * compiled with are of another version), EINVAL (an option is malformed), ENOMEM, ESYS. On mpi, in
 * a job of several processes, it ends the job with code 1 instead where it fails on one of them
 * alone, because the others wait for it. Source: dart_init (H. Zhou, "Communication Methods for
 * Hierarchical Global Address Space Models in HPC", 2016, chapter 4). */
EYOTI_INLINE_RET int eyot_init(int *argc, char ***argv);

/* eyoti_init_call is the out-of-line half of eyot_init, for languages that cannot use C headers.
 * `fast_abi` is the EYOTI_FAST_ABI of the headers from which the caller inlines operations.
 * Otherwise as eyot_init. */
EYOT_API int eyoti_init_call(int *argc, char ***argv, uint32_t fast_abi);

EYOTI_INLINE_RET int eyot_init(int *argc, char ***argv) {
  return eyoti_init_call(argc, argv, EYOTI_FAST_ABI);
}

/* Which threads of a unit may call functions of eyot. The levels of MPI_Init_thread (MPI 4.1,
 * section 11.6.2) and shmem_init_thread (OpenSHMEM 1.5, section 9.2).
 * SINGLE, FUNNELED: the one that has called eyot_init (eyot provides FUNNELED for both; the others
 * run, but do not call eyot).
 * SERIALIZED: any, one at a time; the program orders calls of different threads, and what they
 * access. No call costs more than at FUNNELED.
 * MULTIPLE: any, at any time. A call takes the unit's lock, and gives it back while it waits for a
 * word, a lock or other units; operations on mapped memory do not take it. Two threads of a unit
 * may not be in calls about the same team, lock, pscw or counter at once unless these only wait or
 * test, and eyot_finalize is called when no other thread calls. */
typedef enum eyot_thread_level {
  EYOT_THREAD_SINGLE = 0,
  EYOT_THREAD_FUNNELED,
  EYOT_THREAD_SERIALIZED,
  EYOT_THREAD_MULTIPLE
} eyot_thread_level_t;

/* What a program asks of eyot_init_with; of fields that are 0, EYOT_INIT_ATTR_INIT, the defaults
 * hold. Options that the user has set (the environment, eyotrun) come first. */
typedef struct eyot_init_attr {
  uint64_t heap_size; /* bytes of a unit's heap at start, as EYOT_HEAP_SIZE; 64 KiB to 1 TiB */
  uint64_t heap_max;  /* the bytes up to which it grows, as EYOT_HEAP_MAX; at most 16 TiB */
  uint32_t threads; /* eyot_thread_level_t, as EYOT_THREADS; eyot_thread_level has what is there */
  /* 1: eyot_finalize frees collective allocations that are left, without a warning and without a
   * report of leaks, and teams and graphs, without a warning; for languages whose programs need not
   * do so */
  uint32_t frees_at_end;
} eyot_init_attr_t;
#define EYOT_INIT_ATTR_INIT \
  { 0, 0, 0, 0 }

/* eyot_init_with is eyot_init with a heap of a size, and a level of threads, that the program
 * needs. All units pass the same. If eyot runs already, heap and level stay as they are. A fabric
 * that has not the level provides a lower one (sim: EYOT_THREAD_FUNNELED). `attr` may be NULL.
 * Errors: as eyot_init; also EINVAL (a size out of its range, heap_max below heap_size; sizes or
 * levels differ; no such level), ESTATE (eyot runs already, with a heap that does not grow to
 * heap_size, or heap_max). */
EYOTI_INLINE_RET int eyot_init_with(int *argc, char ***argv, const eyot_init_attr_t *attr);

/* eyoti_init_with_call is its out-of-line half; bytes: the size of *attr as the caller knows it. */
EYOT_API int eyoti_init_with_call(int *argc, char ***argv, uint32_t fast_abi,
                                  const eyot_init_attr_t *attr, uint64_t bytes);

EYOTI_INLINE_RET int eyot_init_with(int *argc, char ***argv, const eyot_init_attr_t *attr) {
  return eyoti_init_with_call(argc, argv, EYOTI_FAST_ABI, attr, sizeof *attr);
}

/* eyot_finalize stops eyot: completes all operations of the caller, waits for all units, and
 * releases teams and segments that are still alive (a warning counts them). Collective over all
 * units, blocking. Calls after it return ESTATE. A unit that has called eyot_init several times
 * calls it as often: each call completes the caller's operations at the remote level, and the last
 * one does the rest. Errors: ESTATE, ETHREAD; that of an operation that has failed; EMISMATCH (a
 * unit calls another collective function instead: on all units; earlier ones differed: on all
 * members of their team; it has ended all the same). */
EYOT_RET int eyot_finalize(void);

/* eyot_errors_clear forgets the errors of the program that calls of this unit have returned so far,
 * and returns their number. Errors of the program are EINVAL, ERANGE, EUNIT, ETEAM, ESEG,
 * EMISMATCH, ESTATE and EALIGN: with EYOT_ERRORS=abort (the default on sim) the first one ends the
 * run; with EYOT_ERRORS=return (the default on mpi) they are returned, and unless the program
 * clears those that it expects before eyot_finalize, the exit code is 7 where it would be 0. All
 * other codes are always returned and not counted, as is ETHREAD, because the thread that gets it
 * may not change the unit. Calls before eyot_init and after eyot_finalize count, too. Local; may be
 * called at any time. */
EYOT_API uint64_t eyot_errors_clear(void);

/* eyot_abort ends the whole run at once with exit code `code` (0 becomes 1) and prints `reason`
 * unless it is NULL. Called by one unit, at any time. Does not return. Outside a run it ends the
 * process. */
EYOT_API void eyot_abort(int code, const char *reason) __attribute__((noreturn));

/* eyot_exit_all ends the whole run at once with exit code `code` (its low 8 bits), which may be 0.
 * Called by one unit, at any time, for instance by the one that has found what all search for; if
 * several call it, one of their codes counts. Does not return. The caller's buffered output is
 * written; exit handlers do not run, operations in flight may or may not take effect, and output
 * that other units have buffered is lost. Under a bare launcher (mpiexec, srun) the exit code is
 * what the launcher makes of MPI_Abort. Outside a run it ends the process. */
EYOT_API void eyot_exit_all(int code) __attribute__((noreturn));

/* eyot_at_exit lets `fn` be called on this unit when its program ends with code 0, by returning
 * from main or by exit, for interfaces whose programs need not finalize (OpenSHMEM's start_pes): fn
 * may call eyot, eyot_finalize included. One function a unit; NULL takes it back. With another
 * code, or by _exit, quick_exit and abort, the unit leaves the run without it, which is reported.
 * Local; from eyot_init on. Errors: ESTATE, ETHREAD, EBUSY (another function is set), ESYS. */
EYOT_RET int eyot_at_exit(void (*fn)(void));

/* eyot_initialized tells whether eyot_init has succeeded and eyot_finalize has not been called.
 * Local; cannot fail. */
EYOT_API bool eyot_initialized(void);

/* eyot_thread_level returns the level of threads that the unit has; EYOT_THREAD_SINGLE before init
 * and after finalize. Local; may be called at any time by any thread. */
EYOT_API eyot_thread_level_t eyot_thread_level(void);

/* eyot_me returns the calling unit's global id; id UINT32_MAX before init and after finalize.
 * Local; cannot fail. */
EYOT_API eyot_unit_t eyot_me(void);

/* eyot_size returns the number of units of the run; 0 before init and after finalize. Local; cannot
 * fail. */
EYOT_API uint32_t eyot_size(void);

/* eyot_fabric_name returns the name of the fabric in use: "mpi", "sim" or "fake"; "none" before
 * init and after finalize. Local; cannot fail. */
EYOT_API const char *eyot_fabric_name(void);

/* eyot_strerror returns one line of text for an error code, eyot_errname its symbolic name
 * ("EYOT_ERANGE"). Neither is ever NULL. Local; may be called at any time by any thread. */
EYOT_API const char *eyot_strerror(int code);
EYOT_API const char *eyot_errname(int code);

/* eyot_version returns the version of the library as "major.minor.patch". Local; may be called at
 * any time by any thread. */
EYOT_API const char *eyot_version(void);

#ifdef __cplusplus
}
#endif
#endif
