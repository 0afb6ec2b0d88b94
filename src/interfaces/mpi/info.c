/* SPDX-License-Identifier: BSD-3-Clause */
/* info.c - info objects of the MPI interface: lists of keys and values, which no function of it
 * heeds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces/mpi/face.h"

struct entry {
  char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
  struct entry *next;
};

struct eyot_mpi_info {
  uint32_t live;
  struct entry *first;
  struct eyot_mpi_info *next, **back; /* of all that the program has made and not freed */
};

static int check_info(const struct eyot_mpi_info *info) {
  if (face_handle_known(FACE_HANDLE_INFO, info) && info->live == FACE_LIVE) return MPI_SUCCESS;
  return face_handle_refuse(NULL, FACE_HANDLE_INFO, "info", info);
}

int face_info(MPI_Info info) {
  return info == MPI_INFO_NULL ? MPI_SUCCESS : check_info(info);
}

static int check_text(const char *name, const char *text, int most, int class) {
  FACE_TRY(face_input(NULL, name, text));
  size_t length = strlen(text);
  if (length > 0 && length <= (size_t)most) return MPI_SUCCESS;
  return face_fail(NULL, class, "%s has %llu characters, expected 1 to %d", name,
                   (unsigned long long)length, most);
}

/* The place of the key, or the end. */
static struct entry **find(struct eyot_mpi_info *info, const char *key) {
  struct entry **at = &info->first;
  while (*at != NULL && strcmp((*at)->key, key) != 0) at = &(*at)->next;
  return at;
}

static int new_info(MPI_Info *info) {
  FACE_TRY(face_output(NULL, "info", info));
  struct eyot_mpi_info *made = malloc(sizeof *made);
  int error = made == NULL ? face_fail(NULL, MPI_ERR_NO_MEM, "no memory for an info object")
                           : face_handle_add(NULL, FACE_HANDLE_INFO, made);
  if (error != MPI_SUCCESS) {
    free(made);
    return error;
  }
  *made = (struct eyot_mpi_info){.live = FACE_LIVE};
  FACE_LINK(face.infos, made);
  *info = made;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_create, (MPI_Info * info)) {
  FACE_ENTER("MPI_Info_create");
  return new_info(info);
}

FACE_DEFINE(int, Info_set, (MPI_Info info, const char *key, const char *value)) {
  FACE_ENTER("MPI_Info_set");
  FACE_TRY(check_info(info));
  FACE_TRY(check_text("key", key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY));
  FACE_TRY(check_text("value", value, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE));
  struct entry **at = find(info, key);
  if (*at == NULL) {
    *at = calloc(1, sizeof **at);
    if (*at == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for an info object");
    snprintf((*at)->key, sizeof(*at)->key, "%s", key);
  }
  snprintf((*at)->value, sizeof(*at)->value, "%s", value);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_get, (MPI_Info info, const char *key, int valuelen, char *value, int *flag)) {
  FACE_ENTER("MPI_Info_get");
  FACE_TRY(check_info(info));
  FACE_TRY(check_text("key", key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY));
  FACE_TRY(face_output(NULL, "value", value));
  FACE_TRY(face_output(NULL, "flag", flag));
  if (valuelen < 0)
    return face_fail(NULL, MPI_ERR_ARG, "valuelen is %d, expected 0 or more", valuelen);
  const struct entry *found = *find(info, key);
  *flag = found != NULL;
  if (found != NULL) snprintf(value, (size_t)valuelen + 1, "%s", found->value);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_delete, (MPI_Info info, const char *key)) {
  FACE_ENTER("MPI_Info_delete");
  FACE_TRY(check_info(info));
  FACE_TRY(check_text("key", key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY));
  struct entry **at = find(info, key), *found = *at;
  if (found == NULL) return face_fail(NULL, MPI_ERR_INFO_NOKEY, "info has no key '%s'", key);
  *at = found->next;
  free(found);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_dup, (MPI_Info info, MPI_Info *newinfo)) {
  FACE_ENTER("MPI_Info_dup");
  FACE_TRY(check_info(info));
  FACE_TRY(face_output(NULL, "newinfo", newinfo));
  MPI_Info made;
  FACE_TRY(new_info(&made));
  struct entry **end = &made->first;
  for (const struct entry *e = info->first; e != NULL; e = e->next, end = &(*end)->next) {
    *end = malloc(sizeof **end);
    if (*end == NULL) return face_fail(NULL, MPI_ERR_NO_MEM, "no memory for an info object");
    **end = *e;
    (*end)->next = NULL;
  }
  *newinfo = made;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_get_nkeys, (MPI_Info info, int *nkeys)) {
  FACE_ENTER("MPI_Info_get_nkeys");
  FACE_TRY(check_info(info));
  FACE_TRY(face_output(NULL, "nkeys", nkeys));
  *nkeys = 0;
  for (const struct entry *e = info->first; e != NULL; e = e->next) ++*nkeys;
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_get_nthkey, (MPI_Info info, int n, char *key)) {
  FACE_ENTER("MPI_Info_get_nthkey");
  FACE_TRY(check_info(info));
  FACE_TRY(face_output(NULL, "key", key));
  const struct entry *e = info->first;
  for (int i = 0; e != NULL && i < n; i++) e = e->next;
  if (n < 0 || e == NULL) return face_fail(NULL, MPI_ERR_ARG, "info has no key of number %d", n);
  snprintf(key, MPI_MAX_INFO_KEY + 1, "%s", e->key);
  return MPI_SUCCESS;
}

FACE_DEFINE(int, Info_get_valuelen, (MPI_Info info, const char *key, int *valuelen, int *flag)) {
  FACE_ENTER("MPI_Info_get_valuelen");
  FACE_TRY(check_info(info));
  FACE_TRY(check_text("key", key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY));
  FACE_TRY(face_output(NULL, "valuelen", valuelen));
  FACE_TRY(face_output(NULL, "flag", flag));
  const struct entry *found = *find(info, key);
  *flag = found != NULL;
  if (found != NULL) *valuelen = (int)strlen(found->value);
  return MPI_SUCCESS;
}

/* *buflen: the characters of value, with the 0 at the end; afterwards those that are needed. */
FACE_DEFINE(int, Info_get_string,
            (MPI_Info info, const char *key, int *buflen, char *value, int *flag)) {
  FACE_ENTER("MPI_Info_get_string");
  FACE_TRY(check_info(info));
  FACE_TRY(check_text("key", key, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY));
  FACE_TRY(face_output(NULL, "buflen", buflen));
  FACE_TRY(face_output(NULL, "flag", flag));
  if (*buflen < 0)
    return face_fail(NULL, MPI_ERR_ARG, "*buflen is %d, expected 0 or more", *buflen);
  const struct entry *found = *find(info, key);
  *flag = found != NULL;
  if (found == NULL) return MPI_SUCCESS;
  if (*buflen > 0) FACE_TRY(face_output(NULL, "value", value));
  if (*buflen > 0) snprintf(value, (size_t)*buflen, "%s", found->value);
  *buflen = (int)strlen(found->value) + 1;
  return MPI_SUCCESS;
}

static void end_entries(struct eyot_mpi_info *info) {
  while (info->first != NULL) {
    struct entry *entry = info->first;
    info->first = entry->next;
    free(entry);
  }
}

FACE_DEFINE(int, Info_free, (MPI_Info * info)) {
  FACE_ENTER("MPI_Info_free");
  FACE_TRY(face_output(NULL, "info", info));
  FACE_TRY(check_info(*info));
  end_entries(*info);
  (*info)->live = FACE_DEAD;
  FACE_UNLINK(*info);
  face_bury(&face.dead_infos, FACE_HANDLE_INFO, *info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

/* -- of communicators -------------------------------------------------------------------------- */

/* No hint is heeded, and so none is in use. */
FACE_DEFINE(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  FACE_ENTER("MPI_Comm_set_info");
  FACE_TRY(face_comm(comm));
  return check_info(info);
}

FACE_DEFINE(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info_used)) {
  FACE_ENTER("MPI_Comm_get_info");
  FACE_TRY(face_comm(comm));
  return new_info(info_used);
}

void face_infos_end(void) {
  while (face.infos != NULL) {
    struct eyot_mpi_info *info = face.infos;
    face.infos = info->next;
    end_entries(info);
    free(info);
  }
  face_dead_end(&face.dead_infos);
}
