/* exit.c - see exit.h. SPDX-License-Identifier: BSD-3-Clause */
#include "exit.h"

#include "rt.h"

void eyoti_prog_exit(int how, int code) {
  struct fab *f = eyot_current->fab;
  if (f != NULL && f->unit_exit != NULL) f->unit_exit(f, how, code);
}
