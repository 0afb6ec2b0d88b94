/* SPDX-License-Identifier: BSD-3-Clause */
/* dragonfly.c - numbers a Dragonfly's links and computes its minimal routes. See dragonfly.h.
 *
 * Links are numbered group by group; in a group: green (router, other slot), black (router, other
 * chassis), blue (other group, channel). The q-th next group of g is g + 1 + q (mod groups), from
 * which g is the (groups - 2 - q)-th next: both ends of a channel agree on its number k. Its end in
 * a group is router (q * blue + k) % routers, so that ports are distributed evenly. */
#include "fabric_sim/machine/dragonfly.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static uint32_t gateway(const struct sim_df *df, uint32_t q, uint32_t k) {
  uint32_t r = df->first[q] + k; /* both are less than routers */
  return r >= df->routers ? r - df->routers : r;
}

static uint32_t hops_in_group(const struct sim_df *df, uint32_t a, uint32_t b) {
  return (uint32_t)(df->at[a].chassis != df->at[b].chassis) +
         (uint32_t)(df->at[a].slot != df->at[b].slot);
}

static uint64_t *within_mask(const struct sim_df *df, uint32_t q, uint32_t r, uint32_t hops) {
  return df->within + (((uint64_t)q * df->routers + r) * 2 + hops) * df->words;
}

static void fill_places(struct sim_df *df) {
  for (uint32_t i = 0; i < df->groups * df->routers; i++) {
    uint32_t r = i % df->routers;
    df->at[i] = (struct sim_df_at){i / df->routers, r, (uint16_t)(r / df->blades),
                                   (uint16_t)(r % df->blades)};
  }
  for (uint32_t q = 0; q + 1 < df->groups; q++)
    df->first[q] = (uint32_t)((uint64_t)q * df->blue % df->routers);
}

static void fill_masks(const struct sim_df *df, uint32_t q) {
  df->filled[q] = 1;
  for (uint32_t r = 0; r < df->routers; r++)
    for (uint32_t k = 0; k < df->blue; k++)
      for (uint32_t hops = hops_in_group(df, r, gateway(df, q, k)); hops < 2; hops++)
        within_mask(df, q, r, hops)[k / 64] |= 1ull << (k % 64);
}

/* The masks of router r towards the q-th next group: of no hop, then of at most one. */
static const uint64_t *masks_of(const struct sim_df *df, uint32_t q, uint32_t r) {
  if (__builtin_expect(df->filled[q] == 0, 0)) fill_masks(df, q);
  return within_mask(df, q, r, 0);
}

int sim_df_init(struct sim_df *df, uint32_t groups, uint32_t chassis, uint32_t blades,
                uint32_t blue) {
  struct sim_df d = {.groups = groups, .chassis = chassis, .blades = blades, .blue = blue};
  EYOTI_ASSERT(groups >= 1 && chassis >= 1 && chassis <= UINT16_MAX && blades >= 1 &&
               blades <= UINT16_MAX);
  d.routers = chassis * blades;
  EYOTI_ASSERT(blue >= 1 && blue <= SIM_DF_BLUE_MAX && blue <= d.routers);
  d.group_links = d.routers * (blades + chassis - 2) + (groups - 1) * blue;
  d.links = groups * d.group_links;
  d.words = (blue + 63) / 64;
  size_t words = (size_t)groups * d.routers * 2 * d.words;
  d.within = calloc(words, sizeof *d.within);
  d.at = calloc((size_t)groups * d.routers, sizeof *d.at);
  d.first = calloc(groups, sizeof *d.first);
  d.filled = calloc(groups, sizeof *d.filled);
  if (d.within == NULL || d.at == NULL || d.first == NULL || d.filled == NULL) {
    sim_df_fini(&d);
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for the routes of a Dragonfly: %zu bytes",
                      words * sizeof *d.within);
  }
  fill_places(&d);
  *df = d;
  return 0;
}

void sim_df_fini(struct sim_df *df) {
  free(df->within);
  free(df->at);
  free(df->first);
  free(df->filled);
  *df = (struct sim_df){0};
}

static uint32_t green_link(const struct sim_df *df, uint32_t group, uint32_t from, uint32_t slot) {
  return group * df->group_links + from * (df->blades - 1) + slot -
         (uint32_t)(slot > df->at[from].slot);
}

static uint32_t black_link(const struct sim_df *df, uint32_t group, uint32_t from,
                           uint32_t chassis) {
  return group * df->group_links + df->routers * (df->blades - 1) + from * (df->chassis - 1) +
         chassis - (uint32_t)(chassis > df->at[from].chassis);
}

static uint32_t blue_link(const struct sim_df *df, uint32_t group, uint32_t q, uint32_t k) {
  return group * df->group_links + df->routers * (df->blades + df->chassis - 2) + q * df->blue + k;
}

/* Writes the route from a to b within a group. */
static uint32_t route_in_group(const struct sim_df *df, uint32_t group, uint32_t a, uint32_t b,
                               uint64_t salt, uint32_t *links) {
  if (a == b) return 0;
  uint32_t slot_a = df->at[a].slot, slot_b = df->at[b].slot, chassis_a = df->at[a].chassis,
           chassis_b = df->at[b].chassis;
  uint32_t n = 0;
  if (chassis_a == chassis_b) {
    links[n++] = green_link(df, group, a, slot_b);
  } else if (slot_a == slot_b) {
    links[n++] = black_link(df, group, a, chassis_b);
  } else if ((salt & 1) != 0) {
    links[n++] = green_link(df, group, a, slot_b);
    links[n++] = black_link(df, group, chassis_a * df->blades + slot_b, chassis_b);
  } else {
    links[n++] = black_link(df, group, a, chassis_b);
    links[n++] = green_link(df, group, chassis_b * df->blades + slot_a, slot_b);
  }
  return n;
}

/* Returns the number of the set bit that has rank `rank` in the mask. */
static uint32_t nth_bit(const uint64_t *mask, uint32_t rank) {
  uint32_t base = 0;
  for (;; mask++, base += 64) {
    uint32_t here = (uint32_t)__builtin_popcountll(*mask);
    if (rank < here) break;
    rank -= here;
  }
  uint64_t word = *mask;
  for (; rank > 0; rank--) word &= word - 1;
  return base + (uint32_t)__builtin_ctzll(word);
}

/* Chooses one of the blue channels that make the route from r (of this group) to s (of its q-th
 * next) shortest. Near-masks are cumulative, so the first total that finds any channel is the least
 * one. Total 0 needs no check of its own: a router has at most one channel to a group, and if that
 * one ends at both r and s, total 1 finds it alone. */
static uint32_t choose_blue(const struct sim_df *df, uint32_t q, uint32_t r, uint32_t s,
                            uint64_t salt) {
  const uint64_t *out0 = masks_of(df, q, r), *out1 = out0 + df->words;
  const uint64_t *in0 = masks_of(df, df->groups - 2 - q, s), *in1 = in0 + df->words;
  uint64_t mask[SIM_DF_BLUE_WORDS];
  for (uint32_t total = 1; total < 4; total++) {
    uint32_t found = 0;
    for (uint32_t w = 0; w < df->words; w++) {
      switch (total) {
        case 1:
          mask[w] = (out0[w] & in1[w]) | (out1[w] & in0[w]);
          break;
        case 2:
          mask[w] = out0[w] | (out1[w] & in1[w]) | in0[w];
          break;
        default:
          mask[w] = out1[w] | in1[w];
          break;
      }
      found += (uint32_t)__builtin_popcountll(mask[w]);
    }
    if (found != 0) return nth_bit(mask, (uint32_t)((salt >> 32) * found >> 32));
  }
  return (uint32_t)((salt >> 32) * df->blue >> 32); /* two hops at each end for every channel */
}

uint32_t sim_df_route(const struct sim_df *df, uint32_t src, uint32_t dst, uint64_t salt,
                      uint32_t links[SIM_DF_HOPS_MAX]) {
  uint32_t group_a = df->at[src].group, group_b = df->at[dst].group, a = df->at[src].r,
           b = df->at[dst].r;
  if (group_a == group_b) return route_in_group(df, group_a, a, b, salt, links);
  uint32_t q = group_b > group_a ? group_b - group_a - 1 : group_b + df->groups - group_a - 1;
  uint32_t k = choose_blue(df, q, a, b, salt);
  uint32_t n = route_in_group(df, group_a, a, gateway(df, q, k), salt, links);
  links[n++] = blue_link(df, group_a, q, k);
  return n +
         route_in_group(df, group_b, gateway(df, df->groups - 2 - q, k), b, salt >> 1, links + n);
}

/* A number less than n by 16 bits of the salt. */
static uint32_t part_of(uint64_t salt, uint32_t shift, uint32_t n) {
  return (uint32_t)((salt >> shift & 0xffff) * n >> 16);
}

static uint32_t detour_in_group(const struct sim_df *df, uint32_t group, uint32_t a, uint32_t b,
                                uint64_t salt, uint32_t *links) {
  if (a == b || df->routers < 3) return 0;
  uint32_t low = a < b ? a : b, high = a < b ? b : a, by = part_of(salt, 16, df->routers - 2);
  by += (uint32_t)(by >= low);
  by += (uint32_t)(by >= high);
  uint32_t n = route_in_group(df, group, a, by, salt, links);
  return n + route_in_group(df, group, by, b, salt >> 1, links + n);
}

/* Chooses a channel to the q-th next group, at most one hop from r if there is one. */
static uint32_t nearby_blue(const struct sim_df *df, uint32_t q, uint32_t r, uint64_t salt) {
  const uint64_t *within1 = masks_of(df, q, r) + df->words;
  uint32_t found = 0;
  for (uint32_t w = 0; w < df->words; w++) found += (uint32_t)__builtin_popcountll(within1[w]);
  return found > 0 ? nth_bit(within1, part_of(salt, 32, found)) : part_of(salt, 32, df->blue);
}

uint32_t sim_df_detour(const struct sim_df *df, uint32_t src, uint32_t dst, uint64_t salt,
                       uint32_t links[SIM_DF_DETOUR_MAX]) {
  uint32_t group_a = df->at[src].group, group_b = df->at[dst].group, a = df->at[src].r;
  if (group_a == group_b) return detour_in_group(df, group_a, a, df->at[dst].r, salt, links);
  if (df->groups < 3) return 0;
  uint32_t direct = group_b > group_a ? group_b - group_a - 1 : group_b + df->groups - group_a - 1,
           q = part_of(salt, 16, df->groups - 2);
  q += (uint32_t)(q >= direct);
  uint32_t k = nearby_blue(df, q, a, salt), by = (group_a + 1 + q) % df->groups;
  uint32_t n = route_in_group(df, group_a, a, gateway(df, q, k), salt, links);
  links[n++] = blue_link(df, group_a, q, k);
  uint32_t there = by * df->routers + gateway(df, df->groups - 2 - q, k);
  return n + sim_df_route(df, there, dst, salt * 0x9e3779b97f4a7c15ull, links + n);
}

void sim_df_link(const struct sim_df *df, uint32_t link, uint32_t *from, uint32_t *to,
                 enum sim_df_color *color) {
  EYOTI_ASSERT(link < df->links);
  uint32_t group = link / df->group_links, base = group * df->routers, i = link % df->group_links;
  uint32_t greens = df->routers * (df->blades - 1), blacks = df->routers * (df->chassis - 1);
  if (i < greens) {
    uint32_t r = i / (df->blades - 1), slot = i % (df->blades - 1);
    slot += (uint32_t)(slot >= r % df->blades);
    *from = base + r, *to = base + r / df->blades * df->blades + slot, *color = SIM_DF_GREEN;
  } else if (i < greens + blacks) {
    i -= greens;
    uint32_t r = i / (df->chassis - 1), chassis = i % (df->chassis - 1);
    chassis += (uint32_t)(chassis >= r / df->blades);
    *from = base + r, *to = base + chassis * df->blades + r % df->blades, *color = SIM_DF_BLACK;
  } else {
    i -= greens + blacks;
    uint32_t q = i / df->blue, k = i % df->blue, peer = (group + 1 + q) % df->groups;
    *from = base + gateway(df, q, k), *to = peer * df->routers + gateway(df, df->groups - 2 - q, k),
    *color = SIM_DF_BLUE;
  }
}
