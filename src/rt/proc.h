/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.h - the state that the units of one process share: on sim thousands of units, on mpi one.
 * teams interns member lists here, coll keeps which algorithms it has chosen, place.c and said.c
 * source lines and messages.
 *
 * Why it exists: memory per unit must not grow with the number of units, so data that is equal for
 * all (a team's member list) is stored once a process and counted. Units of a process never run at
 * the same time, so there are no locks. */
#ifndef EYOT_RT_PROC_H
#define EYOT_RT_PROC_H

#include <eyot/types.h>

struct eyoti_proc;

EYOT_API struct eyoti_proc *eyoti_proc_new(void); /* NULL: out of memory */
EYOT_API void eyoti_proc_delete(struct eyoti_proc *p);

/* Interned, reference-counted, immutable byte strings: equal contents are stored once. Returns the
 * stored copy (aligned to 16) or NULL. */
const void *eyoti_proc_intern(struct eyoti_proc *p, const void *bytes, size_t len);
void eyoti_proc_release(struct eyoti_proc *p, const void *stored);
/* What was made from interned bytes, once a process, and ends with them; NULL: nothing was. And
 * keeps that, which free frees; nothing is kept yet. */
const void *eyoti_proc_derived(const void *stored);
void eyoti_proc_derive(const void *stored, void *made);

/* What a unit has computed from the key alone, so that the others need not. key[0] is the kind.
 * Only some are kept. */
enum { EYOTI_RECALL_CHOICE = 1, EYOTI_RECALL_EXCHANGE };
#define EYOTI_RECALL_KEY 10u
#define EYOTI_RECALL_VALUE 3u
struct eyoti_recalled {
  uint64_t key[EYOTI_RECALL_KEY], value[EYOTI_RECALL_VALUE];
};
/* Fills in the value; false: it is not kept. */
bool eyoti_proc_recall(const struct eyoti_proc *p, struct eyoti_recalled *r);
void eyoti_proc_remember(struct eyoti_proc *p, const struct eyoti_recalled *r);

/* Adds a unit's errors of the program; returns the sum of all units (base/error.h). */
EYOT_API uint64_t eyoti_proc_errors(struct eyoti_proc *p, uint64_t more);

/* Of a fabric that hosts units, each with its own copy of the program: whether `address` is in the
 * copy of `unit`; then *file and *off are the program's file and the offset in it. */
typedef bool (*eyoti_proc_code_fn)(void *context, uint32_t unit, const void *address,
                                   const char **file, uint64_t *off);
/* Of a fabric that keeps source lines itself: writes the line of a place in the program to `text`;
 * false: it is in another file. NULL: place.c keeps them. */
typedef bool (*eyoti_proc_line_fn)(void *context, const char *file, uint64_t off, char *text);
EYOT_API void eyoti_proc_host(struct eyoti_proc *p, eyoti_proc_code_fn code,
                              eyoti_proc_line_fn line, void *context);
#endif
