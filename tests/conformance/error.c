/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - conformance: the posting call refuses addresses that do not exist, and nothing is
 * written. */
#include "conformance/conformance.h"

#define SPOT (CONF_CTRL + 64u)

/* Each posting operation at this address must be refused with this code; outputs stay unchanged. */
static int refuse_all(struct conf_ctx *c, struct fab_addr at, uint64_t len, int code) {
  static const unsigned char BYTES[64] = {1};
  unsigned char got[64] = {9};
  uint64_t old = 99;
  fab_req_t req = 4711;
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  const struct fab_sig sig = {.at = at, .op = FAB_SIG_SET, .value = 1};
  CONF_REFUSED(c, fab_put(c->f, at, BYTES, len, &req), code);
  CONF_REFUSED(c, fab_put(c->f, at, BYTES, len, NULL), code);
  CONF_REFUSED(c, fab_get(c->f, got, at, len, &req), code);
  if (len == 8) CONF_REFUSED(c, fab_amo(c->f, at, &add, &old, &req), code);
  if (len == 8) CONF_REFUSED(c, fab_put_signal(c->f, at, NULL, 0, &sig, &req), code);
  if (len == 8) CONF_REFUSED(c, fab_message(c->f, at, NULL, 0, &sig, NULL, &req), code);
  CONF_CHECK(c, req == 4711 && old == 99 && got[0] == 9, "a refused operation wrote its output");
  return 0;
}

static int no_such_unit(struct conf_ctx *c) {
  eyot_place_t place;
  conf_hush(c, true);
  CONF_PASS(refuse_all(c, conf_at(c, c->n, SPOT), 8, EYOT_EUNIT));
  CONF_PASS(refuse_all(c, conf_at(c, UINT32_MAX - 1, SPOT), 8, EYOT_EUNIT));
  CONF_REFUSED(c, fab_flush(c->f, c->n, FAB_REMOTE), EYOT_EUNIT);
  CONF_REFUSED(c, fab_flush(c->f, c->n, FAB_LOCAL), EYOT_EUNIT);
  CONF_REFUSED(c, fab_order(c->f, c->n), EYOT_EUNIT);
  CONF_REFUSED(c, c->f->ops->locate(c->f, c->n, &place), EYOT_EUNIT);
  return 0;
}

static int no_such_segment(struct conf_ctx *c) {
  conf_hush(c, true);
  CONF_PASS(refuse_all(c, fab_at(c->me, c->seg + FAB_SEG_MAX - 1, SPOT), 8, EYOT_ESEG));
  CONF_PASS(refuse_all(c, fab_at(conf_peer(c, 1), UINT32_MAX - 1, SPOT), 8, EYOT_ESEG));
  return 0;
}

static int out_of_range(struct conf_ctx *c) {
  static const struct {
    uint64_t off, len;
  } BAD[] = {{CONF_SEG_BYTES, 8},     {CONF_SEG_BYTES - 8, 9}, {CONF_SEG_BYTES - 1, 2},
             {UINT64_MAX - 7, 8},     {UINT64_MAX - 15, 32},   {CONF_SEG_BYTES + 1, 1},
             {0, CONF_SEG_BYTES + 1}, {8, UINT64_MAX - 3},     {8, UINT64_MAX},
             {1ull << 40, 8}};
  uint64_t last = 0x1122334455667788u, got = 0;
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    conf_hush(c, true);
    for (uint32_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
      CONF_PASS(refuse_all(c, conf_at(c, conf_peer(c, k), BAD[i].off), BAD[i].len, EYOT_ERANGE));
    conf_hush(c, false);
    /* the last word is inside */
    if (k == 0) CONF_TRY(c, fab_put_wait(c->f, conf_at(c, c->me, CONF_SEG_BYTES - 8), &last, 8));
  }
  CONF_TRY(c, fab_get_wait(c->f, &got, conf_at(c, c->me, CONF_SEG_BYTES - 8), 8));
  CONF_CHECK(c, got == last, "the last word of the segment is %#llx", (unsigned long long)got);
  return 0;
}

static int misaligned(struct conf_ctx *c) {
  uint64_t got[3];
  fab_req_t req = 4711;
  for (uint32_t k = 0; k < CONF_PEERS; k++) {
    uint32_t unit = conf_peer(c, k);
    conf_hush(c, true);
    for (uint32_t width = 4; width <= 8; width += 4)
      for (uint32_t d = 1; d < width; d++) {
        const struct fab_amo add = {.op = FAB_AMO_ADD, .width = width, .operand = 1};
        CONF_REFUSED(c, fab_amo(c->f, conf_at(c, unit, SPOT + d), &add, NULL, &req), EYOT_EALIGN);
      }
    for (uint32_t d = 1; d < 8; d++) {
      const struct fab_sig sig = {.at = conf_at(c, unit, SPOT + d), .op = FAB_SIG_SET, .value = 1};
      CONF_REFUSED(c, fab_put_signal(c->f, sig.at, NULL, 0, &sig, &req), EYOT_EALIGN);
    }
    for (uint32_t width = 0; width <= 17; width++) {
      const struct fab_amo odd = {.op = FAB_AMO_ADD, .width = width, .operand = 1};
      if (width != 4 && width != 8)
        CONF_REFUSED(c, fab_amo(c->f, conf_at(c, unit, SPOT), &odd, NULL, &req), EYOT_EINVAL);
    }
    conf_hush(c, false);
    CONF_TRY(c, fab_get_wait(c->f, got, conf_at(c, unit, SPOT), sizeof got));
    CONF_CHECK(c, got[0] == 0 && got[1] == 0 && got[2] == 0 && req == 4711,
               "a refused atomic or signal had an effect");
  }
  return 0;
}

/* A signal lies at the target of its put, and both addresses are checked. */
static int signal_elsewhere(struct conf_ctx *c) {
  uint64_t value = 1, got = 5;
  struct fab_addr dst = conf_at(c, conf_peer(c, 1), SPOT);
  struct fab_sig sig = {.at = conf_at(c, c->me, SPOT + 64), .op = FAB_SIG_SET, .value = 1};
  conf_hush(c, true);
  if (dst.unit != c->me)
    CONF_CHECK(c, fab_put_signal(c->f, dst, &value, 8, &sig, NULL) < 0,
               "a signal at another unit than its put was accepted");
  sig.at = dst;
  CONF_REFUSED(
      c, fab_put_signal(c->f, conf_at(c, dst.unit, CONF_SEG_BYTES - 4), &value, 8, &sig, NULL),
      EYOT_ERANGE);
  sig.at.off = CONF_SEG_BYTES;
  CONF_REFUSED(c, fab_put_signal(c->f, dst, &value, 8, &sig, NULL), EYOT_ERANGE);
  conf_hush(c, false);
  CONF_TRY(c, fab_get_wait(c->f, &got, dst, 8));
  CONF_CHECK(c, got == 0, "a refused put with signal had an effect");
  return 0;
}

const struct conf_case conf_cases_error[] = {
    {"error_for_no_such_unit", 1, no_such_unit},
    {"error_for_no_such_segment", 1, no_such_segment},
    {"error_for_out_of_range", 1, out_of_range},
    {"error_for_misaligned_amos", 1, misaligned},
    {"error_for_signal_at_another_unit", 1, signal_elsewhere},
    {NULL, 0, NULL},
};
