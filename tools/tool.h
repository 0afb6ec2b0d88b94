/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h - what the command-line tools share: options of the configuration, and finding the
 * program.
 *
 * Options are read here and not by getopt, because getopt's hidden state would be inherited by the
 * simulated units, which share the process's libc. */
#ifndef EYOT_TOOL_H
#define EYOT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#define TOOL_USAGE_CODE 2
#define TOOL_NOT_RUNNABLE_CODE 126
#define TOOL_NOT_FOUND_CODE 127
#define TOOL_COLUMN 30 /* of the help's second column */

struct tool {
  const char *name;
  /* Long options that are not of the configuration (base/conf.h). value: NULL if none was given;
   * exit code. */
  bool (*own_known)(const char *name, bool *takes_value);
  int (*own_set)(void *arg, const char *name, char *value);
};

/* Prints why the arguments make no sense; the exit code. */
int tool_usage(const struct tool *t, const char *text, const char *detail);
/* Handles argv[*i], an option, and its value; moves *i to the last word it has used. An exit
 * code. */
int tool_option(const struct tool *t, char **argv, int *i, void *arg);
/* Help on the configuration's options. */
void tool_print_options(void);
/* Looks `name` up like a shell: in PATH only if it has no slash. */
bool tool_find(const char *name, char *out, size_t size);
/* The program argv[0], which becomes `path`. An exit code, after a message. */
int tool_find_program(const struct tool *t, char **argv, char *path, size_t size);
#endif
