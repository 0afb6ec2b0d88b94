/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.h - an endpoint that stands between the layers and a fabric and forwards every call; base
 * of the endpoints that observe some calls (counting: count.h; what goes on inside
 * other calls: sync/watch.h).
 *
 * Why it exists: such an endpoint overrides the few operations that it needs and has the others
 * from here. Several may be stacked; each can be removed at any time between two calls, whatever
 * stands before it. The layers hold the first one, and its note is passed on with each call; the
 * fabric sees its own endpoint only. */
#ifndef EYOT_FABRIC_FORWARD_H
#define EYOT_FABRIC_FORWARD_H

#include "fabric/fabric.h"

struct eyoti_forward {
  struct fab fab; /* first: the endpoint before it, or the layers, point to it */
  struct fab_ops ops;
  struct fab *inner; /* the endpoint that gets the calls; NULL: not in use */
};

/* Makes *w an endpoint as `like`, whose operations all forward; the caller then overrides
 * operations in w->ops, but not close. It is not in use yet. Its cpu_atomics and quiet are false,
 * so that every operation passes through it. Its `check` is the fabric's, to be called with the
 * fabric's own endpoint only. Local. */
void eyoti_forward_init(struct eyoti_forward *w, const struct fab *like);
/* Puts *w in front of *at, which is the head of the layers or the result of eyoti_forward_last.
 * Local. */
void eyoti_forward_add(struct eyoti_forward *w, struct fab **at);
/* The pointer to the fabric's own endpoint: the head, or that of the last endpoint that
 * forwards. */
EYOT_API struct fab **eyoti_forward_last(struct fab **head);
/* Removes *w, which is *head or stands after it; the next endpoint has its note. Between two calls
 * only. Local. */
void eyoti_forward_remove(struct eyoti_forward *w, struct fab **head);

/* For overriding operations: the next endpoint, with the note and the set of the layers. */
static inline struct fab *eyoti_forward_inner(struct fab *f) {
  struct eyoti_forward *w = (struct eyoti_forward *)(void *)f;
  w->inner->note = f->note;
  w->inner->set = f->set;
  return w->inner;
}

_Static_assert(offsetof(struct eyoti_forward, fab) == 0,
               "the endpoint is the first member of the forwarder");
#endif
