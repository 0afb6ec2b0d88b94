/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_owner.c - the detector `owner`: accesses to a buffer of eyot/own.h by a unit that does not
 * own it, whether something orders them or not. The race detector finds those that nothing orders;
 * a unit that writes into a buffer which it gave away two barriers ago makes no race, and yet what
 * the owner reads is wrong. Accesses are loads and stores of the program, and the local buffers of
 * its puts and gets; messages are carried by whoever can. See detect.h. */
#include <inttypes.h>
#include <string.h>

#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/owners.h"
#include "fabric_sim/explore/untimed_proc.h"

static struct sim_owners *owners_of(const struct sim_world *w) {
  return w->untimed->run->detect->owners;
}

void sim_detect_owned(struct fab *f, const void *p, uint64_t len, enum fab_owned how) {
  const struct sim_unit *u = sim_unit_of(f);
  sim_owners_note(owners_of(u->world), u, p, len, how);
}

static bool may_access(const struct sim_owned *o, uint32_t unit, bool writes) {
  uint32_t where;
  if (o->state == FAB_OWNED_HELD && o->unit == unit) return true;
  return !writes &&
         ((o->state == FAB_OWNED_LENT && o->unit == unit) || sim_owned_reads(o, unit, &where));
}

void sim_detect_access_op(struct sim_unit *u, const struct sim_op *op,
                          const struct sim_detect_call *call) {
  bool puts = strncmp(call->function, "eyot_put", 8) == 0,
       gets = strncmp(call->function, "eyot_get", 8) == 0;
  if (op->len > 0 && (puts || gets)) sim_detect_access(u, op->local, op->len, gets);
}

void sim_detect_access(struct sim_unit *u, const void *p, uint64_t len, bool writes) {
  struct sim_world *w = u->world;
  const struct sim_owners *t = owners_of(w);
  uintptr_t begin = (uintptr_t)p;
  if (t->n == 0 || !sim_detect_on(w, FAB_DETECT_OWNER)) return;
  for (uint32_t i = sim_owners_after(t, begin); i < t->n && t->at[i].begin < begin + len; i++) {
    const struct sim_owned *o = &t->at[i];
    if (may_access(o, u->fab.me, writes)) continue;
    struct sim_detect_call here = sim_detect_here(u);
    char text[SIM_DETECT_WHERE], by[SIM_DETECT_WHERE];
    uint64_t from = begin > o->begin ? begin - o->begin : 0;
    sim_untimed_failed(w,
                       "owner: %s of unit %u %s byte %" PRIu64 " of a buffer of %" PRIu64
                       " bytes that unit %u %s %s",
                       sim_detect_where(w, &here, text), u->fab.me, writes ? "writes" : "reads",
                       from, (uint64_t)(o->end - o->begin), o->unit, sim_owned_state(o),
                       sim_detect_where(w, &o->by, by));
    return;
  }
}
