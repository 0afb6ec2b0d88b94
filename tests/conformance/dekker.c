/* SPDX-License-Identifier: BSD-3-Clause */
/* dekker.c - Dekker's pattern (dekker.h). Each unit writes a word at its partner and reads its own,
 * which the partner writes. */
#include "conformance/dekker.h"

#define WORD (CONF_CTRL)
#define TELL (CONF_CTRL + 64u)
#define MEET (CONF_CTRL + 128u)
#define SIDE (CONF_CTRL + 192u)

/* `lane` separates the words of close partners from those of distant ones. */
static int write_and_read(struct conf_ctx *c, enum conf_dekker how, uint32_t partner, uint64_t lane,
                          uint64_t r, uint64_t *seen) {
  const struct fab_amo set = {.op = FAB_AMO_SWAP, .width = 8, .operand = r},
                       read = {.op = FAB_AMO_READ, .width = 8};
  struct fab_addr there = conf_at(c, partner, WORD + lane), here = conf_at(c, c->me, WORD + lane);
  uint64_t old = 0;
  if (how == CONF_DEKKER_AMO) {
    CONF_TRY(c, fab_amo_wait(c->f, there, &set, &old));
    CONF_TRY(c, fab_amo_wait(c->f, here, &read, seen));
    return 0;
  }
  CONF_TRY(c, fab_put_wait(c->f, there, &r, 8));
  if (how == CONF_DEKKER_FLUSH) CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
  if (how == CONF_DEKKER_AMO_BETWEEN)
    CONF_TRY(c,
             fab_amo_wait(c->f, conf_at(c, r % 2 == 0 ? c->me : partner, SIDE + lane), &set, NULL));
  CONF_TRY(c, fab_get_wait(c->f, seen, here, 8));
  return 0;
}

int conf_dekker_play(struct conf_ctx *c, enum conf_dekker how, uint32_t d, uint32_t rounds,
                     uint64_t *missed) {
  uint32_t partner = conf_partner(c, d);
  uint64_t both = 0, lane = d == 1 ? 0 : 8;
  *missed = 0;
  for (uint64_t r = 1; partner != UINT32_MAX && r <= rounds; r++) {
    uint64_t seen = 0;
    CONF_PASS(write_and_read(c, how, partner, lane, r, &seen));
    const struct fab_sig tell = {
        .at = conf_at(c, partner, TELL + lane), .op = FAB_SIG_SET, .value = r * 2 + (seen < r)};
    CONF_TRY(c, fab_flush(c->f, FAB_ALL, FAB_REMOTE));
    CONF_TRY(c, fab_put_signal_wait(c->f, tell.at, NULL, 0, &tell));
    CONF_PASS(conf_wait(c, TELL + lane, FAB_GE, r * 2));
    if (seen < r && conf_load(c, TELL + lane) == r * 2 + 1) both++;
    CONF_PASS(conf_meet(c, partner, MEET + lane, r));
  }
  if (c->me < partner && partner != UINT32_MAX) *missed = both;
  return 0;
}

int conf_dekker_never(struct conf_ctx *c, enum conf_dekker how) {
  uint64_t missed = 0, far = 0;
  CONF_PASS(conf_dekker_play(c, how, 1, c->o.rounds, &missed));
  if (conf_far(c) != 1) CONF_PASS(conf_dekker_play(c, how, conf_far(c), c->o.rounds, &far));
  missed += far;
  CONF_CHECK(c, missed == 0,
             "in %llu of %u rounds both missed the other's write in spite of a full barrier",
             (unsigned long long)missed, c->o.rounds);
  return 0;
}
