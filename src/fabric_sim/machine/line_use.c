/* SPDX-License-Identifier: BSD-3-Clause */
/* line_use.c - which unit of a node used a cache line last: it has the line in its cache, for the
 * others a load or an atomic takes the time to bring it over. See net.h.
 *
 * A table that keeps the lines used last, as a cache does; a line that is not in it is in the cache
 * of the unit whose memory it is. */
#include "fabric_sim/machine/net_tables.h"

#define LINE_LOG2 6u

static uint32_t line_slot(uint32_t owner, uint32_t seg, uint64_t line) {
  uint64_t x = (line + owner * 0x9e3779b97f4a7c15ull) ^ (uint64_t)seg << 40;
  x *= 0xff51afd7ed558ccdull;
  return (uint32_t)(x >> 40) & (SIM_NET_LINE_USES - 1);
}

uint64_t sim_net_line_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                         uint32_t seg, uint64_t off, uint64_t bytes) {
  if (net->line_uses == NULL || bytes > SIM_NET_LINE_BYTES || !sim_net_by_memory(net, src, dst))
    return 0;
  uint64_t line = off >> LINE_LOG2;
  struct sim_line_use *l = &net->line_uses[line_slot(dst, seg, line)];
  bool known = l->user != 0 && l->line == line && l->owner == dst && l->seg == seg;
  uint32_t last = known ? l->user - 1 : dst;
  *l = (struct sim_line_use){.line = line, .owner = dst, .seg = seg, .user = src + 1};
  /* a store waits for the line in the store buffer, not in the processor */
  return last == src ? 0 : net->plat.price.line_ps[kind];
}
