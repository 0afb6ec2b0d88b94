/* SPDX-License-Identifier: BSD-3-Clause */
/* libraries.c - loads a program's libraries that are found by $ORIGIN. See libraries.h. */
#include "fabric_sim/program/libraries.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric_sim/program/elf.h"

struct names {
  const char *folder; /* of the program's file */
  bool loaded;
};

/* The folder that an entry of `n` characters means, if it begins with $ORIGIN. */
static bool folder_of(const struct names *x, const char *entry, size_t n, char out[PATH_MAX]) {
  static const char *const ORIGINS[] = {"$ORIGIN", "${ORIGIN}"};
  for (size_t i = 0; i < sizeof ORIGINS / sizeof ORIGINS[0]; i++) {
    size_t len = strlen(ORIGINS[i]);
    if (n < len || strncmp(entry, ORIGINS[i], len) != 0) continue;
    int written = snprintf(out, PATH_MAX, "%s%.*s", x->folder, (int)(n - len), entry + len);
    return written > 0 && written < PATH_MAX;
  }
  return false;
}

static void load_from(struct names *x, const char *folder, const char *library) {
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, library);
  if (access(path, R_OK) == 0 && dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL) x->loaded = true;
}

static void load_needed(const char *name, const char *run_path, void *arg) {
  struct names *x = arg;
  char folder[PATH_MAX];
  for (const char *at = run_path; *at != '\0';) {
    size_t n = strcspn(at, ":");
    if (folder_of(x, at, n, folder)) load_from(x, folder, name);
    at += at[n] == ':' ? n + 1 : n;
  }
}

bool sim_prog_load_beside(const char *path) {
  char file[PATH_MAX];
  if (realpath(path, file) == NULL) return false;
  char *slash = strrchr(file, '/');
  *slash = '\0';
  struct names x = {.folder = file};
  sim_prog_each_needed(path, load_needed, &x);
  return x.loaded;
}
