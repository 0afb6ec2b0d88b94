/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_args.h - parses arguments of the form name=number for the programs that test
 * synchronization. */
#ifndef SYNC_ARGS_H
#define SYNC_ARGS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sync_arg {
  const char *name;
  uint64_t *value; /* holds the default */
};

/* Reads argv[first..]. Ends the process with a message if an argument does not have the form or is
 * not known. */
static inline void sync_args_read(int argc, char **argv, int first, const struct sync_arg *known,
                                  size_t n) {
  for (int i = first; i < argc; i++) {
    const char *equals = strchr(argv[i], '=');
    size_t k = 0;
    while (equals != NULL && k < n &&
           (strlen(known[k].name) != (size_t)(equals - argv[i]) ||
            strncmp(known[k].name, argv[i], strlen(known[k].name)) != 0))
      k++;
    char *end = NULL;
    if (equals != NULL && k < n) *known[k].value = strtoull(equals + 1, &end, 10);
    if (end != NULL && end != equals + 1 && *end == '\0') continue;
    fprintf(stderr, "%s: argument '%s': expected NAME=NUMBER, with one of the names", argv[0],
            argv[i]);
    for (k = 0; k < n; k++) fprintf(stderr, " %s", known[k].name);
    fputc('\n', stderr);
    exit(2);
  }
}
#endif
