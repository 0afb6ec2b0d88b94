/* SPDX-License-Identifier: BSD-3-Clause */
/* made.c - implements made.h: records in a hash table (uthash).
 *
 * Memory is from aligned_alloc: tests let each malloc, calloc and realloc fail and expect that a
 * call returns an error, and a record that is missing is none. */
#include "rt/made.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rt/place.h"
#include "rt/rt.h"

#define ALIGN 16u

static void *record_alloc(size_t bytes) {
  size_t whole = (bytes + ALIGN - 1) / ALIGN * ALIGN;
  void *p = aligned_alloc(ALIGN, whole);
  if (p != NULL) memset(p, 0, whole);
  return p;
}

/* as in proc.c */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->failed = true)
#define uthash_malloc(bytes) record_alloc(bytes)
#include <uthash.h>

#define NAME_MAX_BYTES 64u
#define LISTED_MAX 16u /* of what is left at the end; the rest is counted */

struct made_key {
  uint64_t kind, id;
};

struct record {
  UT_hash_handle hh;
  struct made_key key;
  struct eyoti_made made;
  const char *what; /* the public function */
  const void *site; /* its call */
  char *name;       /* NULL: none */
  bool failed;
};

struct eyoti_mades {
  struct record *first; /* in the order of making */
};

static struct record *record_find(const struct eyot_rt *rt, enum eyoti_made_kind kind,
                                  uint64_t id) {
  const struct made_key key = {kind, id};
  struct record *r = NULL;
  if (rt->made != NULL) HASH_FIND(hh, rt->made->first, &key, sizeof key, r);
  return r;
}

static void record_free(struct eyoti_mades *m, struct record *r) {
  HASH_DEL(m->first, r);
  free(r->name);
  free(r);
}

void eyoti_made_add(struct eyot_rt *rt, const struct eyoti_made *made) {
  eyoti_made_drop(rt, made->kind, made->id);
  if (rt->made == NULL && (rt->made = record_alloc(sizeof *rt->made)) == NULL) return;
  struct record *r = record_alloc(sizeof *r);
  if (r == NULL) return;
  r->key = (struct made_key){made->kind, made->id};
  r->made = *made;
  r->what = eyoti_rt_what(rt);
  r->site = eyoti_rt_site(rt);
  HASH_ADD(hh, rt->made->first, key, sizeof r->key, r);
  if (r->failed) free(r);
}

void eyoti_made_drop(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id) {
  /* eyot_finalize releases memory that other units may still access by mistake */
  if (rt->state == EYOTI_STOPPING) return;
  struct record *r = record_find(rt, kind, id);
  if (r != NULL) record_free(rt->made, r);
}

void eyoti_made_stop(struct eyot_rt *rt) {
  if (rt->made == NULL) return;
  struct record *r, *next;
  HASH_ITER(hh, rt->made->first, r, next) {
    record_free(rt->made, r);
  }
  free(rt->made);
  rt->made = NULL;
}

int eyoti_made_name(struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id, const char *name) {
  struct record *r = record_find(rt, kind, id);
  if (r == NULL)
    return EYOTI_FAIL(EYOT_ESEG, "there is no such allocation of this unit to give a name to");
  char *copy = name[0] != '\0' ? strndup(name, NAME_MAX_BYTES - 1) : NULL;
  if (copy == NULL && name[0] != '\0') return EYOTI_FAIL(EYOT_ENOMEM, "no memory for a name");
  free(r->name);
  r->name = copy;
  return EYOT_OK;
}

/* -- words ------------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with) {
  return text != NULL && strncmp(text, with, strlen(with)) == 0;
}

/* An object is the allocation that its function has made. */
static const char *noun_of(const struct record *r) {
  if (r->made.kind == EYOTI_MADE_TEAM)
    return r->made.id == EYOT_TEAM_ALL.id ? "EYOT_TEAM_ALL" : "the team";
  if (r->made.kind == EYOTI_MADE_REGISTERED) return "the registered memory";
  if (r->made.kind == EYOTI_MADE_REGION) return "the attached memory";
  if (begins(r->what, "eyot_lock_")) return "the lock";
  if (begins(r->what, "eyot_counter_")) return "the counter";
  if (begins(r->what, "eyot_pscw_")) return "the pscw object";
  if (begins(r->what, "eyot_dynamic_")) return "the dynamic segment";
  if (begins(r->what, "eyot_team_alloc") || begins(r->what, "eyot_alloc")) return "the memory";
  return "the scratch memory";
}

static const char *record_words(const struct eyot_rt *rt, const struct record *r, bool brief,
                                char text[EYOTI_WORDS]) {
  char place[EYOTI_CODE_LINE], size[32] = "";
  if (r->made.kind == EYOTI_MADE_TEAM && r->made.id == EYOT_TEAM_ALL.id)
    return strcpy(text, "EYOT_TEAM_ALL");
  if (r->made.kind != EYOTI_MADE_TEAM && r->made.len_bytes > 0)
    snprintf(size, sizeof size, "%" PRIu64 " bytes, ", r->made.len_bytes);
  if (r->name != NULL && brief) {
    snprintf(text, EYOTI_WORDS, "\"%s\"", r->name);
    return text;
  }
  (void)eyoti_place_text(rt, eyoti_place_of(rt, r->site), place);
  if (brief) {
    snprintf(text, EYOTI_WORDS, "%s of %s", noun_of(r), place);
    return text;
  }
  const char *what = r->what != NULL ? r->what : "eyot";
  if (r->name != NULL)
    snprintf(text, EYOTI_WORDS, "\"%s\" (%s%s at %s)", r->name, size, what, place);
  else
    snprintf(text, EYOTI_WORDS, "%s (%s%s at %s)", noun_of(r), size, what, place);
  return text;
}

const char *eyoti_made_words(const struct eyot_rt *rt, enum eyoti_made_kind kind, uint64_t id,
                             char text[EYOTI_WORDS]) {
  static const char *const KINDS[] = {[EYOTI_MADE_COLLECTIVE] = "the memory of segment",
                                      [EYOTI_MADE_PRIVATE] = "block",
                                      [EYOTI_MADE_REGISTERED] = "registered memory",
                                      [EYOTI_MADE_REGION] = "attached memory",
                                      [EYOTI_MADE_TEAM] = "team",
                                      [EYOTI_MADE_OWN] = "segment"};
  const struct record *r = record_find(rt, kind, id);
  if (r != NULL) return record_words(rt, r, false, text);
  snprintf(text, EYOTI_WORDS, "%s %" PRIu64, KINDS[kind], id);
  return text;
}

/* The record with that byte. Memory of the runtime is the last choice: it may be the whole
 * segment. */
static const struct record *record_at(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off) {
  const struct record *found = NULL;
  for (const struct record *r = rt->made != NULL ? rt->made->first : NULL; r != NULL;
       r = r->hh.next)
    if (r->made.seg == seg && off >= r->made.off && off - r->made.off < r->made.len_bytes &&
        (found == NULL || found->made.kind == EYOTI_MADE_OWN))
      found = r;
  return found;
}

const char *eyoti_words(const struct eyot_rt *rt, fab_seg_t seg, uint64_t off, bool brief,
                        char text[EYOTI_WORDS]) {
  const struct record *r = record_at(rt, seg, off);
  char of[EYOTI_WORDS];
  if (r != NULL && r->made.kind == EYOTI_MADE_TEAM)
    snprintf(text, EYOTI_WORDS, "a control word of %.290s", record_words(rt, r, brief, of));
  else if (r != NULL && r->made.kind != EYOTI_MADE_OWN)
    snprintf(text, EYOTI_WORDS, "offset %" PRIu64 " of %.280s", off - r->made.off,
             record_words(rt, r, brief, of));
  else if (seg == FAB_SEG_ATTACHED)
    snprintf(text, EYOTI_WORDS, "attached memory that is no longer there");
  else
    snprintf(text, EYOTI_WORDS, "%s (segment %u, offset %" PRIu64 ")",
             r != NULL ? "a word of eyot's own" : "memory that is not allocated", seg, off);
  return text;
}

/* -- the end ----------------------------------------------------------------------------------- */

void eyoti_made_list(struct eyot_rt *rt) {
  char text[EYOTI_WORDS];
  uint32_t n = 0;
  for (const struct record *r = rt->made != NULL ? rt->made->first : NULL; r != NULL;
       r = r->hh.next) {
    if (!r->made.counts || strcmp(noun_of(r), "the scratch memory") == 0) continue;
    if (n++ < LISTED_MAX)
      eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not released before: %s",
                record_words(rt, r, false, text));
  }
  if (n > LISTED_MAX)
    eyoti_log(EYOTI_LOG_WARN, "eyot_finalize", 0, "not released before: %u more", n - LISTED_MAX);
}
