/* SPDX-License-Identifier: BSD-3-Clause */
/* outputs.c - see outputs.h. */
#include "outputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool outputs_same(const char *a, const char *b) {
  struct stat x, y;
  if (stat(a, &x) != 0) return strcmp(a, b) == 0;
  return S_ISREG(x.st_mode) && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int outputs_check(const struct tool *t, const struct output *files, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++) {
      const struct output *a = &files[i], *b = &files[k];
      if (a->path == NULL || b->path == NULL || (a->read && b->read)) continue;
      if (!outputs_same(a->path, b->path)) continue;
      fprintf(stderr, "%s: %s and %s are the same file, %s; give %s another one\n", t->name,
              a->name, b->name, a->path, a->read ? b->name : a->name);
      return TOOL_USAGE_CODE;
    }
  return 0;
}
