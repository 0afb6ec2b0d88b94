/* SPDX-License-Identifier: BSD-3-Clause */
/* exit.h - what a program's wrapped exit functions call. */
#ifndef EYOT_RT_EXIT_H
#define EYOT_RT_EXIT_H

#include <eyot/types.h>

/* The program called exit, _exit, quick_exit or abort (enum fab_exit). Parks the unit if it is
 * hosted by a simulator, and does not return then; returns if the unit is a process of its own, for
 * the real function to be called. */
EYOT_API void eyoti_prog_exit(int how, int code);
#endif
