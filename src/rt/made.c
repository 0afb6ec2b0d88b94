/* SPDX-License-Identifier: BSD-3-Clause */
/* made.c - implements made.h: records in a hash table with chains. */
#include "rt/made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/image.h"
#include "base/run.h"
#include "base/symbol.h"
#include "rt/made_record.h"
#include "rt/place.h"
#include "rt/rt.h"

#define NAME_MAX_BYTES 64u
#define GONE_MAX 16u   /* units of a large simulation have that many each */
#define LISTED_MAX 16u /* of what is left at the end; the rest is counted */

#define BUCKETS_FIRST 4u
#define BUCKET_MOST 4u /* records of a bucket, on average, before there are twice as many */

struct eyoti_mades {
  struct eyoti_record **bucket;            /* n_buckets of them, a power of two */
  struct eyoti_record *few[BUCKETS_FIRST]; /* the first ones */
  uint32_t n_buckets, n;
  uint32_t next_gone;
  uint64_t order; /* of the next record */
  /* what was released last: GONE_MAX of them, a ring; NULL: none yet */
  struct eyoti_record **gone;
  struct eyoti_record *spare; /* for the next one; NULL: none */
  struct eyoti_proc *proc;    /* that shares what records say; NULL: none */
};

static struct eyoti_record **bucket_of(const struct eyoti_mades *m, enum eyoti_made_kind kind,
                                       uint64_t id) {
  return &m->bucket[eyoti_hash_mix((uint64_t)kind, id) & (m->n_buckets - 1)];
}

/* The place of a record in its chain, or the end of that chain. */
static struct eyoti_record **record_place(const struct eyoti_mades *m, enum eyoti_made_kind kind,
                                          uint64_t id) {
  struct eyoti_record **at = bucket_of(m, kind, id);
  while (*at != NULL && ((*at)->is->made.kind != kind || (*at)->is->made.id != id))
    at = &(*at)->next;
  return at;
}

static struct eyoti_record *record_find(const struct eyot_rt *rt, enum eyoti_made_kind kind,
                                        uint64_t id) {
  return rt->made != NULL ? *record_place(rt->made, kind, id) : NULL;
}

/* Takes a record out of the table. */
static struct eyoti_record *record_take(struct eyoti_mades *m, enum eyoti_made_kind kind,
                                        uint64_t id) {
  struct eyoti_record **at = record_place(m, kind, id), *r = *at;
  if (r == NULL) return NULL;
  *at = r->next;
  m->n--;
  return r;
}

/* Doubles the buckets if they are long; without memory they stay. */
static void mades_widen(struct eyoti_mades *m) {
  if (m->n < m->n_buckets * BUCKET_MOST) return;
  struct eyoti_mades old = *m;
  struct eyoti_record **wider =
      eyoti_record_alloc(2 * (size_t)old.n_buckets * sizeof(struct eyoti_record *));
  if (wider == NULL) return;
  m->bucket = wider;
  m->n_buckets *= 2;
  for (uint32_t i = 0; i < old.n_buckets; i++) {
    for (struct eyoti_record *r = old.bucket[i], *next; r != NULL; r = next) {
      next = r->next;
      struct eyoti_record **to = bucket_of(m, r->is->made.kind, r->is->made.id);
      r->next = *to;
      *to = r;
    }
  }
  if (old.n_buckets > BUCKETS_FIRST) free(old.bucket);
}

/* Walks over all records, in no order: *bucket is 0 and r NULL at first. */
static struct eyoti_record *record_next(const struct eyoti_mades *m, const struct eyoti_record *r,
                                        uint32_t *bucket) {
  struct eyoti_record *next = r != NULL ? r->next : NULL;
  while (next == NULL && m != NULL && *bucket < m->n_buckets) next = m->bucket[(*bucket)++];
  return next;
}

static bool begins(const char *text, const char *with) {
  return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

static const char MEMORY[] = "the memory";
static const char SCRATCH[] = "the scratch memory";
static const char GRAPH[] = "the graph", GRID[] = "the grid";

/* An object is the allocation that its function has made. */
static const char *noun_of(const struct eyoti_record *r) {
  if (r->is->made.kind == EYOTI_MADE_TEAM)
    return r->is->made.id == EYOT_TEAM_ALL.id ? "EYOT_TEAM_ALL" : "the team";
  if (r->is->made.kind == EYOTI_MADE_SET) return "the operation set";
  if (r->is->made.kind == EYOTI_MADE_REGISTERED) return "the registered memory";
  if (r->is->made.kind == EYOTI_MADE_REGION) return "the attached memory";
  if (r->is->made.kind == EYOTI_MADE_DATA) return "the program's data";
  /* few comparisons, because each release asks */
  if (!begins(r->is->what, "eyot_")) return SCRATCH;
  static const struct {
    const char *by, *noun;
  } NOUNS[] = {{"eyot_alloc", MEMORY},
               {"eyot_team_alloc", MEMORY},
               {"eyot_lock_", "the lock"},
               {"eyot_counter_", "the counter"},
               {"eyot_cart_", GRID},
               {"eyot_graph_", GRAPH},
               {"eyot_pscw_", "the pscw object"},
               {"eyot_dynamic_", "the dynamic segment"}};
  const size_t letter = sizeof "eyot_" - 1;
  for (size_t i = 0; i < sizeof NOUNS / sizeof NOUNS[0]; i++)
    if (NOUNS[i].by[letter] == r->is->what[letter] && begins(r->is->what, NOUNS[i].by))
      return NOUNS[i].noun;
  return SCRATCH;
}

/* Of a call, and released by the same: no program can name it. */
static bool is_scratch(const struct eyoti_record *r) {
  return noun_of(r) == SCRATCH;
}

bool eyoti_made_is_memory(const struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id) {
  const struct eyoti_record *r = record_find(rt, kind, id);
  return r != NULL && noun_of(r) == MEMORY;
}

/* Frees it, or keeps it for the next one. */
static void record_spare(struct eyoti_mades *m, struct eyoti_record *r) {
  if (r == NULL) return;
  if (m->spare != NULL || !eyoti_record_is_own(r)) {
    eyoti_record_free(m->proc, r);
    return;
  }
  free(r->name);
  r->name = NULL;
  m->spare = r;
}

static struct eyoti_mades *mades_new(const struct eyot_rt *rt) {
  struct eyoti_proc *proc = eyoti_record_sharing(rt);
  struct eyoti_mades *m = proc != NULL ? eyoti_slack_new(sizeof *m) : eyoti_record_alloc(sizeof *m);
  if (m == NULL) return NULL;
  m->proc = proc;
  m->bucket = m->few;
  m->n_buckets = BUCKETS_FIRST;
  return m;
}

/* Field by field, so that equal facts are equal bytes. */
static void facts_fill(struct eyoti_made_facts *f, const struct eyot_rt *rt,
                       const struct eyoti_made *made) {
  memset(f, 0, sizeof *f);
  f->made.kind = made->kind;
  f->made.id = made->id;
  f->made.gen = made->gen;
  f->made.seg = made->seg;
  f->made.off = made->off;
  f->made.len_bytes = made->len_bytes;
  f->made.counts = made->counts;
  f->what = eyoti_rt_what(rt);
  f->shown = eyoti_rt_shown(rt);
  f->site = eyoti_rt_site(rt);
}

void eyoti_made_add(struct eyot_rt *rt, const struct eyoti_made *made) {
  struct eyoti_made_facts facts;
  if (rt->made == NULL && (rt->made = mades_new(rt)) == NULL) return;
  struct eyoti_mades *m = rt->made;
  eyoti_record_free(m->proc, record_take(m, made->kind, made->id));
  facts_fill(&facts, rt, made);
  struct eyoti_record *spare = m->spare, *r = eyoti_record_new(m->proc, &facts, spare);
  m->spare = r == spare ? NULL : spare;
  if (r == NULL) return;
  r->order = m->order++;
  mades_widen(m);
  struct eyoti_record **to = bucket_of(m, made->kind, made->id);
  r->next = *to;
  *to = r;
  m->n++;
}

/* In the place of the oldest one. */
static void remember_gone(struct eyot_rt *rt, struct eyoti_record *r) {
  struct eyoti_mades *m = rt->made;
  bool scratch = is_scratch(r);
  const size_t gone = GONE_MAX * sizeof *m->gone;
  if (m->gone == NULL && !scratch)
    m->gone = m->proc != NULL ? eyoti_slack_new(gone) : eyoti_record_alloc(gone);
  if (m->gone == NULL || scratch) {
    record_spare(m, r);
    return;
  }
  struct eyoti_record **g = &m->gone[m->next_gone++ % GONE_MAX];
  record_spare(m, *g);
  r->gone_what = eyoti_rt_shown(rt);
  r->gone_site = eyoti_rt_site(rt);
  *g = r;
}

void eyoti_made_drop(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id) {
  /* eyot_finalize releases memory that other units may still access by mistake */
  if (rt->state == EYOTI_STOPPING || rt->made == NULL) return;
  struct eyoti_record *r = record_take(rt->made, kind, id);
  if (r != NULL) remember_gone(rt, r);
}

void eyoti_made_stop(struct eyot_rt *rt) {
  struct eyoti_mades *m = rt->made;
  if (m == NULL) return;
  for (uint32_t i = 0; i < m->n_buckets; i++) {
    for (struct eyoti_record *r = m->bucket[i], *next; r != NULL; r = next) {
      next = r->next;
      eyoti_record_free(m->proc, r);
    }
  }
  for (uint32_t i = 0; m->gone != NULL && i < GONE_MAX; i++) eyoti_record_free(m->proc, m->gone[i]);
  eyoti_slack_free(m->gone);
  eyoti_record_free(m->proc, m->spare);
  if (m->n_buckets > BUCKETS_FIRST) free(m->bucket);
  eyoti_slack_free(m);
  rt->made = NULL;
}

int eyoti_made_name(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id, const char *name) {
  struct eyoti_record *r = record_find(rt, kind, id);
  if (r == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "there is no such allocation of this unit to give a name to");
  char *copy = name[0] != '\0' ? strndup(name, NAME_MAX_BYTES - 1) : NULL;
  if (copy == NULL && name[0] != '\0') return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a name");
  free(r->name);
  r->name = copy;
  return EYOT_OK;
}

/* -- words ------------------------------------------------------------------------------------- */

/* Its words, but for the place. */
static struct eyoti_object record_object(const struct eyoti_record *r) {
  bool data = r->is->made.kind == EYOTI_MADE_DATA;
  bool team = r->is->made.kind == EYOTI_MADE_TEAM, all = team && r->is->made.id == EYOT_TEAM_ALL.id;
  return (struct eyoti_object){.noun = noun_of(r),
                               .name = r->name,
                               .what = all || data            ? NULL
                                       : r->is->shown != NULL ? r->is->shown
                                                              : "eyot",
                               .len_bytes = team ? 0 : r->is->made.len_bytes};
}

/* The same with the place, which may take a while to find, unless the words are brief and without
 * it. */
static struct eyoti_object record_placed(const struct eyot_rt *rt, const struct eyoti_record *r,
                                         bool brief, char place[EYOTI_CODE_LINE]) {
  struct eyoti_object o = record_object(r);
  if (o.what != NULL && !(brief && o.name != NULL))
    o.place = eyoti_place_text(rt, eyoti_place_of(rt, r->is->site), place);
  return o;
}

const char *eyoti_made_words(const struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id,
                             char text[EYOTI_WORDS]) {
  static const char *const KINDS[] = {[EYOTI_MADE_COLLECTIVE] = "the memory of segment",
                                      [EYOTI_MADE_PRIVATE] = "block",
                                      [EYOTI_MADE_REGISTERED] = "registered memory",
                                      [EYOTI_MADE_REGION] = "attached memory",
                                      [EYOTI_MADE_DATA] = "the program's data, segment",
                                      [EYOTI_MADE_TEAM] = "team",
                                      [EYOTI_MADE_SET] = "operation set",
                                      [EYOTI_MADE_OWN] = "segment"};
  const struct eyoti_record *r = record_find(rt, kind, id);
  if (r == NULL) {
    snprintf(text, EYOTI_WORDS, "%s %" PRIu64, KINDS[kind], id);
    return text;
  }
  char place[EYOTI_CODE_LINE];
  struct eyoti_object o = record_placed(rt, r, false, place);
  return eyoti_object_words(&o, false, text);
}

const char *eyoti_made_gone(const struct eyot_rt *rt, const struct eyoti_made *was,
                            const char *unknown, char text[EYOTI_GONE]) {
  const struct eyoti_record *g = NULL;
  for (uint32_t i = 0; rt->made != NULL && rt->made->gone != NULL && i < GONE_MAX; i++) {
    const struct eyoti_record *r = rt->made->gone[i];
    if (r != NULL && r->is->made.kind == was->kind && r->is->made.id == was->id &&
        r->is->made.gen == was->gen)
      g = r;
  }
  if (g == NULL) {
    snprintf(text, EYOTI_GONE, "%s", unknown);
    return text;
  }
  char words[EYOTI_WORDS], made[EYOTI_CODE_LINE], released[EYOTI_CODE_LINE];
  struct eyoti_object o = record_placed(rt, g, false, made);
  snprintf(text, EYOTI_GONE, "%s was released by %s at %s", eyoti_object_words(&o, false, words),
           g->gone_what != NULL ? g->gone_what : "eyot",
           eyoti_place_text(rt, eyoti_place_of(rt, g->gone_site), released));
  return text;
}

/* The record with that byte. Memory of the runtime is the last choice: it may be the whole
 * segment. */
static const struct eyoti_record *record_at(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off) {
  const struct eyoti_record *found = NULL;
  uint32_t bucket = 0;
  for (const struct eyoti_record *r = NULL; (r = record_next(rt->made, r, &bucket)) != NULL;)
    if (r->is->made.seg == seg && off >= r->is->made.off &&
        off - r->is->made.off < r->is->made.len_bytes &&
        (found == NULL || found->is->made.kind == EYOTI_MADE_OWN))
      found = r;
  return found;
}

static enum eyoti_object_at at_of(const struct eyoti_record *r, fab_seg_t seg) {
  if (r == NULL) return seg == FAB_SEG_ATTACHED ? EYOTI_AT_ATTACHED : EYOTI_AT_NOWHERE;
  return r->is->made.kind == EYOTI_MADE_TEAM  ? EYOTI_AT_CONTROL
         : r->is->made.kind == EYOTI_MADE_OWN ? EYOTI_AT_OWN
                                              : EYOTI_AT_OBJECT;
}

/* The last release of memory with that byte. */
static const struct eyoti_record *gone_at(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off) {
  const struct eyoti_mades *m = rt->made;
  for (uint32_t i = 1; m != NULL && m->gone != NULL && i <= GONE_MAX; i++) {
    const struct eyoti_record *g = m->gone[(m->next_gone - i) % GONE_MAX];
    if (g != NULL && g->is->made.kind != EYOTI_MADE_TEAM && g->is->made.seg == seg &&
        off >= g->is->made.off && off - g->is->made.off < g->is->made.len_bytes)
      return g;
  }
  return NULL;
}

/* "offset 8 of the memory (24 bytes, eyot_alloc at a.c:12 (main)), which eyot_free at a.c:20 (main)
 * has released" */
static const char *gone_words(const struct eyot_rt *rt, const struct eyoti_record *g, uint64_t off,
                              bool brief, char text[EYOTI_WORDS]) {
  char made[EYOTI_CODE_LINE], released[EYOTI_CODE_LINE], words[EYOTI_WORDS];
  struct eyoti_object o = record_placed(rt, g, brief, made);
  snprintf(text, EYOTI_WORDS, "offset %" PRIu64 " of %.165s, which %.24s at %.70s has released",
           off - g->is->made.off, eyoti_object_words(&o, brief, words),
           g->gone_what != NULL ? g->gone_what : "eyot",
           eyoti_place_text(rt, eyoti_place_of(rt, g->gone_site), released));
  return text;
}

/* A byte of the program's data: the program's file, the byte's place in it, and in the data. */
struct made_data {
  const char *path;
  uint64_t at, in;
};

/* The unit may not have used its data yet, and has no record of it then. */
static bool data_at(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off, struct made_data *d) {
  struct fab_data data;
  const struct fab *f = rt->fab;
  if (f == NULL || f->ops->seg_data_known == NULL || !f->ops->seg_data_known(f, &data) ||
      data.seg != seg)
    return false;
  uint64_t at = data.image->lo + off;
  *d = (struct made_data){data.image->path, at, at - eyoti_image_first(data.image)};
  return true;
}

const char *eyoti_words(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off, bool brief,
                        char text[EYOTI_WORDS]) {
  const struct eyoti_record *r = record_at(rt, seg, off);
  enum eyoti_object_at at = at_of(r, seg);
  struct made_data d;
  char place[EYOTI_CODE_LINE];
  const struct eyoti_record *g =
      at == EYOTI_AT_NOWHERE || at == EYOTI_AT_ATTACHED ? gone_at(rt, seg, off) : NULL;
  if (g != NULL) return gone_words(rt, g, off, brief, text);
  if (data_at(rt, seg, off, &d)) return eyoti_symbol_words(d.path, d.at, d.in, brief, text);
  struct eyoti_object o = {0};
  if (at == EYOTI_AT_OBJECT || at == EYOTI_AT_CONTROL) o = record_placed(rt, r, brief, place);
  return eyoti_object_at_words(at, &o, r != NULL ? off - r->is->made.off : 0, seg, off, brief,
                               text);
}

/* -- for another process ----------------------------------------------------------------------- */

/* Not snprintf, because units call this while they wait. */
static void copy_text(char *to, const char *from, size_t size) {
  size_t i = 0;
  for (; from != NULL && i + 1 < size && from[i] != '\0'; i++) to[i] = from[i];
  to[i] = '\0';
}

static void record_describe(const struct eyoti_record *r, struct eyoti_run_object *to) {
  const struct eyoti_object o = record_object(r);
  to->len_bytes = o.len_bytes;
  to->site = (uint64_t)(uintptr_t)r->is->site;
  copy_text(to->noun, o.noun, sizeof to->noun);
  copy_text(to->name, o.name, sizeof to->name);
  copy_text(to->what, o.what, sizeof to->what);
}

void eyoti_made_describe(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off,
                         struct eyoti_run_object *to) {
  const struct eyoti_record *r = record_at(rt, seg, off);
  struct made_data d;
  *to = (struct eyoti_run_object){.known = true, .at = (uint32_t)at_of(r, seg)};
  if (data_at(rt, seg, off, &d)) {
    to->at = EYOTI_AT_DATA;
    to->in = d.in;
    to->data = d.at;
    return;
  }
  if (to->at != EYOTI_AT_OBJECT && to->at != EYOTI_AT_CONTROL) return;
  record_describe(r, to);
  to->in = off - r->is->made.off;
}

bool eyoti_made_about_lock(const struct eyot_rt *rt, const char *what) {
  static const char ACQUIRE[] = "eyot_lock_acquire";
  return begins(what, ACQUIRE) && rt->about.kind != EYOTI_MADE_TEAM;
}

void eyoti_made_describe_about(const struct eyot_rt *rt, const char *what,
                               struct eyoti_run_object *to) {
  const struct eyoti_about *a = &rt->about;
  const struct eyoti_record *r = NULL;
  *to = (struct eyoti_run_object){0};
  if (!eyoti_made_about_lock(rt, what) || rt->fab == NULL) return;
  if (a->unit == rt->fab->me) r = record_find(rt, a->kind, a->id);
  if (r == NULL && (a->far == NULL || a->far->len_bytes == 0)) return;
  to->known = true;
  to->at = EYOTI_AT_OBJECT;
  if (r != NULL) {
    record_describe(r, to);
    return;
  }
  to->len_bytes = a->far->len_bytes;
  to->site = (uint64_t)(uintptr_t)a->far->site;
  copy_text(to->noun, "the lock", sizeof to->noun);
  copy_text(to->name, a->far->name, sizeof to->name);
  copy_text(to->what, "eyot_lock_alloc", sizeof to->what);
}

/* -- the end ----------------------------------------------------------------------------------- */

/* What eyot_finalize releases without a warning where frees_at_end is set. */
static bool is_of_end(const struct eyoti_record *r) {
  const char *noun = noun_of(r);
  return r->is->made.kind == EYOTI_MADE_TEAM || noun == GRAPH || noun == GRID;
}

/* The first record in the order of making, from `from` on, that counts; NULL: none. */
static const struct eyoti_record *next_left(const struct eyot_rt *rt, uint64_t from, uint32_t *n) {
  const struct eyoti_record *found = NULL;
  uint32_t bucket = 0;
  *n = 0;
  for (const struct eyoti_record *r = NULL; (r = record_next(rt->made, r, &bucket)) != NULL;) {
    if (r->order < from || !r->is->made.counts || is_scratch(r)) continue;
    if (rt->frees_at_end && is_of_end(r)) continue;
    if (found == NULL || r->order < found->order) found = r;
    ++*n;
  }
  return found;
}

void eyoti_made_list(struct eyot_rt *rt) {
  char text[EYOTI_WORDS], place[EYOTI_CODE_LINE];
  uint32_t n;
  if (eyoti_log_level() < EYOTI_LOG_WARN) return; /* a place takes milliseconds to find */
  const struct eyoti_record *r = next_left(rt, 0, &n);
  for (uint32_t i = 0; r != NULL && i < LISTED_MAX; i++) {
    struct eyoti_object o = record_placed(rt, r, false, place);
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not released before: %s",
              eyoti_object_words(&o, false, text));
    r = next_left(rt, r->order + 1, &n);
  }
  if (r != NULL) eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not released before: %u more", n);
}
