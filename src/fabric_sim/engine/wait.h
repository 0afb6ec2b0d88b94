/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.h - waits and tests: for a request, for all operations in flight, for words. ops_table.c
 * calls them; deliver.c, explore/ and report/ use the helpers.
 *
 * They check the program's arguments, and leave the waiting itself to the engine (engine.h). */
#ifndef EYOT_FABRIC_SIM_ENGINE_WAIT_H
#define EYOT_FABRIC_SIM_ENGINE_WAIT_H

#include "fabric_sim/engine/world.h"

/* wait.c. The contract's operations. */
int sim_wait_req(struct sim_unit *u, fab_req_t req, enum fab_level level);
int sim_wait_test(struct sim_unit *u, fab_req_t req, enum fab_level level, bool *done);
int sim_wait_order(struct sim_unit *u, fab_set_t set, fab_unit_t unit);
int sim_wait_word(struct sim_unit *u, const struct fab_cond *cond, uint64_t timeout_ns,
                  uint64_t *seen);
int sim_wait_any(struct sim_unit *u, const struct fab_cond *conds, uint32_t n, uint64_t timeout_ns,
                 uint32_t *index, uint32_t *held);

/* Whether [p, p+len) has a byte of the word. */
static inline bool sim_wait_overlaps(const void *word, uint32_t bytes, const void *p,
                                     uint64_t len) {
  return (const char *)word < (const char *)p + len && (const char *)p < (const char *)word + bytes;
}
/* For a unit in SIM_WAIT_WORD: the word's value, and whether its condition holds. */
static inline uint64_t sim_wait_value(const struct sim_unit *u) {
  return fab_word_load((enum fab_word)u->wait.type, u->wait.word);
}
static inline bool sim_wait_holds(const struct sim_unit *u) {
  return fab_word_holds((enum fab_word)u->wait.type, (enum fab_cmp)u->wait.cmp, sim_wait_value(u),
                        u->wait.value);
}
static inline uint32_t sim_wait_bytes(const struct sim_unit *u) {
  return fab_word_bytes((enum fab_word)u->wait.type);
}
static inline struct fab_cond sim_wait_cond(const struct sim_unit *u) {
  const struct sim_wait *w = &u->wait;
  return (struct fab_cond){.seg = w->seg,
                           .cmp = (enum fab_cmp)w->cmp,
                           .off = w->off,
                           .value = w->value,
                           .type = (enum fab_word)w->type};
}

/* wait_words.c. For a unit in SIM_WAIT_ANY: sim_wait_any_word returns the i-th word that it waits
 * for, and sim_wait_any_value its value; sim_wait_first_holding returns the index of the first from
 * `from` on whose condition holds, or u->wait_any.n. */
const void *sim_wait_any_word(const struct sim_unit *u, uint32_t i);
uint64_t sim_wait_any_value(const struct sim_unit *u, uint32_t i);
uint32_t sim_wait_first_holding(const struct sim_unit *u, uint32_t from);
/* Wakes the unit if one of its words has a byte in [p, p+len) and the condition on it now holds. */
void sim_wait_any_wake(struct sim_unit *u, const void *p, uint64_t len);
/* Whether one of its words has a byte in [p, p+len). The first call of a wait sorts the words, the
 * others take a time logarithmic in their number. */
bool sim_wait_any_overlaps(struct sim_unit *u, const void *p, uint64_t len);
#endif
