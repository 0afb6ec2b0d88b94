/* SPDX-License-Identifier: BSD-3-Clause */
/* label.c - implements label.h. A get that a target does not serve in time goes on in a buffer of
 * its own, and the next one waits until it has ended. */
#include "gmem/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_BYTES (EYOTI_GRELEASES * sizeof(struct eyoti_grelease))
#define LOOK_NS UINT64_C(500000000)
#define PRINTABLE_FIRST 0x20
#define PRINTABLE_LAST 0x7e

struct kind_words {
  const char *noun, *made, *released;
};
static const struct kind_words KIND_WORDS[EYOTI_GLABEL_KINDS] = {
    [EYOTI_GLABEL_BLOCK] = {"the memory", "eyot_alloc", "eyot_free"},
    [EYOTI_GLABEL_LOCK] = {"the lock", "eyot_lock_alloc", "eyot_lock_free"},
    [EYOTI_GLABEL_COUNTER] = {"the counter", "eyot_counter_alloc", "eyot_counter_destroy"},
    [EYOTI_GLABEL_REGISTERED] = {"the registered memory", "eyot_register", "eyot_unregister"}};

/* -- the owner's ------------------------------------------------------------------------------- */

void eyoti_glabel_name(struct eyoti_glabel *l, const char *name) {
  static const char CUT[] = "...";
  memset(l->name, 0, sizeof l->name);
  size_t n = strnlen(name, sizeof l->name);
  bool cut = n == sizeof l->name;
  if (cut) n = sizeof l->name - sizeof CUT;
  memcpy(l->name, name, n);
  if (cut) memcpy(l->name + n, CUT, sizeof CUT);
}

static uint64_t release_off(const struct eyoti_gmem *m, uint32_t i) {
  return m->size + i * sizeof(struct eyoti_grelease);
}

void eyoti_glabel_release(struct eyot_rt *rt, uint64_t id, const struct eyoti_glabel *was) {
  struct eyoti_gmem *m = rt->gmem;
  if (rt->state == EYOTI_STOPPING) return; /* by eyot_finalize, not by the program */
  struct eyoti_grelease r = {
      .id = id, .gone = eyoti_place_word(rt, eyoti_rt_site(rt)), .was = *was};
  memcpy(eyoti_gmem_at(m, release_off(m, m->releases++ % EYOTI_GRELEASES)), &r, sizeof r);
}

/* -- reading ----------------------------------------------------------------------------------- */

struct eyoti_glook {
  fab_req_t req; /* not retired, if busy */
  bool busy;
  char bytes[LOOK_BYTES];
};

/* Waits until the get has ended, or until the deadline. */
static bool look_ends(struct eyot_rt *rt, struct eyoti_glook *k, uint64_t deadline_ns) {
  bool done = false;
  int rc;
  while ((rc = fab_req_test(rt->fab, k->req, FAB_LOCAL, &done)) == EYOT_OK && !done)
    if (rt->fab->ops->now_ns(rt->fab) >= deadline_ns) return false;
  if (rc == EYOT_OK) rc = fab_req_wait(rt->fab, k->req, FAB_REMOTE);
  k->busy = false;
  return rc == EYOT_OK;
}

static bool look_far(struct eyot_rt *rt, struct fab_addr at, void *dst, uint64_t len) {
  struct eyoti_gmem *m = rt->gmem;
  uint64_t now = rt->fab->ops->now_ns(rt->fab);
  if (m->look == NULL && (m->look = calloc(1, sizeof *m->look)) == NULL) return false;
  struct eyoti_glook *k = m->look;
  if (k->busy && (look_ends(rt, k, now), k->busy)) return false;
  if (fab_get(rt->fab, k->bytes, at, len, &k->req) != EYOT_OK) return false;
  k->busy = true;
  if (!look_ends(rt, k, now + LOOK_NS)) return false;
  memcpy(dst, k->bytes, len);
  return true;
}

bool eyoti_gmem_look(struct eyot_rt *rt, uint32_t unit, uint64_t off, void *dst, uint64_t len) {
  if (unit >= rt->fab->n || len > LOOK_BYTES) return false;
  struct fab_addr at = fab_at(unit, rt->gmem->seg, off);
  const char *mapped = eyoti_gmem_mapped(rt, at);
  if (mapped != NULL) {
    memcpy(dst, mapped, len);
    return true;
  }
  if (rt->fab->ops->seg_look != NULL)
    return rt->fab->ops->seg_look(rt->fab, at, dst, len) == EYOT_OK;
  return look_far(rt, at, dst, len);
}

void eyoti_gmem_look_stop(struct eyot_rt *rt) {
  struct eyoti_glook *k = rt->gmem->look;
  if (k != NULL && k->busy) (void)fab_req_end(rt->fab, FAB_ALL, k->req);
  free(k);
  rt->gmem->look = NULL;
}

/* -- words ------------------------------------------------------------------------------------- */

static const struct kind_words *words_of(const struct eyoti_glabel *l) {
  return &KIND_WORDS[l->kind < EYOTI_GLABEL_KINDS ? l->kind : EYOTI_GLABEL_BLOCK];
}

void eyoti_glabel_copy_name(const struct eyoti_glabel *l, char name[EYOTI_GLABEL_NAME]) {
  size_t n = strnlen(l->name, EYOTI_GLABEL_NAME);
  bool good = n < EYOTI_GLABEL_NAME;
  for (size_t i = 0; i < n; i++)
    good = good && l->name[i] >= PRINTABLE_FIRST && l->name[i] <= PRINTABLE_LAST;
  snprintf(name, EYOTI_GLABEL_NAME, "%s", good ? l->name : "");
}

const char *eyoti_glabel_words(const struct eyot_rt *rt, uint32_t unit,
                               const struct eyoti_glabel *l, char text[EYOTI_WORDS]) {
  char name[EYOTI_GLABEL_NAME], place[EYOTI_CODE_LINE];
  eyoti_glabel_copy_name(l, name);
  struct eyoti_object o = {.noun = words_of(l)->noun,
                           .name = name,
                           .what = words_of(l)->made,
                           .place = eyoti_place_word_text(rt, unit, l->made, place),
                           .len_bytes = l->len};
  return eyoti_object_words(&o, false, text);
}

const char *eyoti_glabel_gone(struct eyot_rt *rt, uint32_t unit, bool registered, uint64_t id,
                              uint32_t gen, const char *unknown, char text[EYOTI_GONE]) {
  struct eyoti_grelease ring[EYOTI_GRELEASES];
  const struct eyoti_grelease *r = NULL;
  if (eyoti_gmem_look(rt, unit, release_off(rt->gmem, 0), ring, sizeof ring))
    for (uint32_t i = 0; i < EYOTI_GRELEASES; i++)
      if (ring[i].was.magic == EYOTI_GLABEL_MAGIC && ring[i].id == id && ring[i].was.gen == gen &&
          (ring[i].was.kind == EYOTI_GLABEL_REGISTERED) == registered)
        r = &ring[i];
  if (r == NULL) {
    snprintf(text, EYOTI_GONE, "%s", unknown);
    return text;
  }
  char words[EYOTI_WORDS], place[EYOTI_CODE_LINE];
  snprintf(text, EYOTI_GONE, "%s was released by %s at %s",
           eyoti_glabel_words(rt, unit, &r->was, words), words_of(&r->was)->released,
           eyoti_place_word_text(rt, unit, r->gone, place));
  return text;
}
