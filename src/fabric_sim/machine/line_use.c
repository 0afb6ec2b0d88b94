/* SPDX-License-Identifier: BSD-3-Clause */
/* line_use.c - which unit of a node used a cache line last, and how long ago: it has the line in
 * its cache, for the others a load or an atomic takes the time to bring it over; and if it has used
 * more other lines since than a cache has, it has lost the line to the next cache or to memory. See
 * net.h.
 *
 * A table that keeps the lines used last, as a cache does. A line that is not in it is in the cache
 * of the unit whose memory it is, or, where lines have a reach, in memory. "Other lines since" are
 * counted as changes of line: of random accesses to W lines, a unit finds one in its cache of C
 * lines with a probability of 1 - exp(-C/W) (of a cache that replaces the oldest: C/W). */
#include <stdlib.h>

#include "fabric_sim/machine/net_tables.h"

#define LINE_LOG2 6u
#define PAGE_LOG2 12u

static uint32_t line_slot(const struct sim_net *net, uint32_t owner, uint32_t seg, uint64_t line) {
  uint64_t x = (line + owner * 0x9e3779b97f4a7c15ull) ^ (uint64_t)seg << 40;
  x *= 0xff51afd7ed558ccdull;
  return (uint32_t)(x >> 40) & (net->n_line_uses - 1);
}

static bool has_reach(const struct sim_net *net) {
  return net->plat.reach[0] > 0 || net->plat.reach[1] > 0;
}

bool sim_net_make_lines(struct sim_net *net) {
  const struct sim_prices *price = &net->plat.price;
  if (price->page_ps > 0 &&
      (net->page_uses = calloc(SIM_NET_PAGE_USES, sizeof *net->page_uses)) == NULL)
    return false;
  bool moves = price->line_ps[SIM_MSG_GET] > 0 || price->line_ps[SIM_MSG_AMO] > 0;
  if (!moves && !has_reach(net)) return true;
  net->n_line_uses = SIM_NET_LINE_USES;
  for (uint32_t i = 0; i < SIM_REACHES; i++)
    while (net->n_line_uses < 2 * (net->plat.reach[i] >> LINE_LOG2) &&
           net->n_line_uses < SIM_NET_LINE_USES_MAX)
      net->n_line_uses *= 2;
  net->line_uses = calloc(net->n_line_uses, sizeof *net->line_uses);
  net->line_turns = calloc(net->n_units, sizeof *net->line_turns);
  return net->line_uses != NULL && net->line_turns != NULL;
}

/* The price of a line that the unit has used `lines` other lines ago. */
static uint64_t far_ps(const struct sim_net *net, enum sim_msg kind, uint64_t lines) {
  uint64_t bytes = lines << LINE_LOG2;
  for (uint32_t i = SIM_REACHES; i-- > 0;)
    if (net->plat.reach[i] > 0 && bytes > net->plat.reach[i])
      return net->plat.price.far_ps[i][kind];
  return 0;
}

uint64_t sim_net_line_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                         uint32_t seg, uint64_t off, uint64_t bytes) {
  if (net->line_uses == NULL || bytes > SIM_NET_LINE_BYTES || !sim_net_by_memory(net, src, dst))
    return 0;
  uint64_t line = off >> LINE_LOG2;
  struct sim_line_use *l = &net->line_uses[line_slot(net, dst, seg, line)];
  bool known = l->user != 0 && l->line == line && l->owner == dst && l->seg == seg;
  uint32_t last = known ? l->user - 1 : dst, turn = net->line_turns[src];
  bool again = known && last == src && l->turn == turn;
  uint64_t since = known ? turn - l->turn : UINT32_MAX;
  if (!again) net->line_turns[src] = ++turn;
  *l = (struct sim_line_use){.line = line, .owner = dst, .seg = seg, .user = src + 1, .turn = turn};
  /* a store waits for another's line in the store buffer, not in the processor */
  if (known && last != src) return net->plat.price.line_ps[kind];
  uint64_t ps = far_ps(net, kind, since),
           moved_ps = last == src ? 0 : net->plat.price.line_ps[kind];
  return ps > moved_ps ? ps : moved_ps;
}

/* Two pages that share a slot drive each other out; their first use is then paid for again. */
uint64_t sim_net_page_ps(struct sim_net *net, uint32_t src, uint32_t dst, uint32_t seg,
                         uint64_t off, uint64_t bytes) {
  if (net->page_uses == NULL || bytes == 0 || !sim_net_by_memory(net, src, dst)) return 0;
  uint64_t fresh = 0;
  for (uint64_t page = off >> PAGE_LOG2; page <= (off + bytes - 1) >> PAGE_LOG2; page++) {
    uint64_t x = page + ((uint64_t)src << 32 | dst) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (uint64_t)seg << 44 ^ x >> 29) * 0xff51afd7ed558ccdull | 1;
    uint64_t *slot = &net->page_uses[x >> 40 & (SIM_NET_PAGE_USES - 1)];
    fresh += *slot != x;
    *slot = x;
  }
  return fresh * net->plat.price.page_ps;
}
