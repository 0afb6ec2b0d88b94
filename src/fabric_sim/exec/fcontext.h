/* SPDX-License-Identifier: BSD-3-Clause */
/* fcontext.h - declares Boost.Context's assembler functions for C (its own header is C++ only). For
 * fiber.c. A jump returns, in two registers, the context that jumped back (by which it is resumed)
 * and the datum that it passed. A context is valid for one jump. */
#ifndef EYOT_FABRIC_SIM_EXEC_FCONTEXT_H
#define EYOT_FABRIC_SIM_EXEC_FCONTEXT_H

#include <stddef.h>

typedef void *sim_fcontext_t;
struct sim_transfer {
  sim_fcontext_t from;
  void *data;
};

/* `top` is the end of the stack (it grows down). */
extern sim_fcontext_t make_fcontext(void *top, size_t bytes, void (*entry)(struct sim_transfer));
extern struct sim_transfer jump_fcontext(sim_fcontext_t to, void *data);
#endif
