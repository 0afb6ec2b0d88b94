/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - the reports of the race detector: one for each pair of sites, and its text. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/wording.h"
#include "check/race/state.h"
#include "check/snapshot/mem.h"

static struct chk_race_access access_of(const struct chk_rec *rec, enum chk_class class) {
  bool done = rec->released != CHK_NOT_RELEASED && !rec->nbi;
  return (struct chk_race_access){
      .at = {.unit = rec->unit, .site = rec->site, .when = rec->when},
      .kind = (enum chk_race_kind)rec->kind,
      .source = rec->source,
      .with_signal = rec->with_signal && rec->kind == CHK_RACE_SIGNAL,
      .write = class == CHK_PLAIN_WRITE || class == CHK_ATOMIC_WRITE || class == CHK_FLAG_WRITE,
      .atomic = class == CHK_ATOMIC_WRITE || class == CHK_ATOMIC_READ || class == CHK_WAIT_READ,
      .floats = rec->kind == CHK_RACE_AMO && (rec->use & CHK_USE_FLOATS) != 0,
      .target = rec->target,
      .len_bytes = rec->len,
      .number = rec->number,
      .state = done ? CHK_RACE_RELEASED : CHK_RACE_UNDER_WAY,
      .released = done ? rec->released : 0};
}

static bool alike(const struct chk_race_access *a, const struct chk_race_access *b) {
  return a->at.site == b->at.site && a->kind == b->kind && a->source == b->source &&
         a->with_signal == b->with_signal && a->write == b->write;
}

static bool is_meant(const struct chk_race *r, const struct chk_clash *c) {
  struct chk_race_range bytes = c->bytes;
  if (bytes.seg == CHK_RACE_SEG_PRIVATE) bytes.off = c->address;
  return chk_racy_has(r, bytes);
}

bool chk_race_report(struct chk_race *r, const struct chk_clash *c) {
  if (is_meant(r, c)) return false;
  struct chk_race_report now = {.first = access_of(c->first, c->first_class),
                                .second = access_of(c->second, c->second_class),
                                .bytes = c->bytes,
                                .known = c->known,
                                .count = 1};
  r->latest = now;
  for (uint32_t i = 0; i < r->n_reports; i++) {
    struct chk_race_report *old = &r->reports[i];
    bool same = alike(&old->first, &now.first) && alike(&old->second, &now.second);
    if (same || (alike(&old->first, &now.second) && alike(&old->second, &now.first))) {
      old->count++;
      if (r->found != NULL) r->found(r->found_ctx, old);
      return true;
    }
  }
  if (r->n_reports == r->cap_reports) {
    uint32_t cap = r->cap_reports == 0 ? 8 : r->cap_reports * 2;
    struct chk_race_report *more = chk_resize(r->reports, sizeof *more * cap);
    if (more == NULL) eyoti_no_memory(sizeof *more * cap, "%u reports of races", cap);
    r->reports = more;
    r->cap_reports = cap;
  }
  r->reports[r->n_reports] = now;
  if (r->found != NULL) r->found(r->found_ctx, &r->reports[r->n_reports]);
  r->n_reports++;
  return true;
}

uint32_t chk_race_reports(const struct chk_race *r, const struct chk_race_report **reports) {
  *reports = r->reports;
  return r->n_reports;
}

const struct chk_race_report *chk_race_latest(const struct chk_race *r) {
  return r->latest.count > 0 ? &r->latest : NULL;
}

uint32_t chk_race_events(const struct chk_race *r, uint32_t unit) {
  return r->units[unit].events;
}

/* -- words ------------------------------------------------------------------------------------- */

static const char *report_name_of(const struct chk_race_access *a) {
  switch (a->kind) {
    case CHK_RACE_PUT:
      return a->source ? "reading of its source by the put" : "put";
    case CHK_RACE_GET:
      return a->source ? "writing of its result by the get" : "get";
    case CHK_RACE_AMO:
      if (a->source) return "writing of its result by the atomic";
      if (a->floats) return a->write ? "floating-point atomic" : "floating-point atomic read";
      return a->write ? "atomic" : "atomic read";
    case CHK_RACE_SIGNAL:
      if (a->atomic) return "signal";
      return a->source ? "reading of its source by the put with signal" : "put with signal";
    case CHK_RACE_LOAD:
      return "load";
    case CHK_RACE_STORE:
      return "store";
    case CHK_RACE_WAIT:
      break;
  }
  return "waiting";
}

struct text {
  char *buf;
  size_t size, used; /* used may exceed size, as with snprintf */
};

__attribute__((format(printf, 2, 3))) static void report_say(struct text *t, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  size_t at = t->used < t->size ? t->used : t->size;
  int n = eyoti_vsnprintf(t->size == at ? NULL : t->buf + at, t->size - at, fmt, args);
  va_end(args);
  if (n > 0) t->used += (size_t)n;
}

static void say_access(struct text *t, const struct chk_race_access *a) {
  report_say(t, "the %s", report_name_of(a));
  if (a->len_bytes > 0 && a->kind != CHK_RACE_WAIT)
    report_say(t, " of %" PRIu64 " byte%s", a->len_bytes, a->len_bytes == 1 ? "" : "s");
  report_say(t, " by unit %" PRIu32 " (#%" PRIu32 ")", a->at.unit, a->number);
}

/* Says why nothing orders the first access before the second. */
static void say_why(struct text *t, const struct chk_race_report *p) {
  const struct chk_race_access *a = &p->first;
  uint32_t u = a->at.unit, v = p->second.at.unit;
  const char *did = p->second.kind <= CHK_RACE_SIGNAL ? "posted" : "did";
  if (u == v && a->source) {
    report_say(t,
               "unit %" PRIu32
               " %s the second before it had seen the first locally complete (by a wait, a "
               "successful test or a flush)",
               u, did);
    return;
  }
  if (u == v) {
    report_say(t, "unit %" PRIu32 " %s the second before it had seen the first complete, and ", u,
               did);
    if (a->kind == CHK_RACE_GET || p->second.kind == CHK_RACE_GET)
      report_say(t, "eyot_order does not order gets");
    else
      report_say(t, "no eyot_order separates them");
    return;
  }
  if (p->known == 0) {
    report_say(t, "when unit %" PRIu32 " %s the second, it had acquired nothing from unit %" PRIu32,
               v, did, u);
    return;
  }
  report_say(t,
             "when unit %" PRIu32 " %s the second, what it had acquired from unit %" PRIu32
             " covered that unit's events up to #%" PRIu32 "; ",
             v, did, u, p->known);
  if (a->number > p->known) {
    report_say(t, "the first is #%" PRIu32 ", which is later", a->number);
  } else if (a->state == CHK_RACE_RELEASED) {
    report_say(t, "the first, #%" PRIu32 ", was complete for its unit only at #%" PRIu32, a->number,
               a->released);
  } else if (a->kind == CHK_RACE_STORE) {
    report_say(t,
               "the first, #%" PRIu32
               ", is a store with no full barrier (flush, atomic) of its unit after it",
               a->number);
  } else {
    report_say(
        t,
        "the first, #%" PRIu32 ", was posted before that, but its unit had not seen it complete%s",
        a->number,
        a->kind == CHK_RACE_GET ? "" : ", and neither its own signal nor an order shows that");
  }
}

int chk_race_text(const struct chk_race_report *p, const char *where, char *buf, size_t size) {
  struct text t = {.buf = buf, .size = size};
  char numbers[80];
  if (where == NULL) {
    if (p->bytes.seg == CHK_RACE_SEG_PRIVATE)
      snprintf(numbers, sizeof numbers, "private memory, offset %" PRIu64 " of the first's buffer",
               p->bytes.off);
    else if (p->bytes.seg == CHK_WORD_SEG_ATTACHED)
      snprintf(numbers, sizeof numbers, "attached memory, offset %" PRIu64, p->bytes.off);
    else
      snprintf(numbers, sizeof numbers, "segment %" PRIu32 ", offset %" PRIu64, p->bytes.seg,
               p->bytes.off);
    where = numbers;
  }
  say_access(&t, &p->first);
  report_say(&t, " and ");
  say_access(&t, &p->second);
  report_say(&t, " are not ordered, and meet at unit %" PRIu32 ", %s (%" PRIu64 " byte%s): ",
             p->bytes.unit, where, p->bytes.len, p->bytes.len == 1 ? "" : "s");
  if (p->first.kind == CHK_RACE_AMO && p->second.kind == CHK_RACE_AMO && p->first.atomic &&
      p->second.atomic)
    report_say(&t, "they differ in width or type, so that they are not atomic to each other; ");
  say_why(&t, p);
  return (int)t.used;
}
