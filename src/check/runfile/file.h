/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - a failing run as a text file: what is needed to show the failure again, and the failure
 * that is expected. eyotcheck (tools/, fabric_sim/explore) writes it and replays it.
 *
 * Why it exists: a failing run serves the developer who repairs the bug, and then as a regression
 * test. It is text, so that it can be read, compared and edited; the reader is strict, so that a
 * file with an error is refused and not run as something else.
 *
 * Memory: snapshot/mem.h. Thread rule: one thread. */

/* The form of a file:
 *
 *   eyotcheck 2                    the format; files of format 1 are read, too
 *   program "./tests/lock"
 *   argument "--rounds"            any number, in order
 *   option "latency=3"             any number, in order
 *   units 4
 *   eyot "0.1.0"                   not in format 1
 *   build 5f0c2a7788e1d3b4         hash of the program's file, 0: unknown; not in format 1
 *   failure "two units hold the lock"
 *   trace 00f3a2b14c5d6e7f         hash of the run's events, 16 digits
 *   choices 7
 *   2/3 0/4*5 1/2                  value/bound, *count for repetitions; line breaks are free
 *   end
 *
 * Strings are in quotes; \\ and \" stand for \ and ", and every byte other than printable ASCII
 * is \x and two hexadecimal digits. Numbers are decimal, except the trace. Empty lines and lines
 * that begin with # are ignored. */
#ifndef EYOT_CHECK_RUNFILE_FILE_H
#define EYOT_CHECK_RUNFILE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "check/strategy/stream.h"

/* a larger count is refused before memory is allocated */
#define CHK_FILE_CHOICES_MAX (UINT32_C(1) << 26)
#define CHK_FILE_UNITS_MAX (UINT32_C(1) << 20)
#define CHK_FILE_STRINGS_MAX 4096u /* arguments; options */
#define CHK_FILE_FORMAT 2u

struct chk_file {
  char *program;
  uint32_t n_arguments, n_options, units;
  char **arguments; /* without the program's name */
  char **options;   /* name=value; the name is not empty */
  char *version;    /* of eyot; NULL: format 1, which says neither version nor build */
  uint64_t build;
  char *failure;
  uint64_t trace;
  struct chk_stream stream;
};

/* Why a file was refused; also logged. */
struct chk_file_error {
  uint32_t line; /* from 1; 0: the file could not be read */
  char what[240];
};

void chk_file_init(struct chk_file *f);
void chk_file_fini(struct chk_file *f);
/* Copies its arguments into f. ENOMEM; EINVAL: option without name or '='; ERANGE: more than
 * CHK_FILE_STRINGS_MAX. */
int chk_file_set_program(struct chk_file *f, const char *program);
int chk_file_set_failure(struct chk_file *f, const char *failure);
int chk_file_set_version(struct chk_file *f, const char *version);
int chk_file_add_argument(struct chk_file *f, const char *argument);
int chk_file_add_option(struct chk_file *f, const char *option);

/* EINVAL: no program, no failure or no units; ESYS: `out`, which messages name by its path, reports
 * an error. Equal contents give equal bytes. */
int chk_file_write(const struct chk_file *f, FILE *out, const char *path);
/* Reads into f, which is initialized and empty, and stays so on errors: EINVAL (*error has the
 * reason, unless NULL), ENOMEM, ESYS. `name` is for messages. */
int chk_file_read(struct chk_file *f, FILE *in, const char *name, struct chk_file_error *error);
/* Writes into `kind` the text that identifies a failure: without its numbers, since units,
 * addresses and values differ from schedule to schedule. As much of it as `kind` holds. */
void chk_file_failure_kind(const char *failure, char *kind, size_t size);
#endif
