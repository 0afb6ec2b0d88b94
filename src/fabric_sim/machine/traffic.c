/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c - reserves other jobs' messages when a message of the program meets them. See
 * traffic.h. */
#include "fabric_sim/machine/traffic.h"

#include <stdlib.h>

#include "base/check.h"

/* Mixes the bits of a number (the finalizer of splitmix64; G. Steele, D. Lea, C. Flood, OOPSLA
 * 2014). */
static uint64_t traffic_mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/* When the message of the slot comes: somewhere in the slot, so that it ends there if the place is
 * free. */
static uint64_t slot_start_ps(const struct sim_traffic *x, uint64_t place,
                              const struct sim_traffic_load *load, uint64_t slot) {
  uint64_t draw = traffic_mix(traffic_mix(x->seed + place) + slot);
  return slot * load->slot_ps + draw % (load->slot_ps - load->span_ps + 1);
}

void sim_traffic_reach(struct sim_traffic *x, struct sim_res *r, uint64_t place,
                       const struct sim_traffic_load *load, uint64_t at_ps, uint64_t now_ps) {
  if (load->slot_ps == 0) return;
  uint64_t slot = x->next[place], start_ps, end_ps;
  while ((start_ps = slot_start_ps(x, place, load, slot)) <= at_ps) {
    slot++;
    if (r->busy_ps <= start_ps && start_ps + load->span_ps <= now_ps) {
      /* over, and so are all before now: it has met nothing */
      uint64_t current = now_ps / load->slot_ps;
      if (slot < current) slot = current;
      continue;
    }
    (void)sim_res_claim(r, start_ps, load->span_ps, now_ps, &end_ps);
    sim_res_long(r, end_ps);
  }
  x->next[place] = slot;
}

uint64_t sim_traffic_left(uint64_t bytes_per_s, uint32_t percent) {
  return bytes_per_s / 100 * (100 - percent);
}

static struct sim_traffic_load load_of(uint32_t percent, uint32_t bytes, sim_per_byte_t per_byte) {
  uint64_t span_ps = percent > 0 ? sim_cost_ps(bytes, per_byte) : 0;
  if (span_ps == 0) return (struct sim_traffic_load){0};
  return (struct sim_traffic_load){.slot_ps = span_ps * 100 / percent, .span_ps = span_ps};
}

int sim_traffic_open(struct sim_net *net, const char *text) {
  struct sim_traffic_shares shares;
  if (text == NULL) return EYOT_OK;
  if (net->flows && net->file != NULL)
    return EYOTI_FAIL(
        EYOT_EINVAL,
        "other jobs' traffic ('%s') over the platform file %s with --network simgrid; "
        "expected a preset, or --network shared",
        text, net->plat.name);
  EYOTI_TRY(sim_traffic_parse(text, &net->plat, &shares));
  uint32_t wires = 1 + (net->file != NULL ? net->n_links : SIM_PLAT_CLASSES);
  struct sim_traffic *x = net->traffic = calloc(1, sizeof *x);
  if (x != NULL) {
    x->wire = calloc(wires, sizeof *x->wire);
    x->next = calloc((size_t)net->n_links + 2 * (size_t)net->n_nodes, sizeof *x->next);
  }
  if (x == NULL || x->wire == NULL || x->next == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory for other jobs' traffic on %u links", net->n_links);
  x->nic = load_of(shares.nic, shares.bytes, net->put_per_byte);
  for (uint32_t i = 1; i < wires; i++)
    if (net->wires[i].shared)
      x->wire[i] =
          load_of(shares.link[net->file != NULL ? 0 : i - 1], shares.bytes, net->wires[i].per_byte);
  x->shares = shares;
  return EYOT_OK;
}

void sim_traffic_close(struct sim_net *net) {
  if (net->traffic == NULL) return;
  free(net->traffic->next);
  free(net->traffic->wire);
  free(net->traffic);
  net->traffic = NULL;
}

void sim_traffic_begin(struct sim_net *net, uint64_t seed) {
  if (net->traffic != NULL) net->traffic->seed = traffic_mix(seed + 1);
}
