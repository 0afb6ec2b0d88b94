/* SPDX-License-Identifier: BSD-3-Clause */
/* give_coll.c - collectives of gives and takes (eyot/own.h). All members meet before the first
 * message: they compare function and root, and one that refuses its arguments says so, so that all
 * get an error and no buffer has moved. A message that waits for a take which nobody makes would
 * not tell anybody. */
#include <stdlib.h>

#include "base/hash.h"
#include "msg/call.h"
#include "teams/compare.h"

#define TAG_BUFFER 0
#define TAG_NOTHING 1 /* in the place of a buffer that is NULL */
#define TAG_REFUSED 2 /* of one that could not be given */

static int coll_null(struct eyot_rt *rt, const char *name) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s is NULL", name);
}

static int coll_enter(struct eyot_rt *rt, eyot_team_t team, enum eyoti_call_words words,
                      uint32_t root, struct eyoti_team **t) {
  EYOTI_TRY(eyoti_team_get(rt, team, t));
  return eyoti_team_enter_by(rt, *t, words, root, 0);
}

/* -- the meeting ------------------------------------------------------------------------------- */

static enum eyoti_compare_in coll_in(enum eyoti_call_words words) {
  if (words == EYOTI_WORDS_SCATTER) return EYOTI_IN_OWN_SCATTER;
  return words == EYOTI_WORDS_GATHER ? EYOTI_IN_OWN_GATHER : EYOTI_IN_OWN_ALLTOALL;
}

/* refused: why the caller does not take part, logged; or EYOT_OK. Errors, on all members: EMISMATCH
 * (they differ in function), that of one that refuses, EMISMATCH (in root). */
static int coll_meet(struct eyot_rt *rt, struct eyoti_team *t, enum eyoti_call_words words,
                     uint32_t root, int refused) {
  const uint64_t hash = eyoti_hash_mix((uint64_t)words, root);
  struct eyoti_compared c;
  eyoti_team_agrees(t);
  EYOTI_TRY(eyoti_compare(rt->fab, &t->ctl, coll_in(words), hash, refused, &c));
  (void)eyoti_team_agreed(t, EYOT_OK);
  if (c.error != EYOT_OK)
    return refused != EYOT_OK
               ? refused
               : EYOTI_MSG_FAIL(rt, c.error, "another member of %s refused its arguments",
                                EYOTI_TEAM_WORDS(t));
  if (c.same) return EYOT_OK;
  EYOTI_ASSERT(root != FAB_COLLECTIVE_NONE);
  return EYOTI_MSG_FAIL(rt, EYOT_EMISMATCH,
                        "members of %s passed another root; this one passed root %u",
                        EYOTI_TEAM_WORDS(t), root);
}

static int root_check(struct eyot_rt *rt, const struct eyoti_team *t, eyot_tunit_t root) {
  if (root.id < t->size) return EYOT_OK;
  return EYOTI_MSG_FAIL(rt, EYOT_EUNIT, "%s has no unit %u, expected 0..%u", EYOTI_TEAM_WORDS(t),
                        root.id, t->size - 1);
}

/* Checks what is given to, or taken from, each member. Errors: EINVAL, ESEG, EBUSY, ERANGE. */
static int arrays_check(struct eyot_rt *rt, const struct eyoti_team *t, void *const *buffers,
                        const uint64_t *bytes, bool gives) {
  struct eyoti_owned *o;
  if (buffers == NULL || bytes == NULL) return coll_null(rt, buffers == NULL ? "buffers" : "bytes");
  for (uint32_t i = 0; gives && i < t->size; i++)
    if (buffers[i] != NULL) EYOTI_TRY(eyoti_msg_give_check(rt, &buffers[i], bytes[i], &o));
  return EYOT_OK;
}

static int handles_new(struct eyot_rt *rt, uint32_t n, eyot_msg_t **out) {
  *out = calloc(n, sizeof **out);
  return *out != NULL ? EYOT_OK : EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for %u messages", n);
}

/* -- messages ---------------------------------------------------------------------------------- */

/* One that has not left, as the same buffer was given to an earlier member, or without memory, is
 * replaced, so that its receiver does not wait. */
static int coll_give(struct eyot_rt *rt, eyot_team_t team, uint32_t to, void **p, uint64_t bytes,
                     eyot_msg_t *handle) {
  struct eyoti_msg_args a = {
      .team = team, .unit = {to}, .tag = TAG_BUFFER, .bytes = bytes, .apart = true};
  const bool some = *p != NULL;
  int rc = some ? eyoti_msg_give(rt, &a, p, handle) : EYOT_OK;
  if (some && (rc == EYOT_OK || *p == NULL)) return rc;
  a.tag = some ? TAG_REFUSED : TAG_NOTHING;
  a.bytes = 0;
  int rc_send = eyoti_msg_send_nb(rt, &a, false, handle);
  return rc != EYOT_OK ? rc : rc_send;
}

static int coll_take(struct eyot_rt *rt, eyot_team_t team, uint32_t from, void **p,
                     uint64_t *bytes) {
  const struct eyoti_msg_args a = {
      .team = team, .unit = {from}, .tag = EYOT_ANY_TAG, .place = p, .apart = true};
  eyot_msg_status_t got;
  EYOTI_TRY(eyoti_msg_recv(rt, &a, &got));
  *bytes = got.bytes;
  if (got.tag == TAG_BUFFER) return EYOT_OK;
  struct eyoti_owned *o;
  EYOTI_TRY(eyoti_owned_find(rt, *p, &o));
  *p = NULL;
  EYOTI_TRY(eyoti_owned_drop(rt, o));
  if (got.tag == TAG_NOTHING) return EYOT_OK;
  return EYOTI_MSG_FAIL(rt, EYOT_EMISMATCH, "member %u could not give its buffer, and says why",
                        from);
}

/* Completes what was given. */
static int coll_end(struct eyot_rt *rt, eyot_msg_t *handles, uint32_t n, int rc) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc_wait = eyot_msg_wait_all(handles, n, NULL);
  eyoti_rt_unnest(rt, nest);
  return rc != EYOT_OK ? rc : rc_wait;
}

/* After these the other members still have, or await, a message each. */
static bool goes_on(int rc) {
  return rc == EYOT_OK || rc == EYOT_ESEG || rc == EYOT_ENOMEM || rc == EYOT_EMISMATCH;
}

/* Gives each other member its buffer, beginning with the next one. Returns the first error. */
static int give_all(struct eyot_rt *rt, const struct eyoti_team *t, void **buffers,
                    const uint64_t *bytes, eyot_msg_t *handles) {
  int first = EYOT_OK;
  for (uint32_t i = 1; i < t->size && goes_on(first); i++) {
    uint32_t to = (t->me + i) % t->size;
    int rc = coll_give(rt, t->handle, to, &buffers[to], bytes[to], &handles[to]);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

static int take_all(struct eyot_rt *rt, const struct eyoti_team *t, void **buffers,
                    uint64_t *bytes) {
  int first = EYOT_OK;
  for (uint32_t i = 1; i < t->size && goes_on(first); i++) {
    uint32_t from = (t->me + t->size - i) % t->size;
    int rc = coll_take(rt, t->handle, from, &buffers[from], &bytes[from]);
    if (first == EYOT_OK) first = rc;
  }
  return first;
}

/* -- calls ------------------------------------------------------------------------------------- */

static int scatter_check(struct eyot_rt *rt, const struct eyoti_team *t, eyot_tunit_t root,
                         void **buffers, const uint64_t *bytes, void **mine,
                         const uint64_t *mine_bytes) {
  EYOTI_TRY(root_check(rt, t, root));
  if (mine == NULL || mine_bytes == NULL)
    return coll_null(rt, mine == NULL ? "mine" : "mine_bytes");
  return root.id == t->me ? arrays_check(rt, t, buffers, bytes, true) : EYOT_OK;
}

int eyot_own_scatter(eyot_team_t team, eyot_tunit_t root, void **buffers, uint64_t *bytes,
                     void **mine, uint64_t *mine_bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  eyot_msg_t *handles = NULL;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_SCATTER, root.id, &t));
  int rc = scatter_check(rt, t, root, buffers, bytes, mine, mine_bytes);
  if (rc == EYOT_OK && root.id == t->me) rc = handles_new(rt, t->size, &handles);
  rc = coll_meet(rt, t, EYOTI_WORDS_SCATTER, root.id, rc);
  if (rc == EYOT_OK && root.id != t->me) return coll_take(rt, team, root.id, mine, mine_bytes);
  if (rc == EYOT_OK) {
    rc = coll_end(rt, handles, t->size, give_all(rt, t, buffers, bytes, handles));
    *mine = buffers[t->me];
    *mine_bytes = buffers[t->me] != NULL ? bytes[t->me] : 0;
    buffers[t->me] = NULL;
  }
  free(handles);
  return rc;
}

static int gather_check(struct eyot_rt *rt, const struct eyoti_team *t, eyot_tunit_t root,
                        void **mine, uint64_t mine_bytes, void **buffers, const uint64_t *bytes) {
  struct eyoti_owned *o;
  EYOTI_TRY(root_check(rt, t, root));
  if (mine == NULL) return coll_null(rt, "mine");
  if (root.id == t->me) EYOTI_TRY(arrays_check(rt, t, buffers, bytes, false));
  return *mine != NULL ? eyoti_msg_give_check(rt, mine, mine_bytes, &o) : EYOT_OK;
}

int eyot_own_gather(eyot_team_t team, eyot_tunit_t root, void **mine, uint64_t mine_bytes,
                    void **buffers, uint64_t *bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_GATHER, root.id, &t));
  int rc = gather_check(rt, t, root, mine, mine_bytes, buffers, bytes);
  EYOTI_TRY(coll_meet(rt, t, EYOTI_WORDS_GATHER, root.id, rc));
  if (root.id != t->me) {
    eyot_msg_t handle = EYOT_MSG_DONE;
    return coll_end(rt, &handle, 1, coll_give(rt, team, root.id, mine, mine_bytes, &handle));
  }
  buffers[t->me] = *mine;
  bytes[t->me] = *mine != NULL ? mine_bytes : 0;
  *mine = NULL;
  return take_all(rt, t, buffers, bytes);
}

int eyot_own_alltoall(eyot_team_t team, void **buffers, uint64_t *bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  eyot_msg_t *handles = NULL;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_ALLTOALL, FAB_COLLECTIVE_NONE, &t));
  int rc = arrays_check(rt, t, buffers, bytes, true);
  if (rc == EYOT_OK) rc = handles_new(rt, t->size, &handles);
  rc = coll_meet(rt, t, EYOTI_WORDS_ALLTOALL, FAB_COLLECTIVE_NONE, rc);
  if (rc == EYOT_OK) {
    rc = give_all(rt, t, buffers, bytes, handles);
    if (goes_on(rc)) {
      int rc_take = take_all(rt, t, buffers, bytes);
      if (rc == EYOT_OK) rc = rc_take;
    }
    if (buffers[t->me] == NULL) bytes[t->me] = 0;
    rc = coll_end(rt, handles, t->size, rc);
  }
  free(handles);
  return rc;
}
