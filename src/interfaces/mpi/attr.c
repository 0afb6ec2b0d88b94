/* SPDX-License-Identifier: BSD-3-Clause */
/* attr.c - attributes of communicators of the MPI interface (MPI 4.1, section 7.7): those of the
 * program, with its functions for copies and deletions, and the predefined ones (section 9.1.2). */
#include <limits.h>
#include <stdlib.h>

#include "interfaces/mpi/face.h"

enum { FIRST_KEYVAL = 64 };

struct face_keyval {
  int number;
  bool freed;    /* by the program */
  uint32_t uses; /* attributes, with which it lives on (section 7.7.2) */
  MPI_Comm_copy_attr_function *copy;
  MPI_Comm_delete_attr_function *remove;
  void *extra;
  struct face_keyval *next;
};

struct face_attr {
  struct face_keyval *key;
  void *value;
  bool leaving;           /* the program's function that deletes it runs */
  struct face_attr *next; /* those that were set before */
};

int eyot_mpi_comm_null_copy_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out,
                               int *flag) {
  (void)comm, (void)keyval, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

int eyot_mpi_comm_dup_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)keyval, (void)extra;
  *(void **)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int eyot_mpi_comm_null_delete_fn(MPI_Comm comm, int keyval, void *value, void *extra) {
  (void)comm, (void)keyval, (void)value, (void)extra;
  return MPI_SUCCESS;
}

/* -- keys -------------------------------------------------------------------------------------- */

static int find_key(const struct eyot_mpi_comm *comm, int number, struct face_keyval **found) {
  struct face_keyval *key = face.keyvals;
  while (key != NULL && (key->number != number || (key->freed && key->uses == 0))) key = key->next;
  *found = key;
  if (key != NULL) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_KEYVAL,
                   "comm_keyval is %d, expected MPI_TAG_UB or the like, to read it, or one of "
                   "MPI_Comm_create_keyval",
                   number);
}

FACE_DEFINE(int, Comm_create_keyval,
            (MPI_Comm_copy_attr_function * comm_copy_attr_fn,
             MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
             void *extra_state)) {
  FACE_ENTER("MPI_Comm_create_keyval");
  FACE_TRY(face_output(NULL, "comm_keyval", comm_keyval));
  struct face_keyval *key = malloc(sizeof *key);
  if (key == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for a key");
  int number = face.keyvals == NULL ? FIRST_KEYVAL : face.keyvals->number + 1;
  *key = (struct face_keyval){.number = number,
                              .copy = comm_copy_attr_fn,
                              .remove = comm_delete_attr_fn,
                              .extra = extra_state,
                              .next = face.keyvals};
  face.keyvals = key;
  *comm_keyval = number;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_free_keyval, (int *comm_keyval)) {
  FACE_ENTER("MPI_Comm_free_keyval");
  struct face_keyval *key;
  FACE_TRY(face_output(NULL, "comm_keyval", comm_keyval));
  FACE_TRY(find_key(NULL, *comm_keyval, &key));
  key->freed = true;
  *comm_keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

void face_keyvals_end(void) {
  while (face.keyvals != NULL) {
    struct face_keyval *key = face.keyvals;
    face.keyvals = key->next;
    free(key);
  }
}

/* -- attributes -------------------------------------------------------------------------------- */

/* The place of a key's attribute, or the end. */
static struct face_attr **find_attr(struct eyot_mpi_comm *comm, const struct face_keyval *key) {
  struct face_attr **at = &comm->attrs;
  while (*at != NULL && (*at)->key != key) at = &(*at)->next;
  return at;
}

/* The program's function may refuse, with a class of its own, and delete other attributes. */
static int call_remove(struct eyot_mpi_comm *comm, struct face_attr *a) {
  if (a->key->remove == NULL) return MPI_SUCCESS;
  if (a->leaving)
    return face_fail(comm, MPI_ERR_KEYVAL, "the attribute of comm_keyval %d is being deleted",
                     a->key->number);
  a->leaving = true;
  int error = a->key->remove(comm, a->key->number, a->value, a->key->extra);
  a->leaving = false;
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  return face_fail(comm, MPI_ERR_OTHER,
                   "the program's function that deletes an attribute has "
                   "returned %d",
                   error);
}

static int remove_attr(struct eyot_mpi_comm *comm, struct face_attr *a) {
  FACE_TRY(call_remove(comm, a));
  struct face_attr **at = find_attr(comm, a->key); /* others may have been set and deleted */
  a->key->uses--;
  *at = a->next;
  free(a);
  return MPI_SUCCESS;
}

static int add_attr(struct eyot_mpi_comm *comm, struct face_keyval *key, void *value) {
  struct face_attr *a = malloc(sizeof *a);
  if (a == NULL) return face_fail(comm, MPI_ERR_NO_MEM, "no memory for an attribute");
  *a = (struct face_attr){key, value, false, comm->attrs};
  comm->attrs = a;
  key->uses++;
  return MPI_SUCCESS;
}

/* The last one first. */
int face_attrs_remove(struct eyot_mpi_comm *comm) {
  while (comm->attrs != NULL) FACE_TRY(remove_attr(comm, comm->attrs));
  return MPI_SUCCESS;
}

void face_attrs_end(struct eyot_mpi_comm *comm) {
  while (comm->attrs != NULL) {
    struct face_attr *a = comm->attrs;
    comm->attrs = a->next;
    free(a);
  }
}

static int copy_attrs(struct eyot_mpi_comm *from, const struct face_attr *a,
                      struct eyot_mpi_comm *to) {
  if (a == NULL) return MPI_SUCCESS;
  FACE_TRY(copy_attrs(from, a->next, to)); /* in the order in which they were set */
  void *value = NULL;
  int flag = 0;
  if (a->key->copy == NULL) return MPI_SUCCESS;
  int error = a->key->copy(from, a->key->number, a->key->extra, a->value, &value, &flag);
  if (error != MPI_SUCCESS)
    return face_fail(from, MPI_ERR_OTHER,
                     "the program's function that copies an attribute has "
                     "returned %d",
                     error);
  return flag ? add_attr(to, a->key, value) : MPI_SUCCESS;
}

int face_attrs_copy(struct eyot_mpi_comm *from, struct eyot_mpi_comm *to) {
  return copy_attrs(from, from->attrs, to);
}

FACE_DEFINE(int, Comm_set_attr, (MPI_Comm comm, int comm_keyval, void *attribute_val)) {
  FACE_ENTER("MPI_Comm_set_attr");
  struct face_keyval *key;
  FACE_TRY(face_comm(comm));
  FACE_TRY(find_key(comm, comm_keyval, &key));
  struct face_attr *a = *find_attr(comm, key);
  if (a == NULL) return add_attr(comm, key, attribute_val);
  FACE_TRY(call_remove(comm, a));
  a->value = attribute_val;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Comm_delete_attr, (MPI_Comm comm, int comm_keyval)) {
  FACE_ENTER("MPI_Comm_delete_attr");
  struct face_keyval *key;
  FACE_TRY(face_comm(comm));
  FACE_TRY(find_key(comm, comm_keyval, &key));
  struct face_attr *a = *find_attr(comm, key);
  if (a == NULL)
    return face_fail(comm, MPI_ERR_KEYVAL, "comm has no attribute of comm_keyval %d", comm_keyval);
  return remove_attr(comm, a);
}

/* The attributes that all communicators have. */
static int *predefined(int keyval) {
  static int tag_ub = INT_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global, universe,
             last_code = MPI_ERR_LASTCODE;
  switch (keyval) {
    case MPI_TAG_UB:
      return &tag_ub;
    case MPI_HOST:
      return &host;
    case MPI_IO:
      return &io;
    case MPI_WTIME_IS_GLOBAL:
      return &global;
    case MPI_UNIVERSE_SIZE:
      universe = MPI_COMM_WORLD->size;
      return &universe;
    case MPI_LASTUSEDCODE:
      return &last_code;
    default:
      return NULL;
  }
}

FACE_DEFINE(int, Comm_get_attr, (MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag)) {
  FACE_ENTER("MPI_Comm_get_attr");
  FACE_TRY(face_comm(comm));
  FACE_TRY(face_output(comm, "attribute_val", attribute_val));
  FACE_TRY(face_output(comm, "flag", flag));
  *flag = 1;
  int *value = predefined(comm_keyval);
  if (value != NULL) {
    *(int **)attribute_val = value;
    return MPI_SUCCESS;
  }
  struct face_keyval *key;
  *flag = 0;
  if (comm_keyval == MPI_APPNUM) return MPI_SUCCESS; /* not set */
  FACE_TRY(find_key(comm, comm_keyval, &key));
  const struct face_attr *a = *find_attr(comm, key);
  *flag = a != NULL;
  if (a != NULL) *(void **)attribute_val = a->value;
  return MPI_SUCCESS;
}
