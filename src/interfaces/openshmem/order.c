/* SPDX-License-Identifier: BSD-3-Clause */
/* order.c - fence and quiet, and the barriers of all PEs.
 *
 * The functions without a context concern the default one alone. While the program has made no
 * other, eyot's functions for all sets say the same, and are inline where nothing is in flight.
 *
 * The PE's own stores to its symmetric memory: a remote flush is a full barrier and completes them.
 * An order and a barrier are none, so that shmem_fence and shmem_sync, which order and complete
 * stores (OpenSHMEM 1.5, 9.11 and 9.9.3), need one of the processor. It completes no operation. */
#include "interfaces/openshmem/osh.h"

void osh_quiet(void) {
  osh_must(osh.contexts == 0 ? eyot_flush_all(EYOT_REMOTE)
                             : eyot_set_flush_all(EYOT_SET_DEFAULT, EYOT_REMOTE));
}

void osh_barrier_all(void) {
  osh_quiet();
  osh_must(eyot_barrier(EYOT_TEAM_ALL));
}

int osh_sync(eyot_team_t team) {
  eyot_cpu_fence();
  return eyot_barrier(team);
}

static eyot_set_t set_of(const struct shmemi_ctx *ctx) {
  if (ctx->team == NULL) osh_fail(EYOT_EINVAL, "ctx was destroyed");
  return ctx->set;
}

OSH_DEFINE(void, quiet, (void)) {
  OSH_ENTER("shmem_quiet");
  osh_quiet();
}

OSH_DEFINE(void, ctx_quiet, (shmem_ctx_t ctx)) {
  OSH_ENTER("shmem_ctx_quiet");
  if (ctx == SHMEM_CTX_INVALID) return;
  if (osh_is_default(ctx))
    osh_quiet();
  else
    osh_must(eyot_set_flush_all(set_of(ctx), EYOT_REMOTE));
}

static void fence(void) {
  eyot_cpu_fence();
  osh_must(osh.contexts == 0 ? eyot_order_all() : eyot_set_order_all(EYOT_SET_DEFAULT));
}

OSH_DEFINE(void, fence, (void)) {
  OSH_ENTER("shmem_fence");
  fence();
}

OSH_DEFINE(void, ctx_fence, (shmem_ctx_t ctx)) {
  OSH_ENTER("shmem_ctx_fence");
  if (ctx == SHMEM_CTX_INVALID) return;
  if (osh_is_default(ctx)) {
    fence();
    return;
  }
  eyot_set_t set = set_of(ctx);
  if ((ctx->options & SHMEM_CTX_NOSTORE) == 0) eyot_cpu_fence();
  osh_must(eyot_set_order_all(set));
}

static void pe_quiet(shmem_ctx_t ctx, const int *pes, size_t n) {
  if (n > 0 && pes == NULL) osh_fail(EYOT_EINVAL, "target_pes is NULL");
  for (size_t i = 0; i < n; i++)
    osh_must(eyot_set_flush(ctx->set, (eyot_unit_t){(uint32_t)osh_pe(ctx, pes[i])}, EYOT_REMOTE));
}

OSH_DEFINE(void, pe_quiet, (const int *target_pes, size_t npes)) {
  OSH_ENTER("shmem_pe_quiet");
  pe_quiet(SHMEM_CTX_DEFAULT, target_pes, npes);
}

OSH_DEFINE(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int *target_pes, size_t npes)) {
  OSH_ENTER("shmem_ctx_pe_quiet");
  if (ctx != SHMEM_CTX_INVALID) pe_quiet(ctx, target_pes, npes);
}

OSH_DEFINE(void, barrier_all, (void)) {
  OSH_ENTER("shmem_barrier_all");
  osh_barrier_all();
}

OSH_DEFINE(void, sync_all, (void)) {
  OSH_ENTER("shmem_sync_all");
  osh_must(osh_sync(EYOT_TEAM_ALL));
}
