/* SPDX-License-Identifier: BSD-3-Clause */
/* md_own.c - swaps by passing the ownership of buffers (Friedley 2013, section 4.4 and figure A.2):
 * a message is packed into a buffer of its own, which the receiver unpacks and frees. Within a node
 * nothing is copied in between. */
#include <stdlib.h>

#include "minimd.h"

static int own_open(struct md_system *s) {
  void **out = calloc(1, sizeof *out); /* the buffer that is being packed */
  if (out == NULL) return md_fail("private memory", EYOT_ENOMEM);
  s->state = out;
  return EYOT_OK;
}

static int own_begin(struct md_system *s, const struct md_message *m, void **out) {
  void **mine = s->state;
  MD_TRY(eyot_own_alloc(m->out_bytes > 0 ? m->out_bytes : 1, mine));
  *out = *mine;
  return EYOT_OK;
}

static int own_exchange(struct md_system *s, const struct md_message *m, const void **in) {
  void **out = s->state, *taken = NULL;
  int32_t tag = (int32_t)m->slot;
  eyot_msg_t give;
  MD_TRY(eyot_own_give_nb(EYOT_TEAM_ALL, (eyot_tunit_t){m->to}, tag, out, m->out_bytes, &give));
  MD_TRY(eyot_own_take(EYOT_TEAM_ALL, (eyot_tunit_t){m->from}, tag, &taken, NULL));
  MD_TRY(eyot_msg_wait(&give, NULL));
  *in = taken;
  return EYOT_OK;
}

static int own_end(struct md_system *s, const struct md_message *m, const void *in) {
  void *taken = (void *)(uintptr_t)in;
  (void)s;
  (void)m;
  MD_TRY(eyot_own_free(&taken));
  return EYOT_OK;
}

static int own_close(struct md_system *s) {
  free(s->state);
  return EYOT_OK;
}

const struct md_variant MD_OWN = {.name = "own",
                                  .open = own_open,
                                  .begin = own_begin,
                                  .exchange = own_exchange,
                                  .end = own_end,
                                  .close = own_close};
