/* SPDX-License-Identifier: BSD-3-Clause */
/* type.h - datatypes of the MPI interface: where their data lies (shape.h), their bounds, and the
 * call that has made each. A datatype lives as long as the program has a handle of it or another
 * datatype or a request uses it; its object stays known until the end. */
#ifndef INTERFACES_MPI_TYPE_H
#define INTERFACES_MPI_TYPE_H

#include "interfaces/mpi/face.h"
#include "interfaces/mpi/shape.h"

/* The arguments of the call that has made a datatype, as MPI_Type_get_contents gives them. */
struct face_made {
  int combiner, n_ints, n_addresses, n_types;
  int *ints;
  MPI_Aint *addresses;
  struct eyot_mpi_type **types;
};

struct eyot_mpi_type {
  uint32_t live;
  bool predefined, committed;
  bool marked;         /* bounds are those of MPI_Type_create_resized */
  eyot_type_t element; /* for reductions; EYOT_USER: none */
  uint64_t bytes;      /* in a message */
  uint64_t units;      /* predefined values that an element consists of */
  const char *name;
  char *given;                        /* a name of the program, or NULL */
  struct eyot_mpi_type *next, **back; /* of all that the program has made and not freed */
  enum face_located located;
  const struct eyot_mpi_type *predefined_as; /* of a copy of a predefined one, else NULL */
  int64_t lb, extent;
  int64_t true_lb, true_end; /* of the data */
  size_t align;
  struct face_part part;
  struct face_list *lists;
  uint32_t handles, uses;
  struct face_made *made;
};

/* Whether `count` elements lie in a row, which then begins part.at bytes after the buffer. */
static inline bool face_type_in_row(const struct eyot_mpi_type *t, uint64_t count) {
  return face_part_is_run(&t->part) &&
         (count <= 1 || (int64_t)t->part.run == t->extent || t->bytes == 0);
}
/* Whether elements lie one after the other without gaps, from the buffer on. */
static inline bool face_type_dense(const struct eyot_mpi_type *t) {
  return face_type_in_row(t, 2) && (t->part.at == 0 || t->bytes == 0) &&
         (uint64_t)t->extent == t->bytes;
}
/* What uses a datatype beside the program. */
void face_type_hold(struct eyot_mpi_type *t);
void face_type_release(struct eyot_mpi_type *t);

static inline void face_type_pack(const struct eyot_mpi_type *t, uint64_t count, const void *data,
                                  void *row, uint64_t bytes) {
  face_part_pack(&t->part, count, t->extent, data, row, bytes);
}
static inline void face_type_unpack(const struct eyot_mpi_type *t, uint64_t count, void *data,
                                    const void *row, uint64_t bytes) {
  face_part_unpack(&t->part, count, t->extent, data, row, bytes);
}

/* -- construction ------------------------------------------------------------------------------ */

/* A datatype under construction: blocks of old ones, repeated. */
struct face_build {
  struct eyot_mpi_type *t;
  struct face_list *list; /* of several blocks */
  bool any, data;         /* it has bounds, true bounds */
  bool overflow, no_memory;
  int64_t ub;
};

/* Begins one with space for the arguments of a call, and `blocks` blocks. The old datatypes go to
 * t->made->types and are held from face_build_end on. */
int face_build_begin(struct face_build *b, int combiner, int n_ints, int n_addresses, int n_types,
                     size_t blocks);
/* Adds `count` elements of `old`, the first `at` bytes from the origin. */
void face_build_block(struct face_build *b, int64_t at, int64_t count,
                      const struct eyot_mpi_type *old);
/* All that there is, `count` times, `stride` bytes apart. */
void face_build_repeat(struct face_build *b, int64_t count, int64_t stride);
/* Rounds the extent up, as for a struct of C. */
void face_build_align(struct face_build *b);
void face_build_bounds(struct face_build *b, int64_t lb, int64_t extent);
/* Makes it the program's, or frees it and fails. */
int face_build_end(struct face_build *b, MPI_Datatype *newtype);

#endif
