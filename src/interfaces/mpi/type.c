/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - datatypes of the MPI interface: the predefined ones, and what concerns all. */
#include "interfaces/mpi/type.h"

#include <limits.h>
#include <stdlib.h>

#define FACE_PREDEFINED(name_, c, type)                                          \
  FACE_PREDEFINED_HANDLE(types)                                                  \
  struct eyot_mpi_type eyot_mpi_type_##name_ = {                                 \
      .live = FACE_LIVE,                                                         \
      .predefined = true,                                                        \
      .committed = true,                                                         \
      .element = type,                                                           \
      .bytes = sizeof(c),                                                        \
      .units = (type) == EYOT_INT32_INDEX || (type) == EYOT_FLOAT_INDEX ? 2 : 1, \
      .name = "MPI_" #name_,                                                     \
      .extent = sizeof(c),                                                       \
      .true_end = sizeof(c),                                                     \
      .align = _Alignof(c),                                                      \
      .part = {.count = 1, .run = sizeof(c)}};
EYOT_MPI_TYPES(FACE_PREDEFINED)

/* A value and an index, without what lies between them and after them. */
#define FACE_PAIR(name_, c)                                                                     \
  struct name_##_pair {                                                                         \
    c value;                                                                                    \
    int index;                                                                                  \
  };                                                                                            \
  static const struct face_list name_##_list = {                                                \
      .n = 2,                                                                                   \
      .parts = {{.count = 1, .run = sizeof(c)},                                                 \
                {.at = offsetof(struct name_##_pair, index), .count = 1, .run = sizeof(int)}}}; \
  FACE_PREDEFINED_HANDLE(types)                                                                 \
  struct eyot_mpi_type eyot_mpi_type_##name_ = {                                                \
      .live = FACE_LIVE,                                                                        \
      .predefined = true,                                                                       \
      .committed = true,                                                                        \
      .element = EYOT_USER,                                                                     \
      .bytes = sizeof(c) + sizeof(int),                                                         \
      .units = 2,                                                                               \
      .name = "MPI_" #name_,                                                                    \
      .located = FACE_##name_,                                                                  \
      .extent = sizeof(struct name_##_pair),                                                    \
      .true_end = offsetof(struct name_##_pair, index) + sizeof(int),                           \
      .align = _Alignof(struct name_##_pair),                                                   \
      .part = {.count = 1,                                                                      \
               .run = FACE_CLOSE(name_, c) ? sizeof(c) + sizeof(int) : 0,                       \
               .list = FACE_CLOSE(name_, c) ? NULL : &name_##_list}};
#define FACE_CLOSE(name_, c) (offsetof(struct name_##_pair, index) == sizeof(c))
EYOT_MPI_PAIRS(FACE_PAIR)

/* -- life -------------------------------------------------------------------------------------- */

static void let_go(struct eyot_mpi_type *t) {
  if (t->predefined || t->handles > 0 || t->uses > 0) return;
  face_lists_free(&t->lists);
  for (int i = 0; t->made != NULL && i < t->made->n_types; i++)
    face_type_release(t->made->types[i]);
  free(t->made);
  free(t->given);
  t->made = NULL;
  t->given = NULL;
  FACE_UNLINK(t);
  face_bury(&face.dead_types, FACE_HANDLE_TYPE, t);
}

void face_type_hold(struct eyot_mpi_type *t) {
  t->uses++;
}

void face_type_release(struct eyot_mpi_type *t) {
  t->uses--;
  let_go(t);
}

void face_types_end(void) {
  for (struct eyot_mpi_type *t = face.types; t != NULL; t = t->next) {
    face_lists_free(&t->lists);
    free(t->made);
  }
  while (face.types != NULL) {
    struct eyot_mpi_type *t = face.types;
    face.types = t->next;
    free(t->given);
    free(t);
  }
  face_dead_end(&face.dead_types);
}

FACE_DEFINE(int, Type_commit, (MPI_Datatype * datatype)) {
  FACE_ENTER("MPI_Type_commit");
  FACE_TRY(face_output(NULL, "datatype", datatype));
  FACE_TRY(face_type(NULL, *datatype));
  (*datatype)->committed = true;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_free, (MPI_Datatype * datatype)) {
  FACE_ENTER("MPI_Type_free");
  FACE_TRY(face_output(NULL, "datatype", datatype));
  struct eyot_mpi_type *t = *datatype;
  FACE_TRY(face_type(NULL, t));
  if (t->predefined)
    return face_fail(NULL, MPI_ERR_TYPE, "datatype is %s, which cannot be freed", t->name);
  if (--t->handles == 0) t->live = FACE_DEAD;
  let_go(t);
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

/* -- lengths and bounds ------------------------------------------------------------------------ */

FACE_DEFINE(int, Type_size, (MPI_Datatype datatype, int *size)) {
  FACE_ENTER("MPI_Type_size");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "size", size));
  uint64_t bytes = datatype->bytes;
  *size = bytes > INT_MAX ? MPI_UNDEFINED : (int)bytes;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_size_x, (MPI_Datatype datatype, MPI_Count *size)) {
  FACE_ENTER("MPI_Type_size_x");
  FACE_TRY(face_type(NULL, datatype));
  FACE_TRY(face_output(NULL, "size", size));
  *size = (MPI_Count)datatype->bytes;
  return MPI_SUCCESS;
}

static int bounds_of(const struct eyot_mpi_type *type, bool data, MPI_Aint *lb, MPI_Aint *extent) {
  FACE_TRY(face_type(NULL, type));
  FACE_TRY(face_output(NULL, "the place of a bound", lb));
  FACE_TRY(face_output(NULL, "the place of an extent", extent));
  *lb = (MPI_Aint)(data ? type->true_lb : type->lb);
  *extent = (MPI_Aint)(data ? type->true_end - type->true_lb : type->extent);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_get_extent, (MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)) {
  FACE_ENTER("MPI_Type_get_extent");
  return bounds_of(datatype, false, lb, extent);
}

FACE_DEFINE(int, Type_get_true_extent,
            (MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)) {
  FACE_ENTER("MPI_Type_get_true_extent");
  return bounds_of(datatype, true, true_lb, true_extent);
}

static int bounds_x(const struct eyot_mpi_type *type, bool data, MPI_Count *lb, MPI_Count *extent) {
  MPI_Aint at = 0, bytes = 0;
  FACE_TRY(face_output(NULL, "the place of a bound", lb));
  FACE_TRY(face_output(NULL, "the place of an extent", extent));
  FACE_TRY(bounds_of(type, data, &at, &bytes));
  *lb = at;
  *extent = bytes;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Type_get_extent_x, (MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)) {
  FACE_ENTER("MPI_Type_get_extent_x");
  return bounds_x(datatype, false, lb, extent);
}

FACE_DEFINE(int, Type_get_true_extent_x,
            (MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)) {
  FACE_ENTER("MPI_Type_get_true_extent_x");
  return bounds_x(datatype, true, true_lb, true_extent);
}

/* -- addresses --------------------------------------------------------------------------------- */

char eyot_mpi_bottom;

FACE_DEFINE(int, Get_address, (const void *location, MPI_Aint *address)) {
  FACE_ENTER("MPI_Get_address");
  FACE_TRY(face_output(NULL, "address", address));
  *address = location == MPI_BOTTOM ? 0 : (MPI_Aint)location;
  return MPI_SUCCESS;
}

FACE_DEFINE(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp)) {
  return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

FACE_DEFINE(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2)) {
  return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
