/* SPDX-License-Identifier: BSD-3-Clause */
/* fcontext.h - Boost.Context's assembler core as C sees it (its own header is C++ only).
 * A jump returns, by value in two registers, who jumped back (the context to resume it by) and the
 * datum it passed. A context is valid for one jump. */
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
