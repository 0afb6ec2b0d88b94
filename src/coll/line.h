/* SPDX-License-Identifier: BSD-3-Clause */
/* line.h - calls that go on one after the other inside other calls of eyot: a queue whose head is
 * continued, and the watch (sync/watch.h) for what the head waits for. For lane.c, whose lanes
 * share a channel each, and for neighbourhood collectives, whose graphs have one. */
#ifndef EYOT_COLL_LINE_H
#define EYOT_COLL_LINE_H

#include "sync/watch.h"

/* The name of what goes on inside calls that do not wait for it, where the collective is not
 * known. */
extern const char EYOTI_LINE_WHAT[];

/* A call in a line; the first member of what its owner keeps of it. */
struct eyoti_work {
  struct eyoti_work *next;
  const char *what; /* the collective, eyoti_coll_name; NULL: not known */
  bool over;
  int rc; /* of one that is over */
};

struct eyoti_line;
struct eyoti_line_ops {
  /* Continues the head. wait: until its end. ETIMEOUT (not logged): it is not over. */
  int (*go)(struct eyoti_line *l, struct eyoti_work *w, bool wait);
  /* What the head waits for, after go has returned ETIMEOUT: words of own memory, one of which ends
   * the wait. Returns their number. Local. */
  uint32_t (*awaits)(const struct eyoti_work *w, struct fab_cond cond[EYOTI_WATCH_CONDS],
                     const uint64_t *word[EYOTI_WATCH_CONDS]);
};

struct eyoti_line {
  struct eyoti_watch watch; /* first; its owner adds and removes it */
  struct eyot_rt *rt;
  const struct eyoti_line_ops *ops;
  struct eyoti_work *head, *tail; /* the head goes on */
};

void eyoti_line_init(struct eyoti_line *l, struct eyot_rt *rt, const struct eyoti_line_ops *ops);
/* Adds a call, which must stay where it is until it is over. Local. */
void eyoti_line_add(struct eyoti_line *l, struct eyoti_work *w);
/* Continues the line's calls, as far as messages have come; wait: until the first of them is over.
 * For calls of the line's owner. */
void eyoti_line_advance(struct eyoti_line *l, bool wait);
/* Until no call of the line is under way. */
void eyoti_line_drain(struct eyoti_line *l);
#endif
