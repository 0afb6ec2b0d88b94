/* SPDX-License-Identifier: BSD-3-Clause */
/* remedy.c - what would have ordered the two accesses of a race, in words. The cases are those of
 * report.c's reasons. */
#include <inttypes.h>
#include <stdio.h>

#include "check/race/race.h"

/* The calls that order, of one interface. */
struct remedy_calls {
  const char *local, *remote, *order, *signal;
};
static const struct remedy_calls OWN = {"eyot_flush_all(EYOT_LOCAL)", "eyot_flush_all(EYOT_REMOTE)",
                                        "eyot_order", "eyot_put_signal"};
static const struct remedy_calls SHMEM = {"shmem_quiet", "shmem_quiet", "shmem_fence",
                                          "shmem_put_signal"};

static bool is_write(const struct chk_race_access *a) {
  return a->kind == CHK_RACE_PUT || a->kind == CHK_RACE_AMO || a->kind == CHK_RACE_SIGNAL;
}

/* The two accesses are of one unit. */
static int remedy_alone(const struct chk_race_report *p, const char *noun,
                        const struct remedy_calls *c, char *buf, size_t size) {
  const struct chk_race_access *a = &p->first, *b = &p->second;
  uint32_t u = a->at.unit;
  if (a->source && a->kind != CHK_RACE_GET)
    return snprintf(buf, size,
                    "%s %" PRIu32
                    " must know that the first is locally complete (wait for it, or %s) before it "
                    "uses the buffer again",
                    noun, u, c->local);
  if (a->kind == CHK_RACE_GET)
    return snprintf(buf, size, "%s %" PRIu32 " must wait for the get (or %s) before the second",
                    noun, u, c->remote);
  if (is_write(b) && !b->source && a->target == b->target)
    return snprintf(buf, size, "%s by %s %" PRIu32 " between the two (or %s)", c->order, noun, u,
                    c->remote);
  return snprintf(buf, size, "%s by %s %" PRIu32 " between the two", c->remote, noun, u);
}

int chk_race_remedy(const struct chk_race_report *p, const char *noun, bool shmem, char *buf,
                    size_t size) {
  const struct remedy_calls *c = shmem ? &SHMEM : &OWN;
  const struct chk_race_access *a = &p->first;
  uint32_t u = a->at.unit, v = p->second.at.unit;
  if (u == v) return remedy_alone(p, noun, c, buf, size);
  bool complete = a->kind == CHK_RACE_STORE || is_write(a);
  if (p->known == 0 || a->number > p->known)
    return snprintf(buf, size,
                    "%s %" PRIu32 " must first learn from %s %" PRIu32
                    " that the first access is over: after it %s %" PRIu32
                    " calls %s, and then sends a signal that %s %" PRIu32
                    " waits for, or both meet in a barrier",
                    noun, v, noun, u, noun, u, c->remote, noun, v);
  if (a->state == CHK_RACE_RELEASED)
    return snprintf(buf, size,
                    "%s by %s %" PRIu32 " must stand before the news that %s %" PRIu32
                    " has seen, not after it",
                    c->remote, noun, u, noun, v);
  if (!complete)
    return snprintf(buf, size,
                    "%s %" PRIu32
                    " must wait for the first (or %s) before it sends the news that "
                    "%s %" PRIu32 " has seen",
                    noun, u, c->remote, noun, v);
  return snprintf(
      buf, size,
      "%s by %s %" PRIu32 " after the first access, before it sends the news that %s %" PRIu32
      " has seen%s%s%s",
      c->remote, noun, u, noun, v, a->kind == CHK_RACE_PUT ? " (or " : "",
      a->kind == CHK_RACE_PUT ? c->signal : "", a->kind == CHK_RACE_PUT ? " as the news)" : "");
}
