/* SPDX-License-Identifier: BSD-3-Clause */
/* fabric_check.h - the part of the contract that is for fabrics which explore schedules, or look
 * for races: what they learn of a unit beside its operations. Only fabric.h includes it. */
#ifndef EYOT_FABRIC_FABRIC_CHECK_H
#define EYOT_FABRIC_FABRIC_CHECK_H

#include "fabric/fabric.h"

/* Loads and stores of the unit's own CPU that a checker observes (eyot/check.h). */
enum fab_cpu_op {
  FAB_CPU_LOAD = 0,
  FAB_CPU_STORE,
  FAB_CPU_ADD,
  FAB_CPU_SWAP,
  FAB_CPU_CAS,
  FAB_CPU_FENCE
};

/* How the unit's CPU accesses memory of the program.
 * - LOAD, STORE: the program does.
 * - READ, WRITE: the public function does that the unit is in, before it returns.
 * - LENT: the last operation that the unit posted reads (or writes, as it does its own buffer)
 *   these bytes too, until its local completion: it goes through a buffer of the library.
 * - RACY: no access; races on them are meant. */
enum fab_touch {
  FAB_TOUCH_LOAD = 0,
  FAB_TOUCH_STORE,
  FAB_TOUCH_READ,
  FAB_TOUCH_WRITE,
  FAB_TOUCH_LENT,
  FAB_TOUCH_RACY
};

/* A buffer of which one unit at a time is the owner (eyot/own.h). The calling unit
 * - HELD: owns it from now on, alone.
 * - LENT: owns it, and may only read it: it has lent it, or it has a copy of what it was lent.
 * - GIVEN, FREED: has given it away, or freed it: nobody may access it until it is held again.
 * - BORROWED, RETURNED: may read it, though it is another's; or may no more.
 * - NOT: its memory is no buffer any more. */
enum fab_owned {
  FAB_OWNED_HELD = 0,
  FAB_OWNED_LENT,
  FAB_OWNED_GIVEN,
  FAB_OWNED_FREED,
  FAB_OWNED_BORROWED,
  FAB_OWNED_RETURNED,
  FAB_OWNED_NOT
};

/* A collective function that the unit has entered. */
#define FAB_COLLECTIVE_NONE UINT32_MAX
struct fab_collective {
  const void *set; /* the team's members: equal pointers, equal sets */
  uint64_t team;
  uint32_t members;
  uint32_t root;  /* or FAB_COLLECTIVE_NONE */
  uint64_t bytes; /* a size that all must pass alike; 0: none */
  /* Of calls whose order is compared with each other's alone: a number of these calls, the same on
   * all members, and the function that all call in any form. 0 and NULL: the team's other calls,
   * and the function that the program has called. */
  uint64_t line;
  const char *function;
};

/* An exchange of the control plane (ctl.h), the seq-th over the block at seg, off of its members:
 * when a member leaves it, all have entered. Sets that share members use a block one after the
 * other, with other upper halves of seq. */
struct fab_exchange {
  fab_unit_t first; /* of the members; disjoint sets may have blocks at the same offset */
  fab_seg_t seg;
  uint32_t members;
  uint64_t off, seq;
};
/* INSIDE: operations that the unit posts and sees until OUTSIDE belong to the exchange. What is
 * continued in a wait of the exchange, and does not belong to it, is OUTSIDE. */
enum fab_exchange_step {
  FAB_EXCHANGE_ENTERS = 0,
  FAB_EXCHANGE_LEAVES,
  FAB_EXCHANGE_INSIDE,
  FAB_EXCHANGE_OUTSIDE
};

/* Additional functions of a fabric that explores schedules. Other fabrics have none (NULL in their
 * table), and one that only looks for races has only cpu, touches, lent, memory, saw, shared and
 * exchange.
 * eyot/check.h defines their meaning. f is the fabric's own endpoint. */
struct fab_check {
  /* Blocks until all units have called it. explicit: by the program, not by eyot_init. */
  int (*begin)(struct fab *f, bool explicitly);
  int (*end)(struct fab *f);
  int (*point)(struct fab *f, const char *name);
  int (*invariant)(struct fab *f, int (*fn)(void *arg), void *arg, const char *name);
  void (*fail)(struct fab *f, const char *text) __attribute__((noreturn));
  /* operand: to store, add, swap in, or compare with; desired: of a compare-and-swap. Returns the
   * value before. word NULL for FAB_CPU_FENCE. */
  uint64_t (*cpu)(struct fab *f, enum fab_cpu_op op, uint64_t *word, uint64_t operand,
                  uint64_t desired);
  /* For the race detector: accesses that are no operations. */
  void (*touches)(struct fab *f, const void *p, uint64_t len_bytes, enum fab_touch how);
  /* Whether a load (or, with `writes`, store) of these bytes by the unit is an error because an
   * operation of the unit, which it does not know to be locally complete, uses them; for memory
   * that only this unit can access. */
  bool (*lent)(struct fab *f, const void *p, uint64_t len_bytes, bool writes);
  /* Outcomes are counted over all runs. */
  void (*outcome)(struct fab *f, const char *text);
  /* For detectors. Called by each member. */
  void (*collective)(struct fab *f, const struct fab_collective *c);
  /* [off, off+len) of the unit's own part of a segment was allocated (alive) or freed. */
  void (*memory)(struct fab *f, fab_seg_t seg, uint64_t off, uint64_t len_bytes, bool alive);
  /* The unit has made a resource that must be released before its end, or has released it. kind: a
   * literal; id: one of that kind's. */
  void (*resource)(struct fab *f, const char *kind, uint64_t id, uint64_t bytes, bool made);
  /* Who may access a buffer. */
  void (*owned)(struct fab *f, const void *p, uint64_t len_bytes, enum fab_owned how);
  /* What the unit has started, and names by `id`, reads these bytes until the program has completed
   * it; p NULL: it has. */
  void (*source)(struct fab *f, uint64_t id, const void *p, uint64_t len_bytes);
  /* The unit is in eyot_finalize: it releases no more resources. */
  void (*ending)(struct fab *f);
  /* The unit's CPU has loaded a word of its own memory, with acquire, that others change by signals
   * and atomics. */
  void (*saw)(struct fab *f, const void *word);
  /* NULL: exchanges are observed signal by signal, like all other operations. x: NULL for INSIDE
   * and OUTSIDE. Returns whether the unit was INSIDE before. All members must report all steps of
   * an exchange, or none must. */
  bool (*exchange)(struct fab *f, const struct fab_exchange *x, enum fab_exchange_step step);
  /* Histories: see eyot/check.h. op: a name; args: the operation's arguments. */
  int (*object)(struct fab *f, const char *model, const char *name, uint64_t param,
                uint32_t *object);
  int (*called)(struct fab *f, uint32_t object, const char *op, const uint64_t *args, uint64_t *id);
  int (*returned)(struct fab *f, uint64_t id, bool ok, uint64_t result);
  /* For instrumented programs (init/instrument.h); calls may come at any time that code of the
   * program runs. True if a unit runs now and [p, p+len) is in one unit's part of a segment, or
   * attached by this one; p NULL: if a unit runs. step and edge may be NULL. */
  bool (*shared)(struct fab *f, const void *p, uint64_t len_bytes);
  /* Steps of other units may come here, before the unit accesses the bytes. */
  void (*step)(struct fab *f, const void *p, uint64_t len_bytes, bool writes);
  /* The code at that address runs. */
  void (*edge)(struct fab *f, uintptr_t pc);
};
#endif
