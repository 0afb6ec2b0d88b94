/* SPDX-License-Identifier: BSD-3-Clause */
/* forward.h - an endpoint that stands between the layers and a fabric and hands every call on: what
 * endpoints that look at some calls (counting: count.h; split-phase barriers:
 * sync/barrier/split_progress.c) are made of.
 *
 * Why it exists: such an endpoint overrides the few operations that it cares for and has the others
 * from here. Several may stand one before the other; each can be taken away at any time between two
 * calls, whatever stands before it. The layers hold the first one, and what they leave in its note
 * is handed on with each call; the fabric sees its own endpoint only. */
#ifndef EYOT_FABRIC_FORWARD_H
#define EYOT_FABRIC_FORWARD_H

#include "fabric/fabric.h"

struct eyoti_forward {
  struct fab fab; /* first: what stands before it holds this */
  struct fab_ops ops;
  struct fab *inner; /* what the calls are handed to; NULL: it stands nowhere */
};

/* Makes *w an endpoint as `like`, whose operations all hand on; the caller then overrides what it
 * wants in w->ops, but not close. It stands nowhere yet. Whoever asks whether the CPU's atomics may
 * stand for the fabric's is told no: every operation is to come by. Local. */
void eyoti_forward_init(struct eyoti_forward *w, const struct fab *like);
/* Puts *w in front of *at, which is the head of the layers or what eyoti_forward_last tells.
 * Local. */
void eyoti_forward_add(struct eyoti_forward *w, struct fab **at);
/* Where the fabric's own endpoint is held: at the head, or by the last that forwards. */
struct fab **eyoti_forward_last(struct fab **head);
/* Takes *w, which stands behind *head, away; what it handed calls to has its note. Between two
 * calls only. Local. */
void eyoti_forward_remove(struct eyoti_forward *w, struct fab **head);

/* For overriding operations: the endpoint behind, told what the layers have noted. */
static inline struct fab *eyoti_forward_inner(struct fab *f) {
  struct eyoti_forward *w = (struct eyoti_forward *)(void *)f;
  w->inner->note = f->note;
  return w->inner;
}

_Static_assert(offsetof(struct eyoti_forward, fab) == 0, "the endpoint is the forwarder");
#endif
