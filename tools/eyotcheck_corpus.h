/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_corpus.h - a folder of files of failing runs that are replayed before a search:
 * `eyotcheck --corpus`. For eyotcheck.c. */
#ifndef EYOT_EYOTCHECK_CORPUS_H
#define EYOT_EYOTCHECK_CORPUS_H

#include <stddef.h>

#include "fabric/module.h"

/* Replays each *.run file of the folder, in the order of names, on this program. Returns 1 if one
 * fails, with its name in `failing` and its failure in `reason`; 6 if one no longer applies; 2 if
 * one cannot be read or the folder cannot be made; else 0. Prints a line for each. */
int corpus_replay(const char *folder, char **program, char *failing, size_t failing_bytes,
                  char *reason, size_t reason_bytes);
/* Draws the failing run of the file in the files of --mermaid and --svg, if they are given. Returns
 * an exit code, after a message. */
int corpus_draw(char *path, const struct fab_explore *pictures, char **program);
/* Moves the file of a new failing run into the folder, under a name made of the program's and its
 * contents; `to` becomes its path. Returns an exit code, after a message. */
int corpus_add(const char *folder, const char *from, const char *program, char *to, size_t bytes);
#endif
