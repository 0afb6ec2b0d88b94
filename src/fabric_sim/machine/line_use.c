/* SPDX-License-Identifier: BSD-3-Clause */
/* line_use.c - which unit of a node used a cache line last, and how long ago: it has the line in
 * its cache, for the others a load or an atomic takes the time to bring it over; and if it has used
 * more other lines since than a cache has, it has lost the line to the next cache or to memory. See
 * net.h.
 *
 * A table that keeps the lines used last, as a cache does. A line that is not in it was last used
 * by the unit whose memory it is: when the system gave the pages, which it clears on the processor
 * of the unit that allocates. If that is not known it is in that unit's cache or, where lines have
 * a reach, in memory. "Other lines since" are counted as changes of line: of random accesses to W
 * lines, a unit finds one in its cache of C lines with a probability of 1 - exp(-C/W) (of a cache
 * that replaces the oldest: C/W). */
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

static bool make_line_uses(struct sim_net *net) {
  net->n_line_uses = SIM_NET_LINE_USES;
  for (uint32_t i = 0; i < SIM_REACHES; i++)
    while (net->n_line_uses < 2 * (net->plat.reach[i] >> LINE_LOG2) &&
           net->n_line_uses < SIM_NET_LINE_USES_MAX)
      net->n_line_uses *= 2;
  net->line_uses = calloc(net->n_line_uses, sizeof *net->line_uses);
  return net->line_uses != NULL;
}

bool sim_net_make_lines(struct sim_net *net) {
  const struct sim_prices *price = &net->plat.price;
  bool pages = price->page_ps > 0,
       lines = price->line_ps[SIM_MSG_GET] > 0 || price->line_ps[SIM_MSG_AMO] > 0 || has_reach(net);
  if (!pages && !lines) return true;
  if (pages && (net->page_uses = calloc(SIM_NET_PAGE_USES, sizeof *net->page_uses)) == NULL)
    return false;
  if (lines && !make_line_uses(net)) return false;
  net->line_turns = calloc(net->n_units, sizeof *net->line_turns);
  net->given = calloc(net->n_units, sizeof *net->given);
  return net->line_turns != NULL && net->given != NULL;
}

void sim_net_free_lines(struct sim_net *net) {
  for (uint32_t i = 0; net->given != NULL && i < net->n_units; i++) free(net->given[i]);
  free(net->given);
  free(net->line_uses);
  free(net->line_turns);
  free(net->page_uses);
}

bool sim_net_takes_given(const struct sim_net *net) {
  return net->given != NULL;
}

void sim_net_give(struct sim_net *net, uint32_t unit, uint32_t seg, uint64_t off, uint64_t bytes) {
  if (net->given == NULL) return;
  if (net->given[unit] == NULL && (net->given[unit] = calloc(1, sizeof **net->given)) == NULL)
    return; /* without it, these lines are far */
  struct sim_given *g = net->given[unit];
  struct sim_given_part *last = &g->part[g->n % SIM_NET_GIVEN];
  uint32_t turn = net->line_turns[unit];
  net->line_turns[unit] += (uint32_t)(bytes >> LINE_LOG2);
  if (last->bytes > 0 && last->seg == seg && last->off + last->bytes == off &&
      turn - last->turn == (uint32_t)(last->bytes >> LINE_LOG2)) {
    last->bytes += bytes;
    return;
  }
  g->part[++g->n % SIM_NET_GIVEN] =
      (struct sim_given_part){.off = off, .bytes = bytes, .seg = seg, .turn = turn};
}

/* Whether the system gave the byte to its unit, as far as that is kept; and then, how many other
 * lines the unit has used since. */
static bool was_given(const struct sim_net *net, uint32_t unit, uint32_t seg, uint64_t off,
                      uint32_t *since) {
  const struct sim_given *g = net->given == NULL ? NULL : net->given[unit];
  for (uint32_t i = 0; g != NULL && i < SIM_NET_GIVEN; i++) {
    const struct sim_given_part *p = &g->part[i];
    if (p->seg != seg || off < p->off || off - p->off >= p->bytes) continue;
    *since = net->line_turns[unit] - p->turn - (uint32_t)((off - p->off) >> LINE_LOG2);
    return true;
  }
  return false;
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
  uint32_t since = known ? turn - l->turn : UINT32_MAX;
  if (!known) (void)was_given(net, dst, seg, off, &since);
  if (!again) net->line_turns[src] = ++turn;
  *l = (struct sim_line_use){.line = line, .owner = dst, .seg = seg, .user = src + 1, .turn = turn};
  /* a store waits for another's line in the store buffer, not in the processor */
  if (known && last != src) return net->plat.price.line_ps[kind];
  uint64_t ps = far_ps(net, kind, since),
           moved_ps = last == src ? 0 : net->plat.price.line_ps[kind];
  return ps > moved_ps ? ps : moved_ps;
}

/* The system maps the pages that it gives where it gives them, so only others have a first use. Two
 * pages that share a slot drive each other out; their first use is then paid for again. */
uint64_t sim_net_page_ps(struct sim_net *net, uint32_t src, uint32_t dst, uint32_t seg,
                         uint64_t off, uint64_t bytes) {
  if (net->page_uses == NULL || bytes == 0 || !sim_net_by_memory(net, src, dst)) return 0;
  uint64_t fresh = 0;
  uint32_t since;
  if (src == dst && was_given(net, dst, seg, off, &since)) return 0;
  for (uint64_t page = off >> PAGE_LOG2; page <= (off + bytes - 1) >> PAGE_LOG2; page++) {
    uint64_t x = page + ((uint64_t)src << 32 | dst) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (uint64_t)seg << 44 ^ x >> 29) * 0xff51afd7ed558ccdull | 1;
    uint64_t *slot = &net->page_uses[x >> 40 & (SIM_NET_PAGE_USES - 1)];
    fresh += *slot != x;
    *slot = x;
  }
  return fresh * net->plat.price.page_ps;
}
