/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.c - the replay of a stream as a strategy (strategy.h): one run with the stream's answers,
 * and after its end those of a quiet network.
 *
 * Why it exists: a failure is shown again from its file, and a changed stream (shrunk, cut) is
 * tried. Any stream is a run: a value too large for its question is taken modulo the bound, and
 * after the last one every answer is 0 (the process that has waited longest takes the step, nothing
 * is late). A prefix is therefore a whole run too.
 *
 * Thread rule: one thread. Memory: snapshot/mem.h. */
#include "check/snapshot/mem.h"
#include "check/strategy/walk.h"

struct replay {
  struct chk_strategy base;
  const struct chk_stream *stream; /* the caller's */
  uint32_t asked;                  /* questions asked in this run */
  /* the first question whose bound is not the recorded one; odd_bound 0: none */
  uint32_t odd_at, odd_bound;
  bool begun;
};

static bool replay_begin(struct chk_strategy *s) {
  struct replay *r = (struct replay *)s;
  if (r->begun) return false;
  r->begun = true;
  return true;
}

static uint32_t replay_draw(struct chk_strategy *s, uint32_t bound) {
  struct replay *r = (struct replay *)s;
  uint32_t at = r->asked++;
  if (at >= r->stream->n) return 0;
  const struct chk_choice *c = &r->stream->at[at];
  if (c->bound != bound && r->odd_bound == 0) {
    r->odd_at = at;
    r->odd_bound = bound;
  }
  return c->value % bound;
}

static uint32_t replay_pick(struct chk_strategy *s, const uint32_t *who, const bool *yields,
                            uint32_t n) {
  (void)who;
  (void)yields;
  return n == 1 ? 0 : replay_draw(s, n); /* a question with one answer is not part of a stream */
}

static void replay_end(struct chk_strategy *s, enum chk_end how, const struct chk_stream *choices) {
  (void)s;
  (void)how;
  (void)choices;
}

/* A run that asks other questions than the recorded one is not the recorded run: a user who replays
 * a file should know before relying on a pass. */
static void replay_report(const struct chk_strategy *s, FILE *out) {
  const struct replay *r = (const struct replay *)s;
  fprintf(out, "replay: %u choices recorded, %u made\n", r->stream->n, r->asked);
  if (r->odd_bound > 0)
    fprintf(out,
            "replay: choice %u (from 0) was recorded as one of %u and is now one of %u: this run "
            "is not the recorded one\n",
            r->odd_at, r->stream->at[r->odd_at].bound, r->odd_bound);
}

static void replay_destroy(struct chk_strategy *s) {
  chk_free(s);
}

struct chk_strategy *chk_replay_new(const struct chk_stream *stream) {
  static const struct chk_strategy_ops ops = {.name = "replay",
                                              .begin = replay_begin,
                                              .pick = replay_pick,
                                              .draw = replay_draw,
                                              .did = chk_ignore_did,
                                              .saw = chk_ignore_saw,
                                              .end = replay_end,
                                              .report = replay_report,
                                              .destroy = replay_destroy};
  struct replay *r = chk_alloc(sizeof *r);
  if (!r) return NULL;
  r->base.ops = &ops;
  r->stream = stream;
  return &r->base;
}
