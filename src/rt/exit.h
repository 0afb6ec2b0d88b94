/* SPDX-License-Identifier: BSD-3-Clause */
/* exit.h - the exit of a program before eyot_finalize; the wrapped exit functions of src/prog call
 * it. */
#ifndef EYOT_RT_EXIT_H
#define EYOT_RT_EXIT_H

#include <eyot/types.h>

/* Handles a call of exit, _exit, quick_exit or abort (enum fab_exit). Parks the unit if a simulator
 * hosts it, and does not return then; returns if the unit is a process of its own, which then calls
 * the real function. */
EYOT_API void eyoti_prog_exit(int how, int code);

/* The program of the unit has returned from main, or calls exit, with `code`: calls what
 * eyot_at_exit has set, once. */
EYOT_API void eyoti_exit_begins(int code);
#endif
