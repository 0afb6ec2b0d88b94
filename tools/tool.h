/* SPDX-License-Identifier: BSD-3-Clause */
/* tool.h - the part that the command-line tools share: options of the configuration, their help,
 * and finding the program.
 *
 * This file parses options without getopt, because the simulated units share the process's libc and
 * would inherit getopt's hidden state. */
#ifndef EYOT_TOOL_H
#define EYOT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/conf.h"
#include "base/exit_codes.h"

#define TOOL_USAGE_CODE EYOTI_EXIT_USAGE
#define TOOL_NOT_RUNNABLE_CODE EYOTI_EXIT_NOT_RUNNABLE
#define TOOL_NOT_FOUND_CODE EYOTI_EXIT_NOT_FOUND
#define TOOL_COLUMN 30       /* characters of an option in the help; its text follows */
#define TOOL_HELP_BYTES 1024 /* of an option's text */

struct tool {
  const char *name;
  /* The tool's long options that are not in the configuration (base/conf.h). value: NULL if none
   * was given; own_option returns an exit code. */
  bool (*own_known)(const char *name, bool *takes_value);
  int (*own_set)(void *arg, const char *name, char *value);
  /* Told of each option of the configuration that the command line sets; may be NULL. */
  void (*given)(void *arg, enum eyoti_conf key);
};

/* Opens standard input, output and error if they are closed, so that no file which the run opens
 * takes their place: what is printed then counts as not written. To be called first. */
void tool_begin(void);
/* What the process writes beyond the system's limit of a file's size fails, as for a full disk, and
 * no signal ends it: of a tool that tells of many runs, which its process or its children make. */
void tool_outlives_full_files(void);
/* Such a write ends the process, as the signal does, but with a message of the tool `name` and the
 * code of what cannot be written: of a tool that makes one run, whose program may rely on its end.
 */
void tool_names_full_files(const char *name);
/* The exit code of the tool `name`, which would be `code`: not 0 if a part of what was printed
 * could not be written, which is told. */
int tool_end(const char *name, int code);
/* Prints what is wrong with the arguments, and returns the exit code. */
int tool_usage(const struct tool *t, const char *text, const char *detail);
/* Reads the value of the option --`name`, a whole number from low to high; or prints what was
 * expected. Returns an exit code. */
int tool_number(const struct tool *t, const char *name, const char *value, uint64_t low,
                uint64_t high, uint64_t *out);
/* Handles argv[*i], an option, and its value; moves *i to the last word it has used. Returns an
 * exit code. */
int tool_option(const struct tool *t, char **argv, int *i, void *arg);
/* Refuses the options given so far that a run on `fabric` does not read. Returns an exit code. */
int tool_check_fabric(const struct tool *t, enum eyoti_conf_fabric fabric);
/* Whether this option of the configuration was given. */
bool tool_given(enum eyoti_conf key);
/* Prints one option's line of the help: `left`, then `text`, with line breaks between words. */
void tool_help_row(const char *left, const char *text);
/* Prints the help on the options that `fabric` reads (EYOTI_CONF_FOR_ALL: on all), under a heading
 * for each group. own: prints the tool's own options of a group after them; may be NULL. */
void tool_help_options(enum eyoti_conf_fabric fabric, void (*own)(enum eyoti_conf_group));
/* The heading of a group. */
const char *tool_group_name(enum eyoti_conf_group group);
/* Writes the meaning of an option, the words that it accepts, and the fabric that reads it unless
 * the group names that. */
void tool_option_text(const struct eyoti_conf_entry *e, char *out, size_t size);
/* The processors that this process may use, at least 1. */
uint64_t tool_processors(void);
/* Looks `name` up like a shell: in PATH only if it has no slash. */
bool tool_find(const char *name, char *out, size_t size);
/* Finds the program argv[0] and puts its path into `path`. Returns an exit code, after a
 * message. */
int tool_find_program(const struct tool *t, char **argv, char *path, size_t size);
/* Whether the option of the configuration can change what a simulated run of so many units does:
 * not those that only change what is printed, or that only MPI reads. */
bool tool_option_matters(enum eyoti_conf key);
/* Hash of a file's bytes; 0: it cannot be read. */
uint64_t tool_hash_file(const char *path);
#endif
