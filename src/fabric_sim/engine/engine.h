/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h - the table of operations that an engine provides. sim_world_open sets the timed
 * engine's (timed.c); explore/ replaces it by the untimed engine's (explore/untimed_engine.c)
 * before any unit starts. The parts that both engines share call their engine through this table
 * only.
 *
 * The timed engine takes events in the order of virtual time; the untimed engine asks a strategy
 * for the next step. Unit u is the running unit, unless stated otherwise. An operation that may
 * block runs other units before it returns: the caller must not keep pointers to operations that it
 * does not own, and no call holds a lock, since one unit runs at a time. The caller has checked the
 * simulator's preconditions (segment, range, alignment, request). */
#ifndef EYOT_FABRIC_SIM_ENGINE_ENGINE_H
#define EYOT_FABRIC_SIM_ENGINE_ENGINE_H

#include "fabric_sim/engine/unit.h"

struct sim_engine_ops {
  const char *name;

  /* Posts an operation whose fields describe it (kind, target, seg, off, len, local, and SIM_F_REQ
   * or 0 as flags), and lists it at the unit. Blocks while opt.max_outstanding operations are in
   * flight. */
  void (*post)(struct sim_unit *u, struct sim_op *op);
  /* Blocks until the requested operation is complete at the level; returns its error. At
   * FAB_REMOTE the request is void afterwards, and `op` with it. */
  int (*wait_req)(struct sim_unit *u, struct sim_op *op, enum fab_level level);
  /* The same without waiting: *done says whether it is complete. Other units may run. op NULL: an
   * operation that was complete when it was posted. */
  int (*test)(struct sim_unit *u, struct sim_op *op, enum fab_level level, bool *done);
  /* Blocks until all operations of the unit of a set (FAB_SET_ALL: of any) to `unit` (FAB_ALL: to
   * any) are complete at the level; returns the first error of an operation without request, at
   * FAB_REMOTE only. */
  int (*flush)(struct sim_unit *u, fab_set_t set, fab_unit_t unit, enum fab_level level);
  /* Later posts of the unit to `unit` take effect after its earlier ones; of one set alone, unless
   * FAB_SET_ALL. May block. */
  int (*order)(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
  /* Blocks until the condition of u->wait (state SIM_WAIT_WORD) or u->wait_any (SIM_WAIT_ANY)
   * holds. ETIMEOUT; EPEERDOWN if a crash leaves the unit waiting for ever. */
  int (*wait_words)(struct sim_unit *u, enum sim_state state, uint64_t timeout_ns);
  /* Charges the unit `ps`, and at least one, so that polling always makes progress. May block. */
  void (*spend)(struct sim_unit *u, uint64_t ps);
  /* Makes unit u, any unit that is blocked, run at time_ps. Never blocks. */
  void (*ready)(struct sim_unit *u, uint64_t time_ps);
  /* Unit u, any unit, has crashed: decides which of its operations in flight are lost, and makes
   * sure that the unit never runs again. Never blocks. */
  void (*lose)(struct sim_unit *u);

  /* Whether messages about single events are suppressed, as in runs of a search. */
  bool (*silent)(const struct sim_world *w);
  /* Maps at least *bytes of zeroed memory for a segment, and sets *bytes to its length; returns
   * MAP_FAILED, with errno, if there is none. small: all of it will be used. */
  char *(*map)(const struct sim_world *w, uint64_t *bytes, bool small);
  void (*unmap)(const struct sim_world *w, char *base, uint64_t bytes);
  /* Returns the number of bytes that the parts of a segment may have together if little of them is
   * used. */
  uint64_t (*reach)(const struct sim_world *w);
};
#endif
