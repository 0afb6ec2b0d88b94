/* SPDX-License-Identifier: BSD-3-Clause */
/* init.c - start and end of the MPI interface, and time. */
#include <stdio.h>
#include <stdlib.h>

#include "interfaces/errors.h"
#include "interfaces/mpi/buffer.h"

EYOT_CALLER_WORDS(
    "unit=rank units=ranks Unit=Rank Units=Ranks EYOT_TEAM_ALL=MPI_COMM_WORLD "
    "eyot_init=MPI_Init eyot_init_with=MPI_Init_thread eyot_finalize=MPI_Finalize "
    "SUM=MPI_SUM PROD=MPI_PROD MIN=MPI_MIN MAX=MPI_MAX BAND=MPI_BAND BOR=MPI_BOR BXOR=MPI_BXOR "
    "LAND=MPI_LAND LOR=MPI_LOR LXOR=MPI_LXOR MINLOC=MPI_MINLOC MAXLOC=MPI_MAXLOC "
    "INT8=MPI_INT8_T UINT8=MPI_UINT8_T INT16=MPI_INT16_T UINT16=MPI_UINT16_T INT32=MPI_INT32_T "
    "UINT32=MPI_UINT32_T INT64=MPI_INT64_T UINT64=MPI_UINT64_T FLOAT=MPI_FLOAT DOUBLE=MPI_DOUBLE")

static int start(const char *call, const void *site, uint32_t level) {
  if (face.started || face.ended) {
    eyot_caller_fail(call, site, EYOT_ESTATE, "called twice: MPI is initialized once in a run");
    face_failed();
  }
  eyot_init_attr_t attr = EYOT_INIT_ATTR_INIT;
  attr.threads = level;
  attr.frees_at_end = 1;
  if (eyot_init_with(NULL, NULL, &attr) != EYOT_OK) {
    fprintf(stderr, "eyot-mpi: %s: eyot cannot start, see the message above\n", call);
    eyot_abort(INTERFACE_MISTAKE_CODE, NULL);
  }
  face.started = true;
  face_attach_world();
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Init, (int *argc, char ***argv)) {
  EYOT_CALLER("MPI_Init");
  (void)argc;
  (void)argv;
  return start("MPI_Init", __builtin_return_address(0), EYOT_THREAD_SINGLE);
}

_Static_assert((int)EYOT_THREAD_SINGLE == MPI_THREAD_SINGLE &&
                   (int)EYOT_THREAD_FUNNELED == MPI_THREAD_FUNNELED &&
                   (int)EYOT_THREAD_SERIALIZED == MPI_THREAD_SERIALIZED &&
                   (int)EYOT_THREAD_MULTIPLE == MPI_THREAD_MULTIPLE,
               "levels pass unchanged");

/* Requests and lists of this library have no lock. */
static int provided_level(void) {
  int level = (int)eyot_thread_level();
  return level > MPI_THREAD_SERIALIZED ? MPI_THREAD_SERIALIZED : level;
}

FACE_DEFINE(int, Init_thread, (int *argc, char ***argv, int required, int *provided)) {
  EYOT_CALLER("MPI_Init_thread");
  (void)argc;
  (void)argv;
  const void *site = __builtin_return_address(0);
  if (provided == NULL || required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
    eyot_caller_fail("MPI_Init_thread", site, EYOT_EINVAL,
                     provided == NULL ? "provided is NULL, expected where the result goes"
                                      : "required is %d, expected MPI_THREAD_SINGLE, _FUNNELED, "
                                        "_SERIALIZED or _MULTIPLE",
                     required);
    face_failed();
  }
  if (required > MPI_THREAD_SERIALIZED) required = MPI_THREAD_SERIALIZED;
  FACE_TRY(start("MPI_Init_thread", site, (uint32_t)required));
  *provided = provided_level();
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Query_thread, (int *provided)) {
  FACE_ENTER("MPI_Query_thread");
  FACE_TRY(face_output(NULL, "provided", provided));
  *provided = provided_level();
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Is_thread_main, (int *flag)) {
  FACE_ENTER("MPI_Is_thread_main");
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = pthread_equal(face.main, pthread_self()) != 0;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Finalize, (void)) {
  FACE_ENTER("MPI_Finalize");
  if (!face.started)
    return face_fail(NULL, MPI_ERR_OTHER,
                     "called without MPI_Init: the program has started eyot by eyot_init, and "
                     "ends it by eyot_finalize");
  FACE_TRY(face_attrs_remove(MPI_COMM_SELF)); /* section 11.2.4: before anything else */
  FACE_TRY(face_buffer_wait(NULL));
  face_requests_end();
  face_ops_end();
  face_comms_end();
  face_groups_end();
  face_infos_end();
  face_keyvals_end();
  face_handlers_end();
  face_handles_end();
  face.started = face.attached = false;
  face.ended = true;
  int rc = eyot_finalize();
  /* Only now, because it completes the collectives that the program has left. */
  face_requests_free();
  face_ops_free();
  face_types_end();
  if (rc != EYOT_OK) face_failed();
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Initialized, (int *flag)) {
  EYOT_CALLER("MPI_Initialized");
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = face.ended || eyot_initialized();
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Finalized, (int *flag)) {
  EYOT_CALLER("MPI_Finalized");
  FACE_TRY(face_output(NULL, "flag", flag));
  *flag = face.ended;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Abort, (MPI_Comm comm, int errorcode)) {
  EYOT_CALLER("MPI_Abort");
  (void)comm; /* all communicators end with the run */
  char text[64];
  snprintf(text, sizeof text, "MPI_Abort with code %d", errorcode);
  eyot_abort(errorcode, text);
}

FACE_DEFINE(double, Wtime, (void)) {
  FACE_ENTER("MPI_Wtime");
  return (double)eyot_now_ns() * 1e-9;
}

FACE_DEFINE(double, Wtick, (void)) {
  return 1e-9;
}

/* For profiling libraries (MPI 4.1, section 15.2.4): a library that has none ignores it. */
FACE_DEFINE(int, Pcontrol, (const int level, ...)) {
  FACE_ENTER("MPI_Pcontrol");
  (void)level;
  return MPI_SUCCESS;
}

/* The node's number in the machine: hosts' names mean nothing in the simulator. */
FACE_DEFINE(int, Get_processor_name, (char *name, int *resultlen)) {
  FACE_ENTER("MPI_Get_processor_name");
  FACE_TRY(face_output(NULL, "name", name));
  FACE_TRY(face_output(NULL, "resultlen", resultlen));
  eyot_place_t place;
  FACE_TRY(face_check(NULL, eyot_locate(eyot_me(), &place)));
  *resultlen =
      snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%u", (unsigned)place.id[EYOT_DOMAIN_NODE]);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Get_version, (int *version, int *subversion)) {
  EYOT_CALLER("MPI_Get_version");
  FACE_TRY(face_output(NULL, "version", version));
  FACE_TRY(face_output(NULL, "subversion", subversion));
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Get_library_version, (char *version, int *resultlen)) {
  EYOT_CALLER("MPI_Get_library_version");
  FACE_TRY(face_output(NULL, "version", version));
  FACE_TRY(face_output(NULL, "resultlen", resultlen));
  *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "eyot-mpi %s", eyot_version());
  return MPI_SUCCESS;
}

/* -- memory ------------------------------------------------------------------------------------ */

FACE_DEFINE(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr)) {
  FACE_ENTER("MPI_Alloc_mem");
  FACE_TRY(face_info(info));
  FACE_TRY(face_output(NULL, "baseptr", baseptr));
  if (size < 0)
    return face_fail(NULL, MPI_ERR_ARG, "size is %lld, expected 0 or more", (long long)size);
  void *memory = malloc(size > 0 ? (size_t)size : 1);
  if (memory == NULL)
    return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)size);
  *(void **)baseptr = memory;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Free_mem, (void *base)) {
  FACE_ENTER("MPI_Free_mem");
  free(base);
  return MPI_SUCCESS;
}
