/* SPDX-License-Identifier: BSD-3-Clause */
/* untimed_tso.c - the behavior of `--order tso` beyond rdma: store buffers of CPUs, sources that
 * the network reads late, and network atomics that are not atomic for CPUs. See untimed.h.
 *
 * Why it exists: the contract allows these behaviors, and x86 with an RDMA network has them. After
 * RDMA^TSO (Ambal, Dongol, Eran, Klimis, Lahav, Raad, OOPSLA 2024) and RDMA^TSO_RMW (the extension
 * with remote read-modify-write); docs/memory-model.md says where this differs. A store in the
 * buffer, and a source that has not been read, are processes of their own: the store leaves the
 * buffer, and the source is read, at any time. */
#include "fabric_sim/explore/untimed_tso.h"

#include <string.h>

#include "base/check.h"
#include "fabric_sim/engine/inflight.h"
#include "fabric_sim/engine/observer.h"
#include "fabric_sim/engine/op_stages.h"
#include "fabric_sim/explore/detect.h"
#include "fabric_sim/explore/untimed_proc.h"
#include "fabric_sim/explore/untimed_touch.h"
#include "fabric_sim/explore/untimed_unit.h"

/* State that is not memory, for the search: that an atomic is between its read and its write. */
#define HALF_DONE (UINT64_C(1) << 61)

static struct sim_untimed_unit *tso_of(const struct sim_unit *u) {
  return &u->world->untimed->run->units[u->fab.me];
}

static void to_memory(struct sim_world *w, uint64_t *word, uint64_t value) {
  *word = value;
  sim_untimed_touch(w, word, 8, true);
  /* only the pointer shows which unit's memory it is */
  for (uint32_t i = 0; i < w->n; i++) sim_untimed_written(&w->units[i], word, 8);
}

static void wait_empty(struct sim_unit *u) {
  sim_untimed_tso_touch(u);
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO_STORES);
  sim_untimed_tso_touch(u);
}

static void tso_store(struct sim_unit *u, uint64_t *word, uint64_t value) {
  struct sim_world *w = u->world;
  struct sim_untimed_unit *cu = tso_of(u);
  if (cu->n_stores == SIM_UNTIMED_STORES) wait_empty(u);
  uint32_t proc = sim_untimed_new_proc(w, false, u->fab.me, 0);
  w->untimed->run->procs[proc].store = true;
  cu->stores[cu->n_stores++] = (struct sim_store){word, value, proc};
  if (cu->n_stores == 1) sim_untimed_offer(w, proc, false);
}

void sim_untimed_tso_drain(struct sim_world *w, uint32_t proc) {
  struct sim_unit *u = &w->units[w->untimed->run->procs[proc].index];
  struct sim_untimed_unit *cu = tso_of(u);
  EYOTI_ASSERT(cu->n_stores > 0 && cu->stores[0].proc == proc);
  struct sim_store s = cu->stores[0];
  memmove(cu->stores, cu->stores + 1, --cu->n_stores * sizeof *cu->stores);
  to_memory(w, s.word, s.value);
  sim_untimed_touch_stores(u, true);
  if (cu->n_stores > 0)
    sim_untimed_offer(w, cu->stores[0].proc, false);
  else
    sim_untimed_unit_look(u);
}

/* Returns the newest store of the word in the unit's own buffer, or the value in memory. */
static uint64_t tso_load(struct sim_unit *u, const uint64_t *word) {
  const struct sim_untimed_unit *cu = tso_of(u);
  sim_untimed_block(u, SIM_ASLEEP, SIM_GO);
  /* also if forwarded: whether it is depends on when the store leaves the buffer */
  sim_untimed_touch(u->world, word, 8, false);
  for (uint32_t i = cu->n_stores; i-- > 0;)
    if (cu->stores[i].word == word) return cu->stores[i].value;
  return *word;
}

uint64_t sim_untimed_tso_cpu(struct sim_unit *u, enum fab_cpu_op op, uint64_t *word,
                             uint64_t operand, uint64_t desired) {
  if (op == FAB_CPU_LOAD) return tso_load(u, word);
  if (op == FAB_CPU_STORE) {
    tso_store(u, word, operand);
    return 0;
  }
  if (op == FAB_CPU_FENCE && tso_of(u)->n_stores == 0) {
    sim_untimed_tso_touch(u);
    return 0;
  }
  wait_empty(u);
  if (op == FAB_CPU_FENCE) return 0;
  uint64_t old = *word;
  sim_untimed_touch(u->world, word, 8, false);
  if (op == FAB_CPU_ADD) to_memory(u->world, word, old + operand);
  if (op == FAB_CPU_SWAP) to_memory(u->world, word, operand);
  if (op == FAB_CPU_CAS && old == operand) to_memory(u->world, word, desired);
  return old;
}

void sim_untimed_tso_source(struct sim_world *w, struct sim_op *op) {
  EYOTI_ASSERT(op->unread && op->len > 0);
  /* the value in memory: stores in the buffer are not there yet */
  memcpy(sim_op_payload(op), op->local, op->len);
  sim_untimed_locally_complete(w, op);
  op->unread = 0;
  sim_untimed_touch(w, op->local, op->len, false);
  sim_untimed_touch_own(w, op->origin, false);
  sim_untimed_touch_id(w, UINT64_MAX - op->first_proc, true); /* it is locally complete */
}

void sim_untimed_tso_signal(struct sim_world *w, const uint64_t *word) {
  if (sim_untimed_is_tso(w)) sim_untimed_touch_id(w, HALF_DONE + (uintptr_t)word / 8, true);
}

/* The word that `part` of `op` writes, if another atomic that is between its read and its write
 * holds the part back. An atomic that only reads could as well have come before. */
static bool may_be_held(const struct sim_op *op, uint32_t part, uint32_t *seg, uint64_t *off) {
  bool signal = op->kind == SIM_OP_SIGNAL && op->left == 1u << part;
  if (!signal && (op->kind != SIM_OP_AMO || op->amo_op == FAB_AMO_READ)) return false;
  *seg = signal ? op->sig_seg : op->seg;
  *off = signal ? op->value2 : op->off;
  return true;
}

/* The step that offers the part depends on the atomics of its word, held back or not: duty 1 of
 * check/strategy/exhaustive.c. */
void sim_untimed_tso_look(struct sim_world *w, const struct sim_op *op, uint32_t part) {
  uint32_t seg;
  uint64_t off;
  if (!may_be_held(op, part, &seg, &off)) return;
  const void *word = sim_seg_at(w, op->target, seg, off, op->kind == SIM_OP_AMO ? op->width : 8);
  if (word != NULL) sim_untimed_touch_id(w, HALF_DONE + (uintptr_t)word / 8, false);
}

/* Between an atomic's read and its write no other atomic and no signal writes the word. */
bool sim_untimed_tso_held(const struct sim_world *w, const struct sim_op *op, uint32_t part) {
  uint32_t seg;
  uint64_t off;
  if (!may_be_held(op, part, &seg, &off)) return false;
  const struct sim_unit *u = w->units;
  for (uint32_t i = 0; i < w->n; i++)
    for (const struct sim_op *o = u[i].head; o != NULL; o = sim_inflight_next(&u[i], NULL, o))
      if (o != op && o->kind == SIM_OP_AMO && o->parts == 2 && o->left == 2 &&
          o->target == op->target && o->seg == seg && o->off / 8 == off / 8)
        return true;
  return false;
}

/* Part 0 reads, part 1 writes. */
void sim_untimed_tso_amo(struct sim_world *w, struct sim_op *op, uint32_t part) {
  unsigned char *word = sim_deliver_target(w, op, op->seg, op->off, op->width);
  if (word == NULL) return;
  uint64_t old = 0;
  sim_untimed_touch_id(w, HALF_DONE + (uintptr_t)word / 8, true);
  if (part == 0) {
    memcpy(&old, word, op->width); /* little-endian, as all machines that eyot supports */
    memcpy(op->u.bytes, &old, sizeof old);
    sim_untimed_touch(w, word, op->width, false);
    return;
  }
  memcpy(&old, op->u.bytes, sizeof old);
  struct fab_amo amo = {.op = (enum fab_amo_op)op->amo_op,
                        .width = op->width,
                        .operand = op->value,
                        .compare = op->width == 8 ? op->value2 : (uint32_t)op->value2};
  sim_detect_land(w, op);
  bool writes = amo.op != FAB_AMO_CAS || old == amo.compare;
  if (op->local != NULL) fab_amo_store(op->local, op->narrow, old);
  op->value = old;
  if (sim_observed(w)) sim_observe_updated(w, op);
  if (!writes) return;
  uint64_t value = fab_amo_apply(&amo, old);
  memcpy(word, &value, op->width);
  struct sim_unit *t = &w->units[op->target];
  sim_deliver_note(t, word, op->width, op->origin);
  sim_untimed_touch(w, word, op->width, true);
  sim_untimed_written(t, word, op->width);
}
