/* SPDX-License-Identifier: BSD-3-Clause */
/* quick_message.c - a repeated call in a job of several nodes: its messages are the fabric's, but
 * nothing else of the general way is gone through (quick.h). Openings are run.c's: one call in
 * fifteen has one, of those that have any. */
#include "coll/quick_parts.h"
#include "coll/run_parts.h"
#include "rt/observe.h"

/* The operation under way. */
struct under_way {
  struct eyoti_channel *ch;
  const struct eyoti_quick *k;
  uint64_t at;          /* of its epoch in the board */
  uint64_t head, least; /* of its messages; of any of them */
};

static int send(const struct under_way *w, const struct eyoti_step *s, const char *from) {
  uint64_t value = eyoti_quick_value(w->head, s->chunk);
  return eyoti_channel_send(w->ch, w->k->class, s->unit, w->at + w->k->words + s->to,
                            s->len > 0 ? from : NULL, s->len, w->at + s->word * 8ull, value);
}

/* False: it has not come, or has to be explained. */
static bool await(const struct under_way *w, const struct eyoti_step *s) {
  uint64_t off = w->at + s->word * 8ull, least = w->least | s->chunk;
  const char *word = eyoti_channel_board(w->ch, w->k->class)->base + off;
  uint64_t seen = __atomic_load_n((const uint64_t *)(const void *)word, __ATOMIC_ACQUIRE);
  if (seen < least) seen = eyoti_quick_await(w->ch, w->k->class, off, least);
  if (seen < least) return false;
  if (s->chunk == EYOTI_HEAD) return seen == w->head;
  return seen >> 32 == w->least >> 32 && (uint32_t)seen <= EYOTI_HASH_LEAST;
}

/* All steps from stands->pc on. False: one waits; *rc: or has failed. */
static bool run(const struct under_way *w, const struct eyoti_plan *p,
                char *const base[EYOTI_BASES], const struct eyoti_combiner *by,
                struct eyoti_quick_point *stands, int *rc) {
  for (; stands->pc < p->steps; stands->pc++) {
    const struct eyoti_step *s = &p->step[stands->pc];
    switch ((enum eyoti_step_kind)s->kind) {
      case EYOTI_STEP_PUT:
        stands->lends |= s->len > 0 && s->from_in != EYOTI_BOARD;
        stands->sends = true;
        *rc = send(w, s, base[s->from_in] + s->from);
        break;
      case EYOTI_STEP_AWAIT:
        if (!await(w, s)) return false;
        break;
      case EYOTI_STEP_COPY:
        eyoti_quick_copies(base, s);
        break;
      case EYOTI_STEP_COMBINE:
        eyoti_quick_combine(base, by, s);
        break;
      default: /* a drain */
        if (stands->lends) *rc = eyoti_channel_drain(w->ch);
        stands->lends = false;
        break;
    }
    if (*rc != EYOT_OK) return false;
  }
  if (stands->lends) *rc = eyoti_channel_drain(w->ch);
  struct fab *f = w->ch->rt->fab;
  if (*rc == EYOT_OK && stands->sends && eyoti_run_is_held(f)) *rc = f->ops->progress(f);
  return *rc == EYOT_OK;
}

int eyoti_quick_messages(struct eyoti_channel *ch, const struct eyoti_plan *p,
                         char *const base[EYOTI_BASES], const struct eyoti_combiner *by,
                         uint64_t at, uint32_t hash, int rc) {
  uint32_t number = ch->number;
  struct under_way w = {.ch = ch,
                        .k = p->quick,
                        .at = p->quick->first + at,
                        .head = eyoti_run_head(number, hash),
                        .least = eyoti_run_head(number, 0)};
  struct eyoti_quick_point stands = {.opens = eyoti_channel_unsafe(ch, number)};
  int retired = eyoti_quick_retire(ch);
  if (rc == EYOT_OK) rc = retired;
  if (rc != EYOT_OK || stands.opens || !run(&w, p, base, by, &stands, &rc))
    return eyoti_quick_go_on(ch, p, base, by, stands, rc);
  if (p->symmetric) ch->together = number;
  return EYOT_OK;
}
