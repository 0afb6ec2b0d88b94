/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.c - implements queue.h: nodes, entering, waiting, handing over. */

/* Why no late access can hit a node in a later use:
 * - A link is waited for before its node is left: a unit that hands over from a node has either
 *   read the link, or emptied the queue by a compare-and-swap that shows that no unit has entered
 *   after it. So no link is in flight when the node becomes free, however late it was.
 * - A hand-over by signal goes only to a node whose owner waits for as long as it takes; it sees
 *   the signal before it can give the node away. To a node that may have been given up it is a swap
 *   whose completion is waited for, and only then, from the same unit, comes the signal
 *   EYOTI_QUEUE_FREE: two signals never race for one word, nor a signal and an atomic.
 * - Values of `next` and `go` carry the use. Counting wraps, and words keep values of old uses, so
 *   a use that one of the words still shows is left out. */
#include "sync/locks/queue.h"

#include "sync/locks/queue_node.h"

_Static_assert((EYOTI_QUEUE_NODES * EYOTI_QUEUE_NODE_BYTES) <= EYOTI_GMEM_SYNC_BYTES,
               "the nodes fit the bytes that gmem reserves");
_Static_assert(DATA_OFF + 8 <= EYOTI_QUEUE_PAUSE_OFF % EYOTI_QUEUE_NODE_BYTES &&
                   EYOTI_QUEUE_PAUSE_OFF % EYOTI_QUEUE_NODE_BYTES + 8 <= EYOTI_QUEUE_NODE_BYTES,
               "the words of a node fit it and do not overlap");
_Static_assert(DATA_OFF == SELF_OFF + 8, "one put writes self and data, which are adjacent");
_Static_assert(EYOTI_QUEUE_UNITS_MAX == 1u << REF_NODE_SHIFT,
               "the number of a unit fits the bits below that of its node");

static inline bool is_own(const struct eyot_rt *rt, eyoti_qref_t ref) {
  return ref_unit(ref) == rt->fab->me;
}

static inline struct fab_addr queue_word_at(struct eyot_rt *rt, eyoti_qref_t ref, uint32_t off) {
  EYOTI_ASSERT(ref_node(ref) < EYOTI_QUEUE_NODES);
  return eyoti_gmem_sync_at(rt, ref_unit(ref), ref_node(ref) * EYOTI_QUEUE_NODE_BYTES + off);
}

static inline struct eyoti_queue_nodes *nodes_of(const struct eyot_rt *rt) {
  EYOTI_ASSERT(rt->sync->locks != NULL);
  return &rt->sync->locks->nodes;
}

/* -- nodes ------------------------------------------------------------------------------------- */

/* Finds nodes that other units have returned: given up and skipped, or passed on from by another
 * unit. */
static uint64_t returned(const struct eyoti_queue_nodes *q) {
  uint64_t back = 0;
  for (uint32_t i = 0; i < EYOTI_QUEUE_NODES; i++)
    if (own_word(q, i, GO_OFF) == ((uint64_t)*own_use(q, i) << USE_SHIFT | EYOTI_QUEUE_FREE))
      back |= (uint64_t)1 << i;
  return back;
}

/* Takes back the idle node that the quick path (lock.c) keeps for its next use. */
static void take_back_idle(struct eyot_rt *rt, struct eyoti_locks *ls) {
  if (ls->quick_node == 0 || ls->quick_busy) return;
  eyoti_queue_node_done(rt, ls->quick_node);
  ls->quick_node = 0;
}

int eyoti_queue_node(struct eyot_rt *rt, bool timed, eyoti_qref_t *ref) {
  struct eyoti_locks *ls;
  EYOTI_TRY(eyoti_locks_get(rt, &ls));
  struct eyoti_queue_nodes *q = &ls->nodes;
  if (q->free == 0) q->free = returned(q);
  if (q->free == 0) { /* lets messages arrive */
    EYOTI_TRY(rt->fab->ops->progress(rt->fab));
    q->free = returned(q);
    take_back_idle(rt, ls);
  }
  if (q->free == 0)
    return EYOTI_LOCK_FAIL(rt, EYOT_EBUSY,
                           "all %u queue nodes of this unit are in use: locks that it holds, and "
                           "timed waits given up that the holders of those locks have "
                           "not yet passed over; release locks, or try again later",
                           EYOTI_QUEUE_NODES);
  *ref = node_take(q, rt->fab->me, timed);
  return EYOT_OK;
}

void eyoti_queue_node_done(struct eyot_rt *rt, eyoti_qref_t ref) {
  struct eyoti_queue_nodes *q = nodes_of(rt);
  uint64_t bit = (uint64_t)1 << ref_node(ref);
  EYOTI_ASSERT(is_own(rt, ref) && (q->free & bit) == 0 &&
               *own_use(q, ref_node(ref)) == ref_use(ref));
  q->free |= bit;
}

/* Signals a word of a node; the waiting unit sends no answer. Where the CPU's atomics are the
 * fabric's, its store is the fabric's signal. */
static int signal_word(struct eyot_rt *rt, eyoti_qref_t ref, uint32_t off, uint64_t value) {
  if (node_is_mapped(rt, ref)) {
    mapped_signal(rt, nodes_of(rt), ref, off, value);
    return EYOT_OK;
  }
  struct fab_sig sig = {.at = queue_word_at(rt, ref, off), .op = FAB_SIG_SET, .value = value};
  return fab_put_signal(rt->fab, sig.at, NULL, 0, &sig, NULL);
}

/* The last access to a node that no other unit knows any more. */
static int node_return(struct eyot_rt *rt, eyoti_qref_t ref) {
  if (!is_own(rt, ref)) return signal_word(rt, ref, GO_OFF, tagged(ref, EYOTI_QUEUE_FREE));
  eyoti_queue_node_done(rt, ref);
  return EYOT_OK;
}

/* -- entering and waiting ---------------------------------------------------------------------- */

/* True if the CPU's atomics may be used on the tail in place of the fabric's. */
static inline bool queue_by_cpu(const struct eyot_rt *rt, const struct eyoti_queue *q) {
  return q->mapped != NULL && rt->fab->cpu_atomics;
}

/* An atomic on the tail with which the node enters. If it cannot be posted, the queue is unchanged,
 * and the node is free again. If it fails later, it is unknown whether it has acted: the node is
 * lost. */
static int tail_amo(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                    enum fab_amo_op op, uint64_t *before) {
  EYOTI_ASSERT(is_own(rt, ref));
  fab_req_t req;
  int rc =
      fab_amo(rt->fab, q->tail,
              &(struct fab_amo){.op = op, .width = 8, .operand = ref, .compare = 0}, before, &req);
  if (rc == EYOT_OK) return fab_req_end(rt->fab, q->tail.unit, req);
  eyoti_queue_node_done(rt, ref);
  return rc;
}

int eyoti_queue_enter(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                      bool *first) {
  uint64_t before;
  if (queue_by_cpu(rt, q))
    before = __atomic_exchange_n(q->mapped, ref, __ATOMIC_SEQ_CST);
  else
    EYOTI_TRY(tail_amo(rt, q, ref, FAB_AMO_SWAP, &before));
  if (before != 0) EYOTI_TRY(eyoti_queue_link(rt, before, ref));
  *first = before == 0;
  return EYOT_OK;
}

/* The predecessor reads the link in successor_of; it does not leave its node before. */
int eyoti_queue_link(struct eyot_rt *rt, eyoti_qref_t before, eyoti_qref_t ref) {
  return signal_word(rt, before, NEXT_OFF, tagged(before, ref));
}

int eyoti_queue_try(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref, bool *got) {
  uint64_t before;
  if (queue_by_cpu(rt, q))
    before = cpu_cas(q->mapped, 0, ref);
  else
    EYOTI_TRY(tail_amo(rt, q, ref, FAB_AMO_CAS, &before));
  *got = before == 0;
  return EYOT_OK;
}

/* Reads `go` up to spin_limit times, before the fabric waits; false: it is still `before`. */
static inline bool look_go(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t before, uint64_t *got) {
  if (!rt->fab->cpu_atomics) return false;
  const struct eyoti_queue_nodes *q = nodes_of(rt);
  for (uint32_t n = 0; n < rt->fab->spin_limit; n++) {
    *got = own_word(q, ref_node(ref), GO_OFF);
    if (*got != before) return true;
    fab_relax();
  }
  return false;
}

int eyoti_queue_wait(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t deadline, uint64_t *grant) {
  EYOTI_ASSERT(is_own(rt, ref) &&
               (deadline == EYOTI_DEADLINE_NEVER || (ref & EYOTI_REF_TIMED) != 0));
  uint64_t before = *own_seen(nodes_of(rt), ref_node(ref)), got;
  if (look_go(rt, ref, before, &got)) {
    *grant = got & REF_MASK;
    return EYOT_OK;
  }
  struct fab_addr go = queue_word_at(rt, ref, GO_OFF);
  int rc = fab_wait_mem(rt->fab, go.seg, go.off, FAB_NE, before, eyoti_deadline_left(rt, deadline),
                        &got);
  if (rc == EYOT_ETIMEOUT) {
    /* Pairs with the swap of hand_over: one of the two comes first, and the other sees it. */
    struct fab_amo give_up = {.op = FAB_AMO_CAS,
                              .width = 8,
                              .operand = tagged(ref, EYOTI_QUEUE_ABANDONED),
                              .compare = before};
    EYOTI_TRY(fab_amo_wait(rt->fab, go, &give_up, &got));
    if (got == before) return EYOT_ETIMEOUT;
  } else if (rc != EYOT_OK) {
    return rc;
  }
  EYOTI_ASSERT(got >> USE_SHIFT == ref_use(ref) && (got & REF_MASK) <= EYOTI_QUEUE_GRANT_MAX);
  *grant = got & REF_MASK;
  return EYOT_OK;
}

/* -- handing over ------------------------------------------------------------------------------ */

eyoti_qref_t eyoti_queue_follower(struct eyot_rt *rt, eyoti_qref_t ref) {
  EYOTI_ASSERT(is_own(rt, ref));
  return linked(ref, own_word(nodes_of(rt), ref_node(ref), NEXT_OFF));
}

/* Reads `next` of any node, without waiting. */
static int look_next(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t *next) {
  if (!is_own(rt, ref))
    return fab_get_wait(rt->fab, next, queue_word_at(rt, ref, NEXT_OFF), sizeof *next);
  *next = own_word(nodes_of(rt), ref_node(ref), NEXT_OFF);
  return EYOT_OK;
}

/* A unit has entered after `ref` and has not linked yet; `next` is the value that the word showed.
 * This wait ends because the unit links before it does anything else. */
static int await_link(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t next,
                      eyoti_qref_t *successor) {
  struct fab_addr at = queue_word_at(rt, ref, NEXT_OFF);
  if (is_own(rt, ref)) {
    EYOTI_TRY(fab_wait_mem(rt->fab, at.seg, at.off, FAB_NE, next, FAB_FOREVER, &next));
  } else {
    EYOTI_BACKOFF(pause);
    eyoti_backoff_init(&pause, rt, NULL);
    while (linked(ref, next) == 0) {
      EYOTI_TRY(eyoti_backoff_pause(rt, &pause, EYOTI_DEADLINE_NEVER));
      EYOTI_TRY(look_next(rt, ref, &next));
    }
  }
  *successor = linked(ref, next);
  EYOTI_ASSERT(*successor != 0);
  return EYOT_OK;
}

/* The successor of `ref`; 0: there is none, and the queue is empty now. */
static int successor_of(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                        eyoti_qref_t *successor) {
  uint64_t next, tail;
  EYOTI_TRY(look_next(rt, ref, &next));
  *successor = linked(ref, next);
  if (*successor != 0) return EYOT_OK;
  if (queue_by_cpu(rt, q))
    tail = cpu_cas(q->mapped, ref, 0);
  else
    EYOTI_TRY(fab_amo_wait(
        rt->fab, q->tail,
        &(struct fab_amo){.op = FAB_AMO_CAS, .width = 8, .operand = 0, .compare = ref}, &tail));
  if (tail == ref) return EYOT_OK;
  EYOTI_ASSERT(tail != 0); /* `ref` is in the queue */
  return await_link(rt, ref, next, successor);
}

bool eyoti_queue_pass_mapped(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t grant) {
  eyoti_qref_t to = eyoti_queue_follower(rt, ref);
  if (to == 0 || (to & EYOTI_REF_TIMED) != 0 || !node_is_mapped(rt, to)) return false;
  mapped_signal(rt, nodes_of(rt), to, GO_OFF, tagged(to, grant));
  eyoti_queue_node_done(rt, ref);
  return true;
}

/* *taken: the successor still waits, and has the grant now. */
static int hand_over(struct eyot_rt *rt, eyoti_qref_t to, uint64_t grant, bool *taken) {
  if ((to & EYOTI_REF_TIMED) == 0) {
    *taken = true;
    return signal_word(rt, to, GO_OFF, tagged(to, grant));
  }
  uint64_t before;
  struct fab_amo swap = {.op = FAB_AMO_SWAP, .width = 8, .operand = tagged(to, grant)};
  EYOTI_TRY(fab_amo_wait(rt->fab, queue_word_at(rt, to, GO_OFF), &swap, &before));
  *taken = before != tagged(to, EYOTI_QUEUE_ABANDONED);
  return EYOT_OK;
}

/* Returns `ref` and the n nodes after it, which were given up. */
static int return_nodes(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t n) {
  for (; n > 0; n--) {
    uint64_t next;
    EYOTI_TRY(look_next(rt, ref, &next));
    EYOTI_TRY(node_return(rt, ref));
    ref = linked(ref, next);
  }
  return node_return(rt, ref);
}

/* Each round passes over one node that was given up; no unit enters between `ref` and the first
 * that waits. None is returned before the last is reached: units whose waits are shorter than a
 * round would enter again with theirs, and this would never end. So they run out of nodes. */
int eyoti_queue_pass(struct eyot_rt *rt, const struct eyoti_queue *q, eyoti_qref_t ref,
                     uint64_t grant, bool *passed) {
  EYOTI_ASSERT(grant <= EYOTI_QUEUE_GRANT_MAX);
  uint64_t given_up = 0;
  for (eyoti_qref_t at = ref, to;; at = to, given_up++) {
    *passed = false;
    EYOTI_TRY(successor_of(rt, q, at, &to));
    if (to != 0) EYOTI_TRY(hand_over(rt, to, grant, passed));
    if (to == 0 || *passed) return return_nodes(rt, ref, given_up);
  }
}

/* -- the published state of a node ------------------------------------------------------------- */

int eyoti_queue_publish(struct eyot_rt *rt, eyoti_qref_t ref, uint64_t data) {
  EYOTI_ASSERT(is_own(rt, ref));
  const uint64_t words[2] = {ref, data};
  return fab_put_wait(rt->fab, queue_word_at(rt, ref, SELF_OFF), words, sizeof words);
}

int eyoti_queue_look(struct eyot_rt *rt, eyoti_qref_t node, struct eyoti_queue_sight *sight) {
  uint64_t words[NODE_WORDS];
  EYOTI_TRY(fab_get_wait(rt->fab, words, queue_word_at(rt, node, 0), sizeof words));
  sight->ref = words[SELF_OFF / 8];
  sight->follower = linked(sight->ref, words[NEXT_OFF / 8]);
  sight->data = words[DATA_OFF / 8];
  return EYOT_OK;
}
