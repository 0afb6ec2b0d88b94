/* SPDX-License-Identifier: BSD-3-Clause */
/* share.c - see share.h. */
#include "msg/share.h"

#include <stdlib.h>

#include "gmem/sheap.h"

#define LEDGERS_MORE 8u
#define BLOCKS_LEAST 4u /* of a message that is shared */
#define BLOCKS_MANY 8u
#define BLOCK_LONGEST 16u /* times EYOT_MSG_BLOCK */

/* -- ledgers ----------------------------------------------------------------------------------- */

static bool ledger_take(struct eyot_rt *rt, struct eyoti_msgs *m, uint64_t *off) {
  if (m->n_free_ledger == 0) {
    const uint32_t cap = m->ledger_cap + LEDGERS_MORE;
    uint64_t at, *all = realloc(m->free_ledger, cap * sizeof *all);
    if (all == NULL) return false;
    m->free_ledger = all;
    if (eyoti_gmem_own_take(rt, LEDGERS_MORE * sizeof(struct eyoti_msg_ledger), false, &at) !=
        EYOT_OK)
      return false;
    m->ledger_cap = cap;
    for (uint32_t i = 0; i < LEDGERS_MORE; i++)
      m->free_ledger[m->n_free_ledger++] = at + i * sizeof(struct eyoti_msg_ledger);
  }
  *off = m->free_ledger[--m->n_free_ledger];
  return true;
}

static struct eyoti_msg_ledger *ledger_at(struct eyot_rt *rt, uint64_t off) {
  return eyoti_gmem_mapped(rt, eyoti_gmem_heap_at(rt, rt->fab->me, off));
}

/* -- blocks ------------------------------------------------------------------------------------ */

/* Takes the number of a block: which bytes it has. *taken false: none is left. */
static int block_take(struct eyot_rt *rt, uint64_t size, struct fab_addr next, uint64_t bytes,
                      uint64_t *at, uint64_t *len, bool *taken) {
  const struct fab_amo add = {.op = FAB_AMO_ADD, .width = 8, .operand = 1};
  uint64_t block;
  EYOTI_TRY(fab_amo_wait(rt->fab, next, &add, &block));
  *at = block * size;
  *taken = *at < bytes;
  if (*taken) *len = bytes - *at < size ? bytes - *at : size;
  return EYOT_OK;
}

/* -- the sender -------------------------------------------------------------------------------- */

bool eyoti_msg_share_begin(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  const uint64_t zero = 0;
  if (m->block == 0 || op->bytes / BLOCKS_LEAST < m->block || !eyoti_sheap_reaches(rt, op->to) ||
      !ledger_take(rt, m, &op->ledger))
    return false;
  /* visible before the envelope leaves */
  if (fab_put_wait(
          rt->fab,
          eyoti_gmem_heap_at(rt, rt->fab->me, op->ledger + offsetof(struct eyoti_msg_ledger, next)),
          &zero, sizeof zero) != EYOT_OK) {
    eyoti_msg_share_end(m, op);
    return false;
  }
  op->done = op->ledger;
  op->value = ++m->done_values;
  return true;
}

const uint64_t *eyoti_msg_share_word(struct eyot_rt *rt, const struct eyoti_msg_op *op,
                                     uint64_t *off) {
  *off = op->ledger + offsetof(struct eyoti_msg_ledger, open);
  return &ledger_at(rt, op->ledger)->open;
}

int eyoti_msg_share_send(struct eyot_rt *rt, struct eyoti_msg_op *op) {
  uint64_t off, at, len = 0;
  bool taken = true;
  /* pairs with the receiver's put with signal */
  if (op->shared || eyoti_load_own(eyoti_msg_share_word(rt, op, &off)) < op->value) return EYOT_OK;
  const struct eyoti_msg_ledger *ledger = ledger_at(rt, op->ledger);
  const uint64_t dst = eyoti_load_own(&ledger->dst), landed = eyoti_load_own(&ledger->landed),
                 block = eyoti_load_own(&ledger->block);
  const struct fab_addr next =
      eyoti_gmem_heap_at(rt, rt->fab->me, op->ledger + offsetof(struct eyoti_msg_ledger, next));
  const struct fab_sig sig = {
      .at = eyoti_gmem_heap_at(rt, op->to, landed), .op = FAB_SIG_ADD, .value = 1};
  op->shared = true;
  for (;;) {
    fab_req_t req;
    EYOTI_TRY(block_take(rt, block, next, op->bytes, &at, &len, &taken));
    if (!taken) return EYOT_OK;
    EYOTI_TRY(fab_put_signal(rt->fab, eyoti_gmem_heap_at(rt, op->to, dst + at),
                             (const char *)op->buf + at, len, &sig, &req));
    EYOTI_TRY(fab_req_release(rt->fab, op->to, req));
  }
}

void eyoti_msg_share_end(struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  m->free_ledger[m->n_free_ledger++] = op->ledger;
  op->ledger = 0;
}

/* -- the receiver ------------------------------------------------------------------------------ */

bool eyoti_msg_share_takes(struct eyot_rt *rt, const struct eyoti_msg_op *op, uint64_t bytes) {
  uint64_t off;
  return op->status.bytes == bytes && eyoti_gmem_heap_has(rt, op->buf, bytes, &off);
}

static int share_open(struct eyot_rt *rt, const struct eyoti_msg_op *op, const uint64_t where[3],
                      fab_req_t *req) {
  const uint64_t ledger = op->ends.done;
  const struct fab_sig sig = {
      .at = eyoti_gmem_heap_at(rt, op->key.from, ledger + offsetof(struct eyoti_msg_ledger, open)),
      .op = FAB_SIG_SET,
      .value = op->ends.value};
  return fab_put_signal(
      rt->fab,
      eyoti_gmem_heap_at(rt, op->key.from, ledger + offsetof(struct eyoti_msg_ledger, dst)), where,
      3 * sizeof *where, &sig, req);
}

/* Long blocks are copied faster, and many keep both sides at work to the end. */
static uint64_t block_of(const struct eyoti_msgs *m, uint64_t bytes) {
  uint64_t block = bytes / BLOCKS_MANY;
  block -= block % 64;
  if (block < m->block) return m->block;
  return block < BLOCK_LONGEST * m->block ? block : BLOCK_LONGEST * m->block;
}

/* Waits for the blocks that the sender has taken. */
static int share_landed(struct eyot_rt *rt, const struct eyoti_msg_op *op, uint64_t own_ledger,
                        uint64_t least) {
  const struct fab_addr at =
      eyoti_gmem_heap_at(rt, rt->fab->me, own_ledger + offsetof(struct eyoti_msg_ledger, landed));
  const struct fab_cond cond = {.seg = at.seg, .cmp = FAB_GE, .off = at.off, .value = least};
  rt->about_message = (struct eyoti_about_message){
      .call = rt->fab->note.what, .unit = op->key.from, .tag = op->key.tag};
  int rc = fab_wait_word(rt->fab, &cond, FAB_FOREVER, NULL);
  rt->about_message.call = NULL;
  return rc;
}

/* Copies blocks until none is left; *mine: how many. */
static int share_copy(struct eyot_rt *rt, const struct eyoti_msg_op *op, uint64_t block,
                      uint64_t *mine) {
  const struct fab_addr next =
      eyoti_gmem_heap_at(rt, op->key.from, op->ends.done + offsetof(struct eyoti_msg_ledger, next));
  uint64_t at, len = 0;
  bool taken = true;
  for (*mine = 0;; ++*mine) {
    EYOTI_TRY(block_take(rt, block, next, op->status.bytes, &at, &len, &taken));
    if (!taken) return EYOT_OK;
    EYOTI_TRY(fab_get_wait(rt->fab, (char *)op->buf + at,
                           eyoti_gmem_heap_at(rt, op->key.from, op->ends.source + at), len));
  }
}

/* What opens the ledger is complete before the sender is told that all is over: it may use the
 * ledger again then. */
static int share_recv(struct eyot_rt *rt, const struct eyoti_msgs *m, const struct eyoti_msg_op *op,
                      uint64_t own_ledger) {
  const uint64_t bytes = op->status.bytes, block = block_of(m, bytes),
                 blocks = (bytes + block - 1) / block,
                 before = eyoti_load_own(&ledger_at(rt, own_ledger)->landed);
  uint64_t mine, where[3] = {0, own_ledger + offsetof(struct eyoti_msg_ledger, landed), block};
  fab_req_t req;
  bool has = eyoti_gmem_heap_has(rt, op->buf, bytes, &where[0]);
  EYOTI_ASSERT(has); /* eyoti_msg_share_takes */
  EYOTI_TRY(share_open(rt, op, where, &req));
  int rc = share_copy(rt, op, block, &mine);
  if (rc == EYOT_OK && mine < blocks) rc = share_landed(rt, op, own_ledger, before + blocks - mine);
  int rc_open = fab_req_end(rt->fab, op->key.from, req);
  return rc != EYOT_OK ? rc : rc_open;
}

int eyoti_msg_share_recv(struct eyot_rt *rt, struct eyoti_msgs *m, struct eyoti_msg_op *op) {
  uint64_t own_ledger;
  op->shared = false;
  if (!ledger_take(rt, m, &own_ledger))
    return fab_get_wait(rt->fab, op->buf, eyoti_gmem_heap_at(rt, op->key.from, op->ends.source),
                        op->status.bytes);
  int rc = share_recv(rt, m, op, own_ledger);
  /* after an error blocks may still land: the ledger is not used again */
  if (rc == EYOT_OK) m->free_ledger[m->n_free_ledger++] = own_ledger;
  return rc;
}
