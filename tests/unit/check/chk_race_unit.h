/* SPDX-License-Identifier: BSD-3-Clause */
/* chk_race_unit.h - a small engine for the tests of the race detector: operations take effect when
 * the test says so. */
#ifndef EYOT_CHK_RACE_UNIT_H
#define EYOT_CHK_RACE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/race/state.h"

#define SEG 3u

typedef struct chk_race_op op_t;

static inline struct chk_at at(uint32_t unit, uintptr_t site) {
  return (struct chk_at){.unit = unit, .site = (const void *)site, .when = site * 10};
}
static inline struct chk_race_range bytes(uint32_t unit, uint64_t off, uint64_t len) {
  return (struct chk_race_range){.unit = unit, .seg = SEG, .off = off, .len = len};
}

/* Posted and in effect, not yet seen complete. */
static inline op_t *put(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len,
                        uintptr_t site) {
  op_t *op = chk_race_posted(r, at(u, site), CHK_RACE_PUT, t, len);
  chk_race_applied(r, op, bytes(t, off, len));
  return op;
}
static inline op_t *get(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len,
                        uintptr_t site) {
  op_t *op = chk_race_posted(r, at(u, site), CHK_RACE_GET, t, len);
  chk_race_applied(r, op, bytes(t, off, len));
  return op;
}
/* len 0: a signal alone. */
static inline op_t *put_signal(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off,
                               uint64_t len, uint64_t flag, uintptr_t site) {
  op_t *op = chk_race_posted(r, at(u, site), CHK_RACE_SIGNAL, t, len);
  chk_race_applied(r, op, bytes(t, off, len));
  chk_race_signaled(r, op, chk_word(t, SEG, flag), false);
  return op;
}
static inline op_t *amo(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len,
                        bool fetched, bool wrote, uintptr_t site) {
  op_t *op = chk_race_posted(r, at(u, site), CHK_RACE_AMO, t, len);
  chk_race_atomic(r, op, bytes(t, off, len),
                  (struct chk_race_amo){.fetched = fetched, .wrote = wrote});
  return op;
}
static inline void done(struct chk_race *r, op_t *op) {
  chk_race_completed(r, op, CHK_RACE_REMOTE);
}

/* The same, complete when they return. */
static inline void bput(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len,
                        uintptr_t site) {
  done(r, put(r, u, t, off, len, site));
}
static inline void bget(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uint64_t len,
                        uintptr_t site) {
  done(r, get(r, u, t, off, len, site));
}
static inline void bamo(struct chk_race *r, uint32_t u, uint32_t t, uint64_t off, uintptr_t site) {
  done(r, amo(r, u, t, off, 8, true, true, site));
}
static inline void signal_to(struct chk_race *r, uint32_t u, uint32_t t, uint64_t flag) {
  put_signal(r, u, t, 0, 0, flag, 900 + u);
}
static inline void saw(struct chk_race *r, uint32_t u, uint64_t flag) {
  chk_race_saw(r, at(u, 950 + u), chk_word(u, SEG, flag));
}
static inline void load(struct chk_race *r, uint32_t u, uint64_t off, uint64_t len,
                        uintptr_t site) {
  chk_race_load(r, at(u, site), bytes(u, off, len));
}
static inline void store(struct chk_race *r, uint32_t u, uint64_t off, uint64_t len,
                         uintptr_t site) {
  chk_race_store(r, at(u, site), bytes(u, off, len), true);
}

/* u signals v, and v sees it. */
static inline void message(struct chk_race *r, uint32_t u, uint32_t v, uint64_t flag) {
  signal_to(r, u, v, flag);
  saw(r, v, flag);
}
/* All of 0..n-1 learn what all knew before. */
static inline void barrier(struct chk_race *r, uint32_t n) {
  for (uint32_t d = 1; d < n; d *= 2) {
    for (uint32_t u = 0; u < n; u++) signal_to(r, u, (u + d) % n, 8192 + 8 * d);
    for (uint32_t u = 0; u < n; u++) saw(r, u, 8192 + 8 * d);
  }
}

/* Units first .. first+n-1 in their seq-th exchange; the caller makes the calls in between. */
static inline struct chk_race_exchange meeting(uint32_t first, uint32_t n, uint64_t seq) {
  return (struct chk_race_exchange){.key = {first, n}, .seq = seq, .members = n};
}
static inline void enter_all(struct chk_race *r, uint32_t first, uint32_t n, uint64_t seq) {
  struct chk_race_exchange x = meeting(first, n, seq);
  for (uint32_t u = first; u < first + n; u++) chk_race_enters(r, u, &x);
}
static inline void leave_all(struct chk_race *r, uint32_t first, uint32_t n, uint64_t seq) {
  struct chk_race_exchange x = meeting(first, n, seq);
  for (uint32_t u = first; u < first + n; u++) chk_race_leaves(r, u, &x);
}
static inline void meet(struct chk_race *r, uint32_t first, uint32_t n, uint64_t seq) {
  enter_all(r, first, n, seq);
  leave_all(r, first, n, seq);
}

/* -- programs ---------------------------------------------------------------------------------- */

#define UNITS 4u
#define X 0u /* words of data */
#define Y 8u
#define F 800u /* words of signals */
#define G 808u

struct program {
  const char *name;
  uint32_t races; /* reports */
  void (*run)(struct chk_race *r);
};

/* Runs it where `left` more events can be numbered. Far enough from the end the reports are the
 * same; at the end races may be missed, but none is reported that is none. Wrong programs: 1. */
static inline uint32_t run_near_the_end(const struct program *p, uint32_t left) {
  const struct chk_race_report *all;
  struct chk_race *r = chk_race_new(UNITS, true);
  for (uint32_t u = 0; u < UNITS; u++) r->units[u].events = CHK_NOT_RELEASED - 1 - left;
  p->run(r);
  uint32_t races = chk_race_reports(r, &all);
  bool wrong = left < 10000 ? races > p->races : races != p->races;
  if (wrong)
    print_message("%s, with %u events left: %u reports, not %u\n", p->name, left, races, p->races);
  chk_race_destroy(r);
  return wrong;
}

/* Runs every program alone, and all of them in one detector, run after run. */
static inline void run_programs(const struct program *programs, size_t n) {
  const struct chk_race_report *all;
  struct chk_race *again = chk_race_new(UNITS, true);
  uint32_t wrong = 0;
  for (size_t i = 0; i < n; i++) {
    struct chk_race *r = chk_race_new(UNITS, true);
    programs[i].run(r);
    uint32_t races = chk_race_reports(r, &all);
    char text[512] = "";
    if (races > 0) chk_race_text(&all[0], NULL, text, sizeof text);
    if (races != programs[i].races)
      print_message("%s: %u reports, not %u. %s\n", programs[i].name, races, programs[i].races,
                    text);
    wrong += races != programs[i].races;
    chk_race_destroy(r);

    uint32_t before = chk_race_reports(again, &all);
    programs[i].run(again);
    bool more = chk_race_reports(again, &all) != before;
    if (programs[i].races == 0 && more)
      print_message("%s: a report after a restart\n", programs[i].name);
    wrong += programs[i].races == 0 && more;
    chk_race_restart(again);
    for (uint32_t left = 0; left < 8; left++) wrong += run_near_the_end(&programs[i], left);
    wrong += run_near_the_end(&programs[i], 100000);
  }
  chk_race_destroy(again);
  assert_int_equal(wrong, 0);
}
#endif
