/* SPDX-License-Identifier: BSD-3-Clause */
/* derived.c - the constructors of datatypes of the MPI interface (MPI 4.1, section 5.1). */
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/type.h"

static int check_count(const char *name, int count) {
  if (count >= 0) return MPI_SUCCESS;
  return face_fail(NULL, MPI_ERR_COUNT, "%s is %d, expected 0 or more", name, count);
}

static int check_made(int count, MPI_Datatype oldtype, const MPI_Datatype *newtype) {
  FACE_TRY(check_count("count", count));
  FACE_TRY(face_type(NULL, oldtype));
  return face_output(NULL, "newtype", newtype);
}

static int check_lengths(int count, const int *blocklengths) {
  if (count > 0) FACE_TRY(face_input(NULL, "the array of block lengths", blocklengths));
  for (int i = 0; i < count; i++)
    if (blocklengths[i] < 0)
      return face_fail(NULL, MPI_ERR_COUNT, "block %d has length %d, expected 0 or more", i,
                       blocklengths[i]);
  return MPI_SUCCESS;
}

/* -- loops ------------------------------------------------------------------------------------- */

FACE_DEFINE(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_contiguous");
  FACE_TRY(check_made(count, oldtype, newtype));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, MPI_COMBINER_CONTIGUOUS, 1, 0, 1, 1));
  b.t->made->ints[0] = count;
  b.t->made->types[0] = oldtype;
  face_build_block(&b, 0, count, oldtype);
  return face_build_end(&b, newtype);
}

/* `given`: the program has passed the stride in elements, not in bytes. */
static int vector(int combiner, int count, int blocklength, MPI_Aint stride, bool given,
                  MPI_Datatype oldtype, MPI_Datatype *newtype) {
  FACE_TRY(check_made(count, oldtype, newtype));
  FACE_TRY(check_count("blocklength", blocklength));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, combiner, given ? 3 : 2, given ? 0 : 1, 1, 1));
  struct face_made *made = b.t->made;
  made->ints[0] = count;
  made->ints[1] = blocklength;
  made->types[0] = oldtype;
  if (!given)
    made->addresses[0] = stride;
  else
    made->ints[2] = (int)stride;
  int64_t bytes = stride;
  if (given && __builtin_mul_overflow((int64_t)stride, oldtype->extent, &bytes)) b.overflow = true;
  face_build_block(&b, 0, blocklength, oldtype);
  face_build_repeat(&b, count, bytes);
  return face_build_end(&b, newtype);
}

FACE_DEFINE(int, Type_vector,
            (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_vector");
  return vector(MPI_COMBINER_VECTOR, count, blocklength, stride, true, oldtype, newtype);
}

FACE_DEFINE(int, Type_create_hvector,
            (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
             MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_hvector");
  return vector(MPI_COMBINER_HVECTOR, count, blocklength, stride, false, oldtype, newtype);
}

static int check_subarray(int ndims, const int *sizes, const int *subsizes, const int *starts,
                          int order) {
  if (ndims < 1) return face_fail(NULL, MPI_ERR_DIMS, "ndims is %d, expected 1 or more", ndims);
  FACE_TRY(face_input(NULL, "the array of sizes", sizes));
  FACE_TRY(face_input(NULL, "the array of subsizes", subsizes));
  FACE_TRY(face_input(NULL, "the array of starts", starts));
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    return face_fail(NULL, MPI_ERR_ARG, "order is %d, expected MPI_ORDER_C or MPI_ORDER_FORTRAN",
                     order);
  for (int i = 0; i < ndims; i++) {
    if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
        starts[i] > sizes[i] - subsizes[i])
      return face_fail(NULL, MPI_ERR_ARG,
                       "dimension %d has size %d, of which the part has %d from %d on", i, sizes[i],
                       subsizes[i], starts[i]);
  }
  return MPI_SUCCESS;
}

/* From the dimension that varies the fastest on; each step of one is a whole array of those before
 * it. The parts before the first element count as a shift of all. */
FACE_DEFINE(int, Type_create_subarray,
            (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
             MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_subarray");
  FACE_TRY(check_made(0, oldtype, newtype));
  FACE_TRY(check_subarray(ndims, sizes, subsizes, starts, order));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, MPI_COMBINER_SUBARRAY, 3 * ndims + 2, 0, 1, 1));
  int *ints = b.t->made->ints;
  ints[0] = ndims;
  memcpy(&ints[1], sizes, (size_t)ndims * sizeof *ints);
  memcpy(&ints[1 + ndims], subsizes, (size_t)ndims * sizeof *ints);
  memcpy(&ints[1 + 2 * ndims], starts, (size_t)ndims * sizeof *ints);
  ints[1 + 3 * ndims] = order;
  b.t->made->types[0] = oldtype;
  int64_t step = oldtype->extent, at = 0, skipped;
  for (int i = 0; i < ndims; i++) {
    int d = order == MPI_ORDER_C ? ndims - 1 - i : i;
    if (__builtin_mul_overflow((int64_t)starts[d], step, &skipped) ||
        __builtin_add_overflow(at, skipped, &at) ||
        __builtin_mul_overflow(step, (int64_t)sizes[d], &step))
      b.overflow = true;
  }
  face_build_block(&b, b.overflow ? 0 : at, 1, oldtype);
  step = oldtype->extent;
  for (int i = 0; i < ndims && !b.overflow; i++) {
    int d = order == MPI_ORDER_C ? ndims - 1 - i : i;
    face_build_repeat(&b, subsizes[d], step);
    step *= sizes[d];
  }
  face_build_bounds(&b, 0, step);
  return face_build_end(&b, newtype);
}

/* -- lists ------------------------------------------------------------------------------------- */

/* Lengths of blocks and their places, of which one array each is there: places in elements or in
 * bytes, lengths or one for all. */
struct index {
  int count, length;
  const int *lengths, *elements;
  const MPI_Aint *bytes;
};

static int indexed(int combiner, const struct index *x, MPI_Datatype oldtype,
                   MPI_Datatype *newtype) {
  FACE_TRY(check_made(x->count, oldtype, newtype));
  if (x->lengths != NULL) FACE_TRY(check_lengths(x->count, x->lengths));
  FACE_TRY(check_count("blocklength", x->length));
  if (x->count > 0)
    FACE_TRY(face_input(NULL, "the array of displacements",
                        x->bytes != NULL ? (const void *)x->bytes : x->elements));
  size_t n = (size_t)x->count;
  struct face_build b;
  FACE_TRY(face_build_begin(
      &b, combiner, 1 + (x->lengths != NULL ? x->count : 1) + (x->elements != NULL ? x->count : 0),
      x->bytes != NULL ? x->count : 0, 1, n));
  struct face_made *made = b.t->made;
  int *ints = made->ints;
  *ints++ = x->count;
  made->types[0] = oldtype;
  if (x->lengths == NULL) *ints++ = x->length;
  if (x->lengths != NULL && n > 0) memcpy(ints, x->lengths, n * sizeof *ints);
  if (x->lengths != NULL) ints += n;
  if (x->elements != NULL && n > 0) memcpy(ints, x->elements, n * sizeof *ints);
  if (x->bytes != NULL && n > 0) memcpy(made->addresses, x->bytes, n * sizeof *made->addresses);
  for (int i = 0; i < x->count; i++) {
    int64_t at = x->bytes != NULL ? x->bytes[i] : x->elements[i];
    if (x->bytes == NULL && __builtin_mul_overflow(at, oldtype->extent, &at)) b.overflow = true;
    face_build_block(&b, at, x->lengths != NULL ? x->lengths[i] : x->length, oldtype);
  }
  return face_build_end(&b, newtype);
}

/* Stands for the array of a call that passes NULL, which it may for 0 blocks. */
static const int no_ints[1];
static const MPI_Aint no_addresses[1];
static const int *ints_of(int count, const int *array) {
  return count > 0 || array != NULL ? array : no_ints;
}

FACE_DEFINE(int, Type_indexed,
            (int count, const int array_of_blocklengths[], const int array_of_displacements[],
             MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_indexed");
  if (count > 0) FACE_TRY(face_input(NULL, "the array of block lengths", array_of_blocklengths));
  return indexed(MPI_COMBINER_INDEXED,
                 &(struct index){.count = count,
                                 .lengths = ints_of(count, array_of_blocklengths),
                                 .elements = ints_of(count, array_of_displacements)},
                 oldtype, newtype);
}

FACE_DEFINE(int, Type_create_hindexed,
            (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
             MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_hindexed");
  if (count > 0) {
    FACE_TRY(face_input(NULL, "the array of block lengths", array_of_blocklengths));
    FACE_TRY(face_input(NULL, "the array of displacements", array_of_displacements));
  }
  return indexed(MPI_COMBINER_HINDEXED,
                 &(struct index){.count = count,
                                 .lengths = ints_of(count, array_of_blocklengths),
                                 .bytes = count > 0 ? array_of_displacements : no_addresses},
                 oldtype, newtype);
}

FACE_DEFINE(int, Type_create_indexed_block,
            (int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
             MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_indexed_block");
  return indexed(MPI_COMBINER_INDEXED_BLOCK,
                 &(struct index){.count = count,
                                 .length = blocklength,
                                 .elements = ints_of(count, array_of_displacements)},
                 oldtype, newtype);
}

FACE_DEFINE(int, Type_create_hindexed_block,
            (int count, int blocklength, const MPI_Aint array_of_displacements[],
             MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_hindexed_block");
  if (count > 0) FACE_TRY(face_input(NULL, "the array of displacements", array_of_displacements));
  return indexed(MPI_COMBINER_HINDEXED_BLOCK,
                 &(struct index){.count = count,
                                 .length = blocklength,
                                 .bytes = count > 0 ? array_of_displacements : no_addresses},
                 oldtype, newtype);
}

FACE_DEFINE(int, Type_create_struct,
            (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
             const MPI_Datatype array_of_types[], MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_struct");
  FACE_TRY(check_count("count", count));
  FACE_TRY(face_output(NULL, "newtype", newtype));
  FACE_TRY(check_lengths(count, array_of_blocklengths));
  if (count > 0) {
    FACE_TRY(face_input(NULL, "the array of displacements", array_of_displacements));
    FACE_TRY(face_input(NULL, "the array of types", array_of_types));
  }
  for (int i = 0; i < count; i++) FACE_TRY(face_type(NULL, array_of_types[i]));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, MPI_COMBINER_STRUCT, 1 + count, count, count, (size_t)count));
  struct face_made *made = b.t->made;
  made->ints[0] = count;
  for (int i = 0; i < count; i++) {
    made->ints[1 + i] = array_of_blocklengths[i];
    made->addresses[i] = array_of_displacements[i];
    made->types[i] = array_of_types[i];
    face_build_block(&b, array_of_displacements[i], array_of_blocklengths[i], array_of_types[i]);
  }
  face_build_align(&b);
  return face_build_end(&b, newtype);
}

/* -- copies ------------------------------------------------------------------------------------ */

FACE_DEFINE(int, Type_create_resized,
            (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_create_resized");
  FACE_TRY(check_made(0, oldtype, newtype));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, MPI_COMBINER_RESIZED, 0, 2, 1, 1));
  b.t->made->addresses[0] = lb;
  b.t->made->addresses[1] = extent;
  b.t->made->types[0] = oldtype;
  face_build_block(&b, 0, 1, oldtype);
  face_build_bounds(&b, lb, extent);
  return face_build_end(&b, newtype);
}

FACE_DEFINE(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype)) {
  FACE_ENTER("MPI_Type_dup");
  FACE_TRY(check_made(0, oldtype, newtype));
  struct face_build b;
  FACE_TRY(face_build_begin(&b, MPI_COMBINER_DUP, 0, 0, 1, 1));
  b.t->made->types[0] = oldtype;
  face_build_block(&b, 0, 1, oldtype);
  b.t->element = oldtype->element;
  b.t->located = oldtype->located;
  b.t->predefined_as = oldtype->predefined ? oldtype : oldtype->predefined_as;
  b.t->committed = oldtype->committed;
  return face_build_end(&b, newtype);
}
