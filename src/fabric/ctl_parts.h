/* SPDX-License-Identifier: BSD-3-Clause */
/* ctl_parts.h - what the ways of the control plane's exchange share (ctl.c, ctl_central.c,
 * ctl_nodes.c); inside the control plane only. */
#ifndef EYOT_FABRIC_CTL_PARTS_H
#define EYOT_FABRIC_CTL_PARTS_H

#include "fabric/ctl.h"

/* A flag holds the number of the exchange and, in its lower bits, the shape: the number of words
 * and their operators; MIXED: some members have another one. */
#define EYOTI_CTL_SHAPE_BITS 12u
#define EYOTI_CTL_SHAPE_MIXED ((1u << EYOTI_CTL_SHAPE_BITS) - 1)
#define EYOTI_CTL_PARITIES 2u
#define EYOTI_CTL_PAYLOAD_BYTES (EYOTI_CTL_WORDS * 8u)

/* Combines one word of two members; and the words and the shape that have come with a flag, whose
 * words are at `land`, with the caller's. */
uint64_t eyoti_ctl_combine(enum eyoti_ctl_op op, uint64_t a, uint64_t b);
void eyoti_ctl_take(struct eyoti_ctl_step *s, uint64_t flag, const void *land);

/* A message of the exchange: the words to `land` and the flag, both of unit `to` and at these
 * offsets of the segment. `leave`: own memory that the words leave from, the message's alone until
 * it has arrived. Errors: the fabric's. */
struct eyoti_ctl_message {
  fab_unit_t to;
  fab_seg_t seg;
  uint64_t flag, land;
  void *leave;
};
int eyoti_ctl_put(struct fab *f, const struct eyoti_ctl *c, const struct eyoti_ctl_step *s,
                  const struct eyoti_ctl_message *m);
/* That the present exchange's flag is at an offset of own memory; and waits for it. ETIMEOUT: not
 * yet. */
static inline struct fab_cond eyoti_ctl_cond(const struct eyoti_ctl *c, fab_seg_t seg,
                                             uint64_t off) {
  return (struct fab_cond){
      .seg = seg, .cmp = FAB_GE, .off = off, .value = c->seq << EYOTI_CTL_SHAPE_BITS};
}
int eyoti_ctl_wait(struct fab *f, const struct eyoti_ctl *c, fab_seg_t seg, uint64_t off,
                   uint64_t timeout_ns, uint64_t *flag);
#endif
