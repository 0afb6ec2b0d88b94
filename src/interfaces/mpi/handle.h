/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.h - which addresses are handles of the MPI interface.
 *
 * Why it exists: a handle is a pointer to the object, and a program may pass any value: a variable
 * that was not set, a number of another MPI, a handle of another kind, one whose memory was freed.
 * So no object is read before its address is known. Predefined objects stand in a section for each
 * kind, those that calls have made in one table. */
#ifndef INTERFACES_MPI_HANDLE_H
#define INTERFACES_MPI_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

struct eyot_mpi_comm;

enum face_handle {
  FACE_HANDLE_COMM = 1,
  FACE_HANDLE_TYPE,
  FACE_HANDLE_GROUP,
  FACE_HANDLE_REQUEST,
  FACE_HANDLE_OP,
  FACE_HANDLE_INFO,
  FACE_HANDLE_ERRHANDLER,
  FACE_HANDLE_MESSAGE,
  FACE_HANDLES
};

/* Of the definition of a predefined object. */
#define FACE_PREDEFINED_HANDLE(kind) __attribute__((section("eyot_mpi_" #kind)))

/* Address | kind of each handle that a call has made, freed ones too as long as they are kept;
 * open addressing, at most half full. */
struct face_handle_table {
  uintptr_t *entries; /* NULL: none */
  uint32_t bits, n;   /* 2^bits entries, n in use */
};

/* Adds the address of an object of malloc, and removes it before it is freed. Errors of the first:
 * MPI_ERR_NO_MEM, of comm. */
int face_handle_add(const struct eyot_mpi_comm *comm, enum face_handle kind, void *handle);
void face_handle_remove(enum face_handle kind, const void *handle);
void face_handles_end(void);

/* Whether the object of a handle can be read. It may be one that was freed. */
bool face_handle_known(enum face_handle kind, const void *handle);
/* Refuses a handle, whose object is not live, and which the call has as `name`. */
int face_handle_refuse(const struct eyot_mpi_comm *comm, enum face_handle kind, const char *name,
                       const void *handle);

#endif
