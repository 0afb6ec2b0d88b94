/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - the executor: the table of operations by which the engine switches between units.
 * world.c chooses fiber.c or simgrid/actors.c; engine/ calls the table.
 *
 * Why it exists: the fiber executor is fast and can be checked by sanitizers; the SimGrid executor
 * runs each unit as a SimGrid actor on its host, under SimGrid's clock. An executor does not decide
 * which unit runs next; the engine does (engine/world.h), so both give the same trace hash. */
#ifndef EYOT_FABRIC_SIM_EXEC_EXEC_H
#define EYOT_FABRIC_SIM_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_exec; /* the executor's own state */

struct sim_exec_opts {
  uint32_t n_units;
  size_t stack_bytes; /* per unit; rounded up to pages */
  bool guards;        /* one inaccessible page below each stack */
};

/* Runs unit i; must never return. */
typedef void (*sim_exec_body)(void *arg, uint32_t i);

struct sim_exec_ops {
  const char *name;
  /* Errors: ENOMEM, ESYS (logged). */
  int (*open)(const struct sim_exec_opts *opts, struct sim_exec **out);
  /* Makes unit i ready; body(arg, i) starts at its first wake. host: its SimGrid host. Errors:
   * ENOMEM. */
  int (*spawn)(struct sim_exec *x, uint32_t i, void *host, sim_exec_body body, void *arg);
  /* Called by unit i: switches to the scheduler, until the next wake. */
  void (*block)(struct sim_exec *x, uint32_t i);
  /* Called by the scheduler: runs unit i until it blocks. */
  void (*wake)(struct sim_exec *x, uint32_t i);
  /* Called by the scheduler before a wake: the clock is now_ps (never goes back). */
  void (*advance)(struct sim_exec *x, uint64_t now_ps);
  /* Unit i will probably be woken soon (now: after one or two others): the executor may prefetch
   * the pointer to its stack, and then the stack. No effect otherwise. */
  void (*expect)(const struct sim_exec *x, uint32_t i, bool now);
  /* Called by unit i: calls fn(arg), which does not block, on the scheduler's stack. NULL: calls it
   * on the unit's own. */
  void (*deep)(struct sim_exec *x, uint32_t i, void (*fn)(void *arg), void *arg);
  /* Zeroed memory in a page that unit i's stack uses anyway, or NULL: there is none. NULL: as if it
   * returned NULL. */
  char *(*slack)(const struct sim_exec *x, uint32_t i, uint16_t *bytes);
  /* Called by the scheduler after a run of unit i, where stacks have no guard pages: whether its
   * stack has overflowed. ended: the unit will not run again, or another one has crashed; takes
   * long, and misses no overflow that has written to the lowest 64 bytes. NULL: it is unknown. */
  bool (*overflowed)(struct sim_exec *x, uint32_t i, bool ended);
  /* The lowest usable address of unit i's stack, or NULL if unknown. */
  const unsigned char *(*stack_low)(const struct sim_exec *x, uint32_t i);
  /* Releases what can be released while parked units still have frames. */
  void (*close)(struct sim_exec *x);
};

extern const struct sim_exec_ops sim_exec_fiber;
#endif
