/* SPDX-License-Identifier: BSD-3-Clause */
/* inspect.c - how datatypes of the MPI interface were made (MPI 4.1, section 5.1.13), and how many
 * of their values a message has. */
#include <limits.h>
#include <string.h>

#include "interfaces/mpi/type.h"

/* -- constructors ------------------------------------------------------------------------------ */

FACE_DEFINE(int, Type_get_envelope,
            (MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes,
             int *combiner)) {
  FACE_ENTER("MPI_Type_get_envelope");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "num_integers", num_integers));
  FACE_TRY(face_output(NULL, "num_addresses", num_addresses));
  FACE_TRY(face_output(NULL, "num_datatypes", num_datatypes));
  FACE_TRY(face_output(NULL, "combiner", combiner));
  const struct face_made *made = datatype->made;
  *num_integers = made == NULL ? 0 : made->n_ints;
  *num_addresses = made == NULL ? 0 : made->n_addresses;
  *num_datatypes = made == NULL ? 0 : made->n_types;
  *combiner = made == NULL ? MPI_COMBINER_NAMED : made->combiner;
  return MPI_SUCCESS;
}

static int check_space(const char *name, int most, int needed, const void *array) {
  if (most < needed)
    return face_fail(NULL, MPI_ERR_ARG, "%s is %d, expected %d or more", name, most, needed);
  return needed > 0 ? face_output(NULL, "an array", array) : MPI_SUCCESS;
}

/* Derived datatypes are handed out as one more handle of the same object, which the program frees
 * as its own. */
FACE_DEFINE(int, Type_get_contents,
            (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
             int array_of_integers[], MPI_Aint array_of_addresses[],
             MPI_Datatype array_of_datatypes[])) {
  FACE_ENTER("MPI_Type_get_contents");
  FACE_TRY(face_type(NULL, datatype));
  const struct face_made *made = datatype->made;
  if (made == NULL)
    return face_fail(NULL, MPI_ERR_TYPE, "datatype is %s, which no call has made", datatype->name);
  FACE_TRY(check_space("max_integers", max_integers, made->n_ints, array_of_integers));
  FACE_TRY(check_space("max_addresses", max_addresses, made->n_addresses, array_of_addresses));
  FACE_TRY(check_space("max_datatypes", max_datatypes, made->n_types, array_of_datatypes));
  for (int i = 0; i < made->n_ints; i++) array_of_integers[i] = made->ints[i];
  for (int i = 0; i < made->n_addresses; i++) array_of_addresses[i] = made->addresses[i];
  for (int i = 0; i < made->n_types; i++) {
    struct eyot_mpi_type *t = made->types[i];
    array_of_datatypes[i] = t;
    if (t->predefined) continue;
    t->handles++;
    t->live = FACE_LIVE;
  }
  return MPI_SUCCESS;
}

/* -- values ------------------------------------------------------------------------------------ */

static uint64_t values_of(const struct eyot_mpi_type *t, uint64_t *left);

/* The values that the first *left bytes of `count` elements hold, which are taken from *left. */
static uint64_t values_in(const struct eyot_mpi_type *t, uint64_t count, uint64_t *left) {
  uint64_t whole = t->bytes == 0 ? count : *left / t->bytes;
  if (whole > count) whole = count;
  *left -= whole * t->bytes;
  return whole * t->units + (whole<count && * left> 0 ? values_of(t, left) : 0);
}

/* Of a predefined datatype that *left bytes do not fill. */
static uint64_t values_of_pair(const struct eyot_mpi_type *t, uint64_t *left) {
  uint64_t first = t->located != FACE_NOT_LOCATED ? t->bytes - sizeof(int) : t->bytes / 2;
  if (t->units != 2 || *left < first) return 0;
  *left -= first;
  return 1;
}

static uint64_t values_of(const struct eyot_mpi_type *t, uint64_t *left) {
  const struct face_made *made = t->made;
  if (made == NULL) return values_of_pair(t, left);
  const int *ints = made->ints;
  uint64_t n = 0, all = 1;
  switch (made->combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return values_in(made->types[0], (uint64_t)ints[0], left);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return values_in(made->types[0], (uint64_t)ints[0] * (uint64_t)ints[1], left);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
      for (int i = 1; i <= ints[0]; i++) n += (uint64_t)ints[i];
      return values_in(made->types[0], n, left);
    case MPI_COMBINER_STRUCT:
      for (int i = 0; i < ints[0] && *left > 0; i++)
        n += values_in(made->types[i], (uint64_t)ints[i + 1], left);
      return n;
    case MPI_COMBINER_SUBARRAY:
      for (int i = 0; i < ints[0]; i++) all *= (uint64_t)ints[1 + ints[0] + i];
      return values_in(made->types[0], all, left);
    default: /* a copy */
      return values_in(made->types[0], 1, left);
  }
}

static int check_status(const MPI_Status *status, const struct eyot_mpi_type *type,
                        const void *count) {
  FACE_TRY(face_type(NULL, type));
  if (status == NULL)
    return face_fail(NULL, MPI_ERR_ARG, "status is MPI_STATUS_IGNORE, expected a status");
  return face_output(NULL, "count", count);
}

/* MPI_UNDEFINED if the message does not end with an element. */
FACE_DEFINE(int, Get_count, (const MPI_Status *status, MPI_Datatype datatype, int *count)) {
  FACE_ENTER("MPI_Get_count");
  FACE_TRY(check_status(status, datatype, count));
  uint64_t each = datatype->bytes, bytes = status->eyot_mpi_bytes, n = each == 0 ? 0 : bytes / each;
  *count = n > INT_MAX || n * each != bytes ? MPI_UNDEFINED : (int)n;
  return MPI_SUCCESS;
}

/* MPI_UNDEFINED if it does not end with a value. */
static int64_t elements(const MPI_Status *status, const struct eyot_mpi_type *type) {
  uint64_t left = status->eyot_mpi_bytes, n = 0;
  if (type->bytes > 0) n = values_in(type, left / type->bytes + 1, &left);
  return left > 0 || n > INT64_MAX ? MPI_UNDEFINED : (int64_t)n;
}

FACE_DEFINE(int, Get_elements, (const MPI_Status *status, MPI_Datatype datatype, int *count)) {
  FACE_ENTER("MPI_Get_elements");
  FACE_TRY(check_status(status, datatype, count));
  int64_t n = elements(status, datatype);
  *count = n > INT_MAX ? MPI_UNDEFINED : (int)n;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Get_elements_x,
            (const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)) {
  FACE_ENTER("MPI_Get_elements_x");
  FACE_TRY(check_status(status, datatype, count));
  *count = (MPI_Count)elements(status, datatype);
  return MPI_SUCCESS;
}
