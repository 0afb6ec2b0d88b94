/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h - functions that the command-line tools share: options of the configuration, and finding
 * the program.
 *
 * This file parses options without getopt, because the simulated units share the process's libc and
 * would inherit getopt's hidden state. */
#ifndef EYOT_TOOL_H
#define EYOT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#define TOOL_USAGE_CODE 2
#define TOOL_NOT_RUNNABLE_CODE 126
#define TOOL_NOT_FOUND_CODE 127
#define TOOL_COLUMN 30 /* where the help's second column begins */

struct tool {
  const char *name;
  /* The tool's long options that are not in the configuration (base/conf.h). value: NULL if none
   * was given; own_option returns an exit code. */
  bool (*own_known)(const char *name, bool *takes_value);
  int (*own_set)(void *arg, const char *name, char *value);
};

/* Prints what is wrong with the arguments, and returns the exit code. */
int tool_usage(const struct tool *t, const char *text, const char *detail);
/* Handles argv[*i], an option, and its value; moves *i to the last word it has used. Returns an
 * exit code. */
int tool_option(const struct tool *t, char **argv, int *i, void *arg);
/* Prints help on the configuration's options. */
void tool_print_options(void);
/* Finds `name` like a shell: in PATH only if it has no slash. */
bool tool_find(const char *name, char *out, size_t size);
/* Finds the program argv[0] and puts its path into `path`. Returns an exit code, after a
 * message. */
int tool_find_program(const struct tool *t, char **argv, char *path, size_t size);
#endif
