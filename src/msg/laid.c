/* SPDX-License-Identifier: BSD-3-Clause */
/* laid.c - gives and takes of elements that are not in a row (eyot/own.h; Friedley 2013, section
 * 4.4.1). Within a node the envelope of a give names a record of the buffer and its layout: a take
 * whose layout agrees gets the buffer, all others get a copy. Between nodes a give packs its
 * elements, and a take unpacks what comes. */
#include <inttypes.h>

#include "gmem/sheap.h"
#include "msg/call.h"
#include "msg/layout.h"

/* Whether the receiver can have the buffer itself. Wrong arguments are reported by the send. */
static bool to_reaches(struct eyot_rt *rt, eyot_team_t team, eyot_tunit_t to) {
  struct eyoti_team *t;
  return eyoti_team_find(rt, team, &t) && to.id < t->size &&
         eyoti_sheap_reaches(rt, eyoti_team_unit(t, to.id));
}

static int laid_check(struct eyot_rt *rt, void *const *p, const eyot_own_layout_t *l,
                      struct eyoti_owned **out) {
  uint64_t extent;
  if (p == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL,
                          "p is NULL, expected the address of the pointer to the buffer");
  EYOTI_TRY(eyoti_owned_find(rt, *p, out));
  EYOTI_TRY(eyoti_layout_check(rt, l, &extent));
  if (extent > (*out)->capacity)
    return EYOTI_MSG_FAIL(rt, EYOT_ERANGE,
                          "the buffer has %" PRIu64 " bytes, less than the %" PRIu64
                          " of the layout",
                          (*out)->capacity, extent);
  return EYOT_OK;
}

/* Gives the buffer with a record of its layout. */
static int give_record(struct eyot_rt *rt, struct eyoti_msg_args *a, void **p,
                       const eyot_own_layout_t *l, struct eyoti_owned *o, eyot_msg_t *handle) {
  EYOTI_TRY(eyoti_layout_record(rt, o, l, &a->record));
  int rc = eyoti_msg_give(rt, a, p, handle);
  if (*p != NULL) (void)eyoti_owned_drop(rt, a->record);
  return rc;
}

/* Gives a copy of the elements, and frees the buffer. */
static int give_packed(struct eyot_rt *rt, const struct eyoti_msg_args *a, void **p,
                       const eyot_own_layout_t *l, struct eyoti_owned *o, eyot_msg_t *handle) {
  struct eyoti_owned *packed;
  EYOTI_TRY(eyoti_owned_new(rt, a->bytes, &packed));
  void *bytes = eyoti_owned_bytes(packed);
  eyoti_layout_pack(rt, bytes, *p, l, a->bytes);
  int rc = eyoti_msg_give(rt, a, &bytes, handle);
  if (bytes != NULL) {
    (void)eyoti_owned_drop(rt, packed);
    return rc;
  }
  *p = NULL;
  int rc_drop = eyoti_owned_drop(rt, o);
  return rc != EYOT_OK ? rc : rc_drop;
}

static int give_layout(struct eyot_rt *rt, struct eyoti_msg_args *a, void **p,
                       const eyot_own_layout_t *l, eyot_msg_t *handle) {
  struct eyoti_owned *o;
  EYOTI_TRY(laid_check(rt, p, l, &o));
  a->bytes = eyoti_layout_bytes(l);
  if (eyoti_layout_is_row(l)) return eyoti_msg_give(rt, a, p, handle);
  return to_reaches(rt, a->team, a->unit) ? give_record(rt, a, p, l, o, handle)
                                          : give_packed(rt, a, p, l, o, handle);
}

int eyot_own_give_layout(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                         const eyot_own_layout_t *layout) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag};
  return give_layout(rt, &a, p, layout, NULL);
}

int eyot_own_give_layout_nb(eyot_team_t team, eyot_tunit_t to, int32_t tag, void **p,
                            const eyot_own_layout_t *layout, eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  struct eyoti_msg_args a = {.team = team, .unit = to, .tag = tag};
  if (handle == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "handle is NULL, expected a place for it");
  return give_layout(rt, &a, p, layout, handle);
}

/* -- takes ------------------------------------------------------------------------------------- */

static int take_args(struct eyot_rt *rt, void **p, const eyot_own_layout_t *l) {
  uint64_t extent;
  if (p == NULL)
    return EYOTI_MSG_FAIL(rt, EYOT_EINVAL, "p is NULL, expected a place for the pointer");
  EYOTI_TRY(eyoti_layout_check(rt, l, &extent));
  return eyoti_layout_check_apart(rt, l);
}

int eyot_own_take_layout(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                         const eyot_own_layout_t *layout, eyot_msg_status_t *status) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .place = p, .layout = layout};
  EYOTI_TRY(take_args(rt, p, layout));
  return eyoti_msg_recv(rt, &a, status);
}

int eyot_own_take_layout_nb(eyot_team_t team, eyot_tunit_t from, int32_t tag, void **p,
                            const eyot_own_layout_t *layout, eyot_msg_t *handle) {
  EYOTI_ENTER(rt);
  const struct eyoti_msg_args a = {
      .team = team, .unit = from, .tag = tag, .place = p, .layout = layout};
  EYOTI_TRY(take_args(rt, p, layout));
  return eyoti_msg_recv_nb(rt, &a, handle);
}
