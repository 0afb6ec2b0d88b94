/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_state.h - the parts of struct eyoti_proc (proc.h), for the files of src/rt that implement
 * them. One thread at a time uses it. */
#ifndef EYOT_RT_PROC_STATE_H
#define EYOT_RT_PROC_STATE_H

#include "rt/place.h"
#include "rt/proc.h"
#include "rt/said.h"

struct eyoti_interned; /* proc.c */

/* A loaded file of code (place_word.c): [low, low + bytes) are its addresses. */
struct eyoti_file {
  uintptr_t low, bytes, base;
  uint64_t id;
};
#define EYOTI_RECALLED 32u
#define EYOTI_FILES_KEPT 2u /* the program, and the library that asked last */

struct eyoti_proc {
  struct eyoti_interned *interned;
  struct eyoti_places *places; /* NULL: no place was asked for */
  struct eyoti_file file[EYOTI_FILES_KEPT];
  const char *hosted;              /* the file of which units have copies; NULL: not seen yet */
  struct eyoti_said *said;         /* NULL: nothing was said */
  struct eyoti_run_saying *shared; /* counts over processes (said.h); NULL: there is none */
  eyoti_proc_code_fn code;         /* NULL: the loader knows where code is */
  eyoti_proc_line_fn line;
  void *context;
  uint64_t errors;
  struct eyoti_recalled recalled[EYOTI_RECALLED]; /* by their keys; key[0] 0: none */
};
#endif
