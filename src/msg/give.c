/* SPDX-License-Identifier: BSD-3-Clause */
/* give.c - messages that pass a buffer (eyot/own.h): sends and receives as all others (send.c,
 * recv.c), whose envelope has the buffer's address within a node. Between nodes a give is a send
 * from the buffer, which is freed when it was read, and a take a receive into a new one. */
#include <inttypes.h>
#include <stdlib.h>

#include "msg/call.h"

/* Checks the buffer of a give. Errors: EINVAL, ESEG, ERANGE. */
static int give_buffer(struct eyot_rt *rt, void *const *p, uint64_t bytes,
                       struct eyoti_owned **out) {
  struct eyoti_owned *o;
  if (p == NULL) return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "p is NULL");
  EYOTI_TRY(eyoti_owned_find(rt, *p, &o));
  if (bytes > o->capacity)
    return EYOTI_MSG_FAIL(rt, EYOT_ERANGE,
                          "the buffer has %" PRIu64 " bytes, less than the %" PRIu64
                          " of the message",
                          o->capacity, bytes);
  *out = o;
  return EYOT_OK;
}

/* Before a message has left, its buffer is the caller's again after an error. */
static bool has_left(int rc) {
  return rc != EYOT_ENOMEM && rc != EYOT_EINVAL && rc != EYOT_ETEAM && rc != EYOT_EUNIT &&
         rc != EYOT_EBUSY;
}

int eyoti_msg_give(struct eyot_rt *rt, const struct eyoti_msg_args *args, void **p,
                   eyot_msg_t *handle) {
  struct eyoti_msg_args a = *args;
  EYOTI_TRY(give_buffer(rt, p, a.record != NULL ? 0 : a.bytes, &a.given));
  a.buf = *p;
  eyoti_owned_give(rt, a.given);
  int rc =
      handle != NULL ? eyoti_msg_send_nb(rt, &a, false, handle) : eyoti_msg_send(rt, &a, false);
  if (has_left(rc))
    *p = NULL;
  else
    eyoti_owned_adopt(rt, a.given);
  return rc;
}

int eyot_own_give(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p, uint64_t bytes) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag, .bytes = bytes};
  return eyoti_msg_give(rt, &a, p, NULL);
}

int eyot_own_give_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p, uint64_t bytes,
                     eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag, .bytes = bytes};
  if (handle == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL, expected a place for it");
  return eyoti_msg_give(rt, &a, p, handle);
}

static int take_null(struct eyot_rt *rt) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "p is NULL, expected a place for the pointer");
}

int eyot_own_take(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                  eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = from, .tag = tag, .place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_recv(rt, &a, status);
}

int eyot_own_take_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                     eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.team = team, .unit = from, .tag = tag, .place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_recv_nb(rt, &a, handle);
}

int eyot_own_mtake(eyot_msg_t *message, void **p, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {.place = p};
  return p == NULL ? take_null(rt) : eyoti_msg_mrecv(rt, message, &a, status);
}

/* -- collectives ------------------------------------------------------------------------------- */

#define TAG_BUFFER 0
#define TAG_NOTHING 1 /* in the place of a buffer that is NULL */

static int coll_give(struct eyot_rt *rt, eyot_team_t team, uint32_t to, void **p, uint64_t bytes,
                     eyot_msg_t *handle) {
  struct eyoti_msg_args a = {
      .team = team, .unit = {to}, .tag = TAG_BUFFER, .bytes = bytes, .apart = true};
  if (*p != NULL) return eyoti_msg_give(rt, &a, p, handle);
  a.tag = TAG_NOTHING;
  a.bytes = 0;
  return eyoti_msg_send_nb(rt, &a, false, handle);
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
  return eyoti_owned_drop(rt, o);
}

/* Completes what was given. */
static int coll_end(struct eyot_rt *rt, eyot_msg_t *handles, uint32_t n, int rc) {
  struct eyoti_nest nest = eyoti_rt_nest(rt);
  int rc_wait = eyot_msg_wait_all(handles, n, NULL);
  eyoti_rt_unnest(rt, nest);
  return rc != EYOT_OK ? rc : rc_wait;
}

static int coll_enter(struct eyot_rt *rt, eyot_team_t team, enum eyoti_call_words words,
                      struct eyoti_team **t) {
  EYOTI_TRY(eyoti_team_get(rt, team, t));
  return eyoti_team_enter_by(rt, *t, words, FAB_COLLECTIVE_NONE, 0);
}

static int coll_null(struct eyot_rt *rt, const char *name) {
  return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "%s is NULL", name);
}

static int coll_handles(struct eyot_rt *rt, uint32_t n, eyot_msg_t **out) {
  *out = calloc(n, sizeof **out);
  return *out != NULL ? EYOT_OK : EYOTI_MSG_FAIL(rt, EYOT_ENOMEM, "no memory for %u messages", n);
}

/* Gives each other member its buffer, beginning with the next one. */
static int give_all(struct eyot_rt *rt, const struct eyoti_team *t, void **buffers,
                    const uint64_t *bytes, eyot_msg_t *handles) {
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < t->size && rc == EYOT_OK; i++) {
    uint32_t to = (t->me + i) % t->size;
    rc = coll_give(rt, t->handle, to, &buffers[to], bytes[to], &handles[to]);
  }
  return rc;
}

static int take_all(struct eyot_rt *rt, const struct eyoti_team *t, void **buffers,
                    uint64_t *bytes) {
  int rc = EYOT_OK;
  for (uint32_t i = 1; i < t->size && rc == EYOT_OK; i++) {
    uint32_t from = (t->me + t->size - i) % t->size;
    rc = coll_take(rt, t->handle, from, &buffers[from], &bytes[from]);
  }
  return rc;
}

static int root_check(struct eyot_rt *rt, const struct eyoti_team *t, eyot_tunit_t root) {
  if (root.id < t->size) return EYOT_OK;
  return EYOTI_MSG_FAIL(rt, EYOT_EUNIT, "%s has no unit %u, expected 0..%u", EYOTI_TEAM_WORDS(t),
                        root.id, t->size - 1);
}

int eyot_own_scatter(eyot_team_t team, eyot_tunit_t root, void **buffers, uint64_t *bytes,
                     void **mine, uint64_t *mine_bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  eyot_msg_t *handles;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_SCATTER, &t));
  EYOTI_TRY(root_check(rt, t, root));
  if (mine == NULL || mine_bytes == NULL)
    return coll_null(rt, mine == NULL ? "mine" : "mine_bytes");
  if (root.id != t->me) return coll_take(rt, team, root.id, mine, mine_bytes);
  if (buffers == NULL || bytes == NULL) return coll_null(rt, buffers == NULL ? "buffers" : "bytes");
  EYOTI_TRY(coll_handles(rt, t->size, &handles));
  int rc = coll_end(rt, handles, t->size, give_all(rt, t, buffers, bytes, handles));
  free(handles);
  *mine = buffers[t->me];
  *mine_bytes = buffers[t->me] != NULL ? bytes[t->me] : 0;
  buffers[t->me] = NULL;
  return rc;
}

int eyot_own_gather(eyot_team_t team, eyot_tunit_t root, void **mine, uint64_t mine_bytes,
                    void **buffers, uint64_t *bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_GATHER, &t));
  EYOTI_TRY(root_check(rt, t, root));
  if (mine == NULL) return coll_null(rt, "mine");
  if (root.id != t->me) {
    eyot_msg_t handle = EYOT_MSG_DONE;
    return coll_end(rt, &handle, 1, coll_give(rt, team, root.id, mine, mine_bytes, &handle));
  }
  if (buffers == NULL || bytes == NULL) return coll_null(rt, buffers == NULL ? "buffers" : "bytes");
  buffers[t->me] = *mine;
  bytes[t->me] = *mine != NULL ? mine_bytes : 0;
  *mine = NULL;
  return take_all(rt, t, buffers, bytes);
}

int eyot_own_alltoall(eyot_team_t team, void **buffers, uint64_t *bytes) {
  EYOTI_ENTER(rt);
  struct eyoti_team *t;
  eyot_msg_t *handles;
  EYOTI_TRY(coll_enter(rt, team, EYOTI_WORDS_ALLTOALL, &t));
  if (buffers == NULL || bytes == NULL) return coll_null(rt, buffers == NULL ? "buffers" : "bytes");
  EYOTI_TRY(coll_handles(rt, t->size, &handles));
  int rc = give_all(rt, t, buffers, bytes, handles);
  if (rc == EYOT_OK) rc = take_all(rt, t, buffers, bytes);
  if (buffers[t->me] == NULL) bytes[t->me] = 0;
  rc = coll_end(rt, handles, t->size, rc);
  free(handles);
  return rc;
}
