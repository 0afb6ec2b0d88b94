/* SPDX-License-Identifier: BSD-3-Clause */
/* made.h - what a unit has made and not yet released: allocations, registrations, teams; where it
 * was made, and the name that the program has given it. For gmem and teams, which tell it, and for
 * all messages, which turn an address into words by it.
 *
 * Why it exists: "segment 2, offset 20544" helps nobody who wrote `eyot_team_alloc`. Every message
 * names memory in one way: the offset in an allocation, and the allocation's name and place. An
 * object of eyot (lock, counter) is the allocation that its function has made. */
#ifndef EYOT_RT_MADE_H
#define EYOT_RT_MADE_H

#include "base/code_line.h"
#include "base/object.h"
#include "fabric/fabric.h"

struct eyot_rt;
struct eyoti_run_object;
struct eyoti_mades;

/* ids of different kinds may be equal */
enum eyoti_made_kind {
  EYOTI_MADE_COLLECTIVE = 0, /* id: of the segment */
  EYOTI_MADE_PRIVATE,        /* id: of the block */
  EYOTI_MADE_REGISTERED,     /* id: the slot */
  EYOTI_MADE_REGION,         /* of a dynamic segment; id: the fabric's key */
  EYOTI_MADE_DATA,           /* the program's; id: its segment */
  EYOTI_MADE_TEAM,           /* id: of the team */
  EYOTI_MADE_SET,            /* an operation set, which has no memory; id: its handle's */
  EYOTI_MADE_OWN             /* memory of the runtime itself; id: its segment */
};
struct eyoti_made {
  enum eyoti_made_kind kind;
  uint64_t id;
  uint64_t gen;  /* of the id, if it is given out again */
  fab_seg_t seg; /* where it lies, at this unit; of a team, its control words */
  uint64_t off, len_bytes;
  bool counts; /* this unit warns if it is not released */
};

/* What another unit has made, as far as this one knows (gmem/label.h). */
#define EYOTI_FAR_NAME 32u
struct eyoti_far {
  const void *site;   /* that of the same call here; NULL: unknown */
  uint64_t len_bytes; /* 0: nothing is known */
  char name[EYOTI_FAR_NAME];
};

/* What a unit waits for, as far as its call alone does not tell: the lock. */
struct eyoti_about {
  enum eyoti_made_kind kind;
  uint32_t unit; /* that knows it */
  uint64_t id;
  const struct eyoti_far *far; /* of another unit's; NULL: the caller's own */
};

/* The message that a unit waits for, for reports; call NULL: it waits for none. */
struct eyoti_about_message {
  const char *call; /* the public function, as fab.note.what */
  uint32_t unit;    /* UINT32_MAX: any */
  int32_t tag;      /* -1: any */
  bool no_tag;      /* it is of no call that has tags */
  bool to;          /* to that unit, not from it */
  /* Returns a unit that has begun a first message and has not completed it, for which the wait
   * waits too, or UINT32_MAX; only reads memory. NULL: it waits for no first messages. */
  uint32_t (*knocked)(struct eyot_rt *rt);
};

/* The collective that a unit waits for or tests, for reports; call NULL: none. */
struct eyoti_about_coll {
  const char *call; /* as of a message */
  const char *what; /* the public function that has started or planned it, */
  const void *site; /* and from where */
};

/* Record what the public function that runs has made, and forget it; the last ones that were
 * released are remembered. Without memory for the record messages say less. Local; cannot fail. */
void eyoti_made_add(struct eyot_rt *rt, const struct eyoti_made *made);
void eyoti_made_drop(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id);
/* Whether it is memory that the program itself has allocated, not that of a lock or a team. */
bool eyoti_made_is_memory(const struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id);
/* Writes "the memory (64 bytes, eyot_alloc at a.c:12 (main)) was released by eyot_free at a.c:20
 * (main)", or `unknown` if what had that id and generation is not among those remembered; returns
 * `text`. */
#define EYOTI_GONE (EYOTI_WORDS + EYOTI_CODE_LINE + 64)
const char *eyoti_made_gone(const struct eyot_rt *rt, const struct eyoti_made *was,
                            const char *unknown, char text[EYOTI_GONE]);
/* Sets its name; "" removes it. Errors: ESEG (no such), ENOMEM; logged. */
int eyoti_made_name(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id, const char *name);
/* Logs what the program has not released, with the places. For the beginning of eyot_finalize. */
void eyoti_made_list(struct eyot_rt *rt);
void eyoti_made_stop(struct eyot_rt *rt);

/* Writes "the lock (64 bytes, eyot_lock_create at a.c:12 (main))" for what has that id, or "segment
 * 4" and the like if none is known; returns `text`. */
EYOT_API const char *eyoti_made_words(const struct eyot_rt *rt, enum eyoti_made_kind kind,
                                      uint64_t id, char text[EYOTI_WORDS]);
/* Writes "offset 64 of "grid" (4096 bytes, eyot_team_alloc at heat3d.c:31 (main))" for byte `off`
 * of the part of `seg` of the unit whose runtime is given, and returns `text`. brief: "offset 64 of
 * "grid"", or "offset 64 of the memory of heat3d.c:31 (main)". For reports of deadlocks and races,
 * and for watchdogs. */
EYOT_API const char *eyoti_words(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off, bool brief,
                                 char text[EYOTI_WORDS]);

/* The same parts for another process, which looks up the place: no system call, and no allocation.
 * They take a time linear in the number of allocations. */
EYOT_API void eyoti_made_describe(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off,
                                  struct eyoti_run_object *to);
/* Describes the lock that `what`, the public function that runs, is about; unknown if it is about
 * none. */
EYOT_API void eyoti_made_describe_about(const struct eyot_rt *rt, const char *what,
                                        struct eyoti_run_object *to);
/* Writes `shown`, the name of the call that `what` is, and, if it waits for a message or a
 * collective, which: "eyot_recv from unit 3, tag 7", "eyot_coll_wait of eyot_gather_nb". Returns
 * `text`. No system call, and no allocation. */
#define EYOTI_CALL_WORDS 96u
EYOT_API const char *eyoti_made_call_words(const struct eyot_rt *rt, const char *what,
                                           const char *shown, char text[EYOTI_CALL_WORDS]);
/* Whether `what` waits for the lock of rt->about. */
EYOT_API bool eyoti_made_about_lock(const struct eyot_rt *rt, const char *what);
/* Whether `what` waits for a collective that was started before, or tests one. */
EYOT_API bool eyoti_made_about_coll(const struct eyot_rt *rt, const char *what);
#endif
