/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_run.c - executes the statements of litmus tests (check_litmus.h). */
#include <stdio.h>

#include "fabric/fabric.h"
#include "gmem/state.h"
#include "programs/check_litmus.h"
#include "rt/rt.h"

void litmus_must(int code, const char *what) {
  if (code == EYOT_OK) return;
  fprintf(stderr, "litmus: %s: %s\n", what, eyot_strerror(code));
  eyot_abort(1, what);
}

#define OK(call) litmus_must(call, #call)

static eyot_gptr_t at(const struct litmus_unit *u, struct litmus_place p) {
  return eyot_gptr_add(eyot_gptr_at(u->part, (eyot_unit_t){p.unit}), (int64_t)(8 * p.word));
}

static uint64_t *here(const struct litmus_unit *u, struct litmus_place p) {
  return u->direct[p.unit] + p.word;
}

/* Returns the index of the lower of the two words that is at least 1. */
static uint64_t wait_any(const struct litmus_unit *u, const struct litmus_statement *s) {
  const struct eyoti_gmem *heap = eyot_current->gmem;
  struct fab_cond conds[2];
  for (uint32_t i = 0; i < 2; i++) {
    uint64_t off = (uint64_t)((char *)here(u, s->place[i]) - heap->base);
    conds[i] = (struct fab_cond){.seg = heap->seg, .cmp = FAB_GE, .off = off, .value = 1};
  }
  uint32_t index;
  OK(fab_wait_any(eyot_current->fab, conds, 2, FAB_FOREVER, &index));
  return index;
}

static void transfer(struct litmus_unit *u, const struct litmus_statement *s, uint64_t *source) {
  eyot_gptr_t to = at(u, s->place[0]);
  uint64_t pair[2];
  source[0] = s->value[0], source[1] = s->value[1];
  switch (s->verb) {
    case LV_PUT:
      OK(eyot_put(to, source, 8));
      break;
    case LV_NBI:
      OK(eyot_put_nbi(to, source, 8));
      break;
    case LV_NB:
      OK(eyot_put_nb(to, source, 8, &u->handle));
      break;
    case LV_PUT2:
      OK(eyot_put(to, source, 16));
      break;
    case LV_NBI2:
      OK(eyot_put_nbi(to, source, 16));
      break;
    case LV_PUTFROM:
      OK(eyot_put_nbi(to, here(u, s->place[1]), 8));
      break;
    case LV_PUTR:
      OK(eyot_put(to, &u->reg[s->reg[0]], 8));
      break;
    case LV_GET:
      OK(eyot_get(&u->reg[s->reg[0]], to, 8));
      break;
    case LV_GETNBI:
      OK(eyot_get_nbi(&u->reg[s->reg[0]], to, 8));
      break;
    case LV_GET2:
      OK(eyot_get(pair, to, 16));
      u->reg[s->reg[0]] = pair[0], u->reg[s->reg[1]] = pair[1];
      break;
    /* the registers are neighbors */
    case LV_GET2NBI:
      OK(eyot_get_nbi(&u->reg[s->reg[0]], to, 16));
      break;
    case LV_WAIT:
      OK(eyot_wait(&u->handle, EYOT_REMOTE));
      break;
    case LV_WAITL:
      OK(eyot_wait(&u->handle, EYOT_LOCAL));
      break;
    case LV_SIG:
      OK(eyot_put_signal(EYOT_GPTR_NULL, NULL, 0, to, EYOT_SIGNAL_SET, s->value[0]));
      break;
    case LV_SIGNBI:
      OK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, to, EYOT_SIGNAL_SET, s->value[0]));
      break;
    case LV_SIGADD:
      OK(eyot_put_signal_nbi(EYOT_GPTR_NULL, NULL, 0, to, EYOT_SIGNAL_ADD, s->value[0]));
      break;
    case LV_PSIG:
      OK(eyot_put_signal_nbi(to, source, 8, at(u, s->place[1]), EYOT_SIGNAL_SET, s->value[1]));
      break;
    case LV_PSIG2:
      OK(eyot_put_signal_nbi(to, source, 16, at(u, s->place[1]), EYOT_SIGNAL_SET, 1));
      break;
    default:
      break;
  }
}

static void atomic(struct litmus_unit *u, const struct litmus_statement *s) {
  eyot_gptr_t to = at(u, s->place[0]);
  uint64_t *r = &u->reg[s->reg[0]];
  switch (s->verb) {
    case LV_ADD:
      OK(eyot_fetch_add_u64(to, s->value[0], r));
      break;
    case LV_ADDNBI:
      OK(eyot_accumulate_nbi(to, EYOT_UINT64, EYOT_SUM, &s->value[0]));
      break;
    case LV_SWAP:
      OK(eyot_swap_u64(to, s->value[0], r));
      break;
    case LV_CAS:
      OK(eyot_cas_u64(to, s->value[0], s->value[1], r));
      break;
    case LV_READ:
      OK(eyot_read_u64(to, r));
      break;
    default:
      break;
  }
}

static void wait(struct litmus_unit *u, const struct litmus_statement *s) {
  eyot_gptr_t word = at(u, s->place[0]);
  bool done;
  switch (s->verb) {
    case LV_UNTIL:
      OK(eyot_wait_until(word, EYOT_CMP_GE, s->value[0], NULL));
      break;
    case LV_UNTILEQ:
      OK(eyot_wait_until(word, EYOT_CMP_EQ, s->value[0], NULL));
      break;
    case LV_LOOK:
      OK(eyot_test_until(word, EYOT_CMP_GE, s->value[0], NULL, &done));
      u->reg[s->reg[0]] = done;
      break;
    case LV_ANY:
      u->reg[s->reg[0]] = wait_any(u, s);
      break;
    case LV_ORDER:
      OK(eyot_order((eyot_unit_t){s->unit}));
      break;
    case LV_ORDERALL:
      OK(eyot_order_all());
      break;
    case LV_FLUSH:
      OK(eyot_flush((eyot_unit_t){s->unit}, EYOT_REMOTE));
      break;
    case LV_FLUSHL:
      OK(eyot_flush((eyot_unit_t){s->unit}, EYOT_LOCAL));
      break;
    case LV_FLUSHALL:
      OK(eyot_flush_all(EYOT_REMOTE));
      break;
    case LV_SYNC:
      OK(eyot_sync());
      break;
    default:
      break;
  }
}

static void by_cpu(struct litmus_unit *u, const struct litmus_statement *s) {
  uint64_t *word = here(u, s->place[0]), *r = &u->reg[s->reg[0]];
  switch (s->verb) {
    case LV_LD:
      *r = eyot_cpu_load(word);
      break;
    case LV_ST:
      eyot_cpu_store(word, s->value[0]);
      break;
    case LV_CADD:
      *r = eyot_cpu_add(word, s->value[0]);
      break;
    case LV_CSWAP:
      *r = eyot_cpu_swap(word, s->value[0]);
      break;
    case LV_CCAS:
      *r = eyot_cpu_cas(word, s->value[0], s->value[1]);
      break;
    case LV_FENCE:
      eyot_cpu_fence();
      break;
    default:
      break;
  }
}

void litmus_run(struct litmus_unit *u, const struct litmus_code *code) {
  for (uint32_t i = 0; i < code->n; i++) {
    const struct litmus_statement *s = &code->at[i];
    if (s->verb <= LV_PSIG2)
      transfer(u, s, u->source[i]);
    else if (s->verb <= LV_READ)
      atomic(u, s);
    else if (s->verb <= LV_SYNC)
      wait(u, s);
    else
      by_cpu(u, s);
  }
}
