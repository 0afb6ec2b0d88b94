/* SPDX-License-Identifier: BSD-3-Clause */
/* out_file.c - implements out_file.h. */
#include "base/out_file.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder_errno(const char *path) {
  struct stat st;
  char *copy = strdup(path);
  if (copy == NULL) return ENOMEM;
  const char *folder = dirname(copy);
  int err = 0;
  if (stat(folder, &st) != 0)
    err = errno;
  else if (!S_ISDIR(st.st_mode))
    err = ENOTDIR;
  else if (access(folder, W_OK | X_OK) != 0)
    err = errno;
  free(copy);
  return err;
}

int eyoti_out_file_errno(const char *path) {
  struct stat st;
  if (path[0] == '\0') return ENOENT;
  if (stat(path, &st) != 0) return errno == ENOENT ? folder_errno(path) : errno;
  if (S_ISDIR(st.st_mode)) return EISDIR;
  return access(path, W_OK) == 0 ? 0 : errno;
}
