/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.c - implements handle.h. */
#include <stdlib.h>

#include "interfaces/mpi/face.h"

#define KIND_BITS 4u
_Static_assert(FACE_HANDLES <= 1 << KIND_BITS, "an entry has room for the kind");
_Static_assert(_Alignof(max_align_t) >= 1 << KIND_BITS, "malloc leaves the kind's bits clear");
#define BITS_FIRST 5u /* entries of the first table, as a power of two */

/* -- predefined ones --------------------------------------------------------------------------- */

/* The linker's names of a section's bounds; NULL if the program has nothing of it. */
#define BOUNDS(kind)                                                                       \
  extern const char __start_eyot_mpi_##kind[] __attribute__((weak, visibility("hidden"))); \
  extern const char __stop_eyot_mpi_##kind[] __attribute__((weak, visibility("hidden")))
BOUNDS(comms);
BOUNDS(types);
BOUNDS(groups);
BOUNDS(ops);
BOUNDS(errhandlers);
BOUNDS(messages);

static bool is_between(const void *handle, const char *first, const char *end) {
  return (uintptr_t)handle - (uintptr_t)first < (uintptr_t)end - (uintptr_t)first &&
         (uintptr_t)handle % _Alignof(struct eyot_mpi_comm) == 0;
}

static bool is_predefined(enum face_handle kind, const void *handle) {
#define IS_BETWEEN(name) is_between(handle, __start_eyot_mpi_##name, __stop_eyot_mpi_##name)
  switch (kind) {
    case FACE_HANDLE_COMM:
      return IS_BETWEEN(comms);
    case FACE_HANDLE_TYPE:
      return IS_BETWEEN(types);
    case FACE_HANDLE_GROUP:
      return IS_BETWEEN(groups);
    case FACE_HANDLE_OP:
      return IS_BETWEEN(ops);
    case FACE_HANDLE_ERRHANDLER:
      return IS_BETWEEN(errhandlers);
    case FACE_HANDLE_MESSAGE:
      return IS_BETWEEN(messages);
    default:
      return false;
  }
}

/* -- the table --------------------------------------------------------------------------------- */

static uint32_t place_of(const struct face_handle_table *t, uintptr_t entry) {
  return (uint32_t)((entry >> KIND_BITS) * 0x9e3779b97f4a7c15u >> (64 - t->bits));
}

/* Where the entry is, or the empty place where it would be. */
static uint32_t find(const struct face_handle_table *t, uintptr_t entry) {
  uint32_t mask = (1u << t->bits) - 1, i = place_of(t, entry);
  while (t->entries[i] != 0 && t->entries[i] != entry) i = (i + 1) & mask;
  return i;
}

bool face_handle_known(enum face_handle kind, const void *handle) {
  if (is_predefined(kind, handle)) return true;
  const struct face_handle_table *t = &face.handles;
  uintptr_t at = (uintptr_t)handle;
  if (t->entries == NULL || at == 0 || at % (1u << KIND_BITS) != 0) return false;
  return t->entries[find(t, at | kind)] != 0;
}

static bool grow(struct face_handle_table *t) {
  struct face_handle_table more = {.bits = t->entries == NULL ? BITS_FIRST : t->bits + 1,
                                   .n = t->n};
  more.entries = calloc((size_t)1 << more.bits, sizeof *more.entries);
  if (more.entries == NULL) return false;
  for (uint32_t i = 0; t->entries != NULL && i < 1u << t->bits; i++)
    if (t->entries[i] != 0) more.entries[find(&more, t->entries[i])] = t->entries[i];
  free(t->entries);
  *t = more;
  return true;
}

int face_handle_add(const struct eyot_mpi_comm *comm, enum face_handle kind, void *handle) {
  struct face_handle_table *t = &face.handles;
  if ((t->entries == NULL || t->n >= 1u << (t->bits - 1)) && !grow(t))
    return face_fail(comm, MPI_ERR_NO_MEM, "no memory for a handle");
  uintptr_t entry = (uintptr_t)handle | kind;
  t->entries[find(t, entry)] = entry;
  t->n++;
  return MPI_SUCCESS;
}

/* Entries after the one that goes move into its place, where it lies between them and the place
 * where their search begins. */
void face_handle_remove(enum face_handle kind, const void *handle) {
  struct face_handle_table *t = &face.handles;
  if (t->entries == NULL || handle == NULL) return;
  uint32_t mask = (1u << t->bits) - 1, gap = find(t, (uintptr_t)handle | kind);
  if (t->entries[gap] == 0) return;
  t->n--;
  t->entries[gap] = 0;
  for (uint32_t i = (gap + 1) & mask; t->entries[i] != 0; i = (i + 1) & mask) {
    uint32_t first = place_of(t, t->entries[i]);
    if (((i - first) & mask) < ((i - gap) & mask)) continue;
    t->entries[gap] = t->entries[i];
    t->entries[i] = 0;
    gap = i;
  }
}

void face_handles_end(void) {
  free(face.handles.entries);
  face.handles = (struct face_handle_table){0};
}

/* -- messages ---------------------------------------------------------------------------------- */

int face_handle_refuse(const struct eyot_mpi_comm *comm, enum face_handle kind, const char *name,
                       const void *handle) {
  static const struct {
    int class;
    const char *null, *what, *freed, *from;
  } of[] = {
      [FACE_HANDLE_COMM] = {MPI_ERR_COMM, "MPI_COMM_NULL", "a communicator",
                            "freed by MPI_Comm_free", "MPI_COMM_WORLD, MPI_COMM_SELF"},
      [FACE_HANDLE_TYPE] = {MPI_ERR_TYPE, "MPI_DATATYPE_NULL", "a datatype",
                            "freed by MPI_Type_free", "a predefined one"},
      [FACE_HANDLE_GROUP] = {MPI_ERR_GROUP, "MPI_GROUP_NULL", "a group", "freed by MPI_Group_free",
                             "MPI_GROUP_EMPTY"},
      [FACE_HANDLE_REQUEST] = {MPI_ERR_REQUEST, "MPI_REQUEST_NULL", "a request",
                               "completed or freed before: its handle was copied",
                               "MPI_REQUEST_NULL"},
      [FACE_HANDLE_OP] = {MPI_ERR_OP, "MPI_OP_NULL", "an operator", "freed by MPI_Op_free",
                          "a predefined one"},
      [FACE_HANDLE_INFO] = {MPI_ERR_INFO, "MPI_INFO_NULL", "an info object",
                            "freed by MPI_Info_free", "MPI_INFO_NULL"},
      [FACE_HANDLE_ERRHANDLER] = {MPI_ERR_ARG, "MPI_ERRHANDLER_NULL", "an error handler",
                                  "freed by MPI_Errhandler_free", "a predefined one"},
      [FACE_HANDLE_MESSAGE] = {MPI_ERR_REQUEST, "MPI_MESSAGE_NULL", "a message",
                               "received before: its handle was copied", "MPI_MESSAGE_NO_PROC"}};
  if (handle == NULL)
    return face_fail(comm, of[kind].class, "%s is %s, expected %s", name, of[kind].null,
                     of[kind].what);
  if (face_handle_known(kind, handle) && !is_predefined(kind, handle))
    return face_fail(comm, of[kind].class, "%s %s %s", name,
                     kind == FACE_HANDLE_REQUEST ? "has been" : "was", of[kind].freed);
  return face_fail(comm, of[kind].class,
                   "%s is %p, which is not %s: expected %s, or what a call of MPI has returned "
                   "(a variable that was not set?)",
                   name, handle, of[kind].what, of[kind].from);
}
