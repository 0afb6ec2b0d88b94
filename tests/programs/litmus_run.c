/* SPDX-License-Identifier: BSD-3-Clause */
/* litmus_run.c - executes the statements of litmus tests (check_litmus.h). */
#include <stdio.h>

#include "programs/check_litmus.h"

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

static eyot_cond_t cond_at(eyot_gptr_t word, eyot_type_t type, uint64_t value) {
  return (eyot_cond_t){.word = word, .type = type, .cmp = EYOT_CMP_GE, .value = value};
}

/* The word at the place, or of 4 bytes, `half` bytes into it. */
static void until(const struct litmus_unit *u, const struct litmus_statement *s, eyot_type_t type,
                  int64_t half, uint64_t value) {
  const eyot_cond_t c = cond_at(eyot_gptr_add(at(u, s->place[0]), half), type, value);
  OK(eyot_wait_until_word(&c, EYOT_FOREVER, NULL));
}

/* Two words: the index of the lower that is at least 1; the set of those that are; none. */
static uint64_t two_words(const struct litmus_unit *u, const struct litmus_statement *s) {
  const eyot_cond_t c[2] = {cond_at(at(u, s->place[0]), EYOT_UINT64, 1),
                            cond_at(at(u, s->place[1]), EYOT_UINT64, 1)};
  size_t index[2], count = 0;
  uint64_t set = 0;
  if (s->verb == LV_ANY) {
    OK(eyot_wait_until_any(c, 2, EYOT_FOREVER, &index[0]));
    return index[0];
  }
  if (s->verb == LV_SOME) OK(eyot_wait_until_some(c, 2, EYOT_FOREVER, index, &count));
  if (s->verb == LV_ALL) OK(eyot_wait_until_all(c, 2, EYOT_FOREVER));
  for (size_t k = 0; k < count; k++) set |= UINT64_C(1) << index[k];
  return set;
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
    case LV_NBI2:
      OK(eyot_put_nbi(to, source, s->verb == LV_NBI2 ? 16 : 8));
      break;
    case LV_NB:
      OK(eyot_put_nb(to, source, 8, &u->handle));
      break;
    case LV_PUT2:
      OK(eyot_put(to, source, 16));
      break;
    case LV_PUT4:
    case LV_PUTH:
      OK(eyot_put(eyot_gptr_add(to, s->verb == LV_PUTH ? 4 : 0), source, 4));
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
    case LV_GETTO:
      OK(eyot_get_nbi(here(u, s->place[0]), at(u, s->place[1]), 8));
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

/* Puts that return at local completion: the source is reused at once. */
static void local_put(struct litmus_unit *u, const struct litmus_statement *s, uint64_t *source) {
  eyot_gptr_t to = at(u, s->place[0]);
  source[0] = s->value[0];
  if (s->verb == LV_PUTLFROM)
    OK(eyot_put_local(to, here(u, s->place[1]), 8));
  else if (s->verb == LV_PUTL)
    OK(eyot_put_local(to, source, 8));
  else
    OK(eyot_put_signal_local(to, source, 8, at(u, s->place[1]), EYOT_SIGNAL_SET, s->value[1]));
  source[0] = 9;
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
    case LV_UNTIL4:
      until(u, s, EYOT_INT32, 0, s->value[0]);
      break;
    case LV_UNTILH:
      until(u, s, EYOT_UINT64, 0, s->value[0] << 32);
      break;
    case LV_UNTILH4:
      until(u, s, EYOT_INT32, 4, s->value[0]);
      break;
    case LV_ANY:
    case LV_SOME:
      u->reg[s->reg[0]] = two_words(u, s);
      break;
    case LV_ALL:
      (void)two_words(u, s);
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

static void of_set(struct litmus_unit *u, const struct litmus_statement *s, uint64_t *source) {
  const eyot_set_t set = u->set[s->set];
  const eyot_unit_t to = {s->unit};
  source[0] = s->value[0];
  switch (s->verb) {
    case LV_SNBI:
      OK(eyot_set_put(set, at(u, s->place[0]), source, 8));
      break;
    case LV_SGETNBI:
      OK(eyot_set_get(set, &u->reg[s->reg[0]], at(u, s->place[0]), 8));
      break;
    case LV_SSIGNBI:
      OK(eyot_set_put_signal(set, EYOT_GPTR_NULL, NULL, 0, at(u, s->place[0]), EYOT_SIGNAL_SET,
                             s->value[0]));
      break;
    case LV_SADDNBI:
      OK(eyot_set_accumulate(set, at(u, s->place[0]), EYOT_UINT64, EYOT_SUM, source));
      break;
    case LV_SFLUSH:
    case LV_SFLUSHL:
      OK(eyot_set_flush(set, to, s->verb == LV_SFLUSH ? EYOT_REMOTE : EYOT_LOCAL));
      break;
    case LV_SFLUSHALL:
      OK(eyot_set_flush_all(set, EYOT_REMOTE));
      break;
    case LV_SORDER:
      OK(eyot_set_order(set, to));
      break;
    case LV_SORDERALL:
      OK(eyot_set_order_all(set));
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

/* As the code that eyotcc --instrument=accesses makes of a plain access. */
static void plain(struct litmus_unit *u, const struct litmus_statement *s) {
  volatile uint64_t *word = here(u, s->place[0]);
  const size_t bytes = s->verb == LV_POLL4 ? 4 : 8;
  uint64_t seen;
  switch (s->verb) {
    case LV_POLL:
    case LV_POLL4:
      do {
        eyot_check_reads((const void *)(uintptr_t)word, bytes);
        seen = bytes == 4 ? (uint32_t)*word : *word;
      } while (seen < s->value[0]);
      break;
    case LV_PLD:
      eyot_check_reads((const void *)(uintptr_t)word, bytes);
      u->reg[s->reg[0]] = *word;
      break;
    case LV_PST:
      eyot_check_writes((const void *)(uintptr_t)word, bytes);
      *word = s->value[0];
      break;
    default:
      break;
  }
}

void litmus_run(struct litmus_unit *u, const struct litmus_code *code) {
  for (uint32_t i = 0; i < code->n; i++) {
    const struct litmus_statement *s = &code->at[i];
    if (s->verb == LV_PUTL || s->verb == LV_PUTLFROM || s->verb == LV_PSIGL)
      local_put(u, s, u->source[i]);
    else if (s->verb <= LV_PSIG2)
      transfer(u, s, u->source[i]);
    else if (s->verb <= LV_READ)
      atomic(u, s);
    else if (s->verb <= LV_SYNC)
      wait(u, s);
    else if (s->verb <= LV_SORDERALL)
      of_set(u, s, u->source[i]);
    else if (s->verb <= LV_FENCE)
      by_cpu(u, s);
    else
      plain(u, s);
  }
}
