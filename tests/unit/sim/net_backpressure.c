/* SPDX-License-Identifier: BSD-3-Clause */
/* net_backpressure.c - how far off a network without finite buffers is: an incast of many routers
 * into one node, and a victim that shares only a link upstream of the full port. Compares with a
 * model of single packets, in which a packet moves on only if the next buffer has room for it.
 *
 * The model has a buffer at each channel's end, either one queue (a packet that cannot go on blocks
 * those after it) or a queue for each channel that leaves there (it blocks its like only). */

#include "fabric_sim/machine/net_tables.h"
#include "unit/sim/net_test.h"

#define FLOWS_MAX 20u
#define HOPS 3u /* into the router, to the other router, out of it */
#define CHANNELS_MAX (2 * FLOWS_MAX + 4u)
#define QUEUE_MAX 256u /* packets */
#define PACKET 512u
#define FLOW_BYTES (1u << 20)

/* -- single packets ---------------------------------------------------------------------------- */

struct queue {
  uint8_t flow[QUEUE_MAX];
  uint32_t head, n, taken; /* taken: room for packets on their way */
};

struct channel {
  uint64_t packet_ps, free_ps;
  uint32_t turn;                     /* whose queue is asked first */
  int64_t sends;                     /* the flow whose packet is on it, or -1 */
  struct queue queue[FLOWS_MAX + 1]; /* at its end: by the next channel's number, or one */
};

struct packet_flow {
  uint32_t channel[HOPS], left, arrived;
  uint64_t end_ps;
};

static struct channel channels[CHANNELS_MAX];
static struct packet_flow packet_flows[FLOWS_MAX];
static uint32_t n_channels, n_packet_flows, room;
static bool single;

static uint32_t add_channel(double gbps) {
  channels[n_channels] =
      (struct channel){.packet_ps = (uint64_t)(PACKET * 1000 / gbps), .sends = -1};
  return n_channels++;
}

static uint32_t hop_of(uint32_t flow, uint32_t channel) {
  uint32_t hop = 0;
  while (packet_flows[flow].channel[hop] != channel) hop++;
  return hop;
}

/* The queue at the end of a flow's channel in which its packets wait for the next one. */
static struct queue *queue_of(uint32_t flow, uint32_t hop) {
  const struct packet_flow *f = &packet_flows[flow];
  /* a channel's number can be that of any; queues are numbered by flow where channels part */
  uint32_t which = 0;
  if (!single)
    for (which = 0; packet_flows[which].channel[hop] != f->channel[hop] ||
                    packet_flows[which].channel[hop + 1] != f->channel[hop + 1];)
      which++;
  return &channels[f->channel[hop]].queue[which];
}

/* Whether the flow has a packet that can go on channel k at its hop. */
static bool can_send(uint32_t flow, uint32_t hop) {
  const struct packet_flow *f = &packet_flows[flow];
  if (hop == 0 && f->left == 0) return false;
  if (hop > 0) {
    const struct queue *from = queue_of(flow, hop - 1);
    if (from->n == 0 || from->flow[from->head] != flow) return false;
  }
  if (hop == HOPS - 1) return true;
  const struct queue *to = queue_of(flow, hop);
  return to->n + to->taken < room;
}

static bool try_send(uint32_t k, uint64_t now_ps) {
  struct channel *c = &channels[k];
  for (uint32_t i = 0; i < n_packet_flows; i++) {
    uint32_t flow = (c->turn + i) % n_packet_flows;
    struct packet_flow *f = &packet_flows[flow];
    uint32_t hop = 0;
    while (hop < HOPS && f->channel[hop] != k) hop++;
    if (hop == HOPS || !can_send(flow, hop)) continue;
    if (hop == 0) {
      f->left--;
    } else {
      struct queue *from = queue_of(flow, hop - 1);
      from->head = (from->head + 1) % QUEUE_MAX;
      from->n--;
    }
    if (hop < HOPS - 1) queue_of(flow, hop)->taken++;
    c->turn = flow + 1;
    c->sends = flow;
    c->free_ps = now_ps + c->packet_ps;
    return true;
  }
  return false;
}

static void arrive(uint32_t k) {
  struct channel *c = &channels[k];
  uint32_t flow = (uint32_t)c->sends, hop = hop_of(flow, k);
  c->sends = -1;
  if (hop == HOPS - 1) {
    if (++packet_flows[flow].arrived == FLOW_BYTES / PACKET) packet_flows[flow].end_ps = c->free_ps;
    return;
  }
  struct queue *to = queue_of(flow, hop);
  to->flow[(to->head + to->n++) % QUEUE_MAX] = (uint8_t)flow;
  to->taken--;
}

static void packets_run(void) {
  for (uint64_t now_ps = 0;;) {
    for (bool more = true; more;) {
      more = false;
      for (uint32_t k = 0; k < n_channels; k++)
        if (channels[k].sends < 0 && try_send(k, now_ps)) more = true;
    }
    uint64_t next_ps = UINT64_MAX;
    for (uint32_t k = 0; k < n_channels; k++)
      if (channels[k].sends >= 0 && channels[k].free_ps < next_ps) next_ps = channels[k].free_ps;
    if (next_ps == UINT64_MAX) return;
    now_ps = next_ps;
    for (uint32_t k = 0; k < n_channels; k++)
      if (channels[k].sends >= 0 && channels[k].free_ps == now_ps) arrive(k);
  }
}

/* -- the pattern ------------------------------------------------------------------------------- */

/* Router 0 has the victim's source (node 1) and the first source of the incast (node 0), the others
 * are at routers 2, 3, ...; the targets are the two nodes of router 1. */
#define VICTIM 0u
#define GREEN 5.25
#define NIC 10.0

static void packets_incast(uint32_t sources, uint32_t buffer, bool one_queue) {
  n_channels = n_packet_flows = 0;
  room = buffer;
  single = one_queue;
  uint32_t full = add_channel(NIC), beside = add_channel(NIC), shared = add_channel(GREEN);
  packet_flows[n_packet_flows++] = (struct packet_flow){
      .channel = {add_channel(NIC), shared, beside}, .left = FLOW_BYTES / PACKET};
  for (uint32_t i = 0; i < sources; i++) {
    uint32_t in = add_channel(NIC), link = i == 0 ? shared : add_channel(GREEN);
    packet_flows[n_packet_flows++] =
        (struct packet_flow){.channel = {in, link, full}, .left = FLOW_BYTES / PACKET};
  }
  packets_run();
}

static double victim_gbps(void) {
  return (double)FLOW_BYTES * 1000 / (double)packet_flows[VICTIM].end_ps;
}

/* The same by pieces. */
static void pieces_incast(uint32_t sources, double *victim, double *incast_us) {
  char platform[96];
  snprintf(platform, sizeof platform,
           "dragonfly:groups=1,chassis=1,blades=%u,nodes=2,cores=1,numa=1", sources + 1);
  struct sim_net_opts opts = {.platform = platform, .n_units = 2 * (sources + 1), .shared = true};
  struct sim_net *net;
  assert_int_equal(sim_net_open(&opts, &net), 0);
  uint64_t next_ps[FLOWS_MAX], end_ps[FLOWS_MAX] = {0};
  uint32_t done[FLOWS_MAX] = {0}, left = sources + 1;
  for (uint32_t i = 0; i <= sources; i++) next_ps[i] = QUIET_PS;
  while (left > 0) {
    uint32_t f = UINT32_MAX;
    for (uint32_t i = 0; i <= sources; i++)
      if (done[i] < FLOW_BYTES && (f == UINT32_MAX || next_ps[i] < next_ps[f])) f = i;
    /* flow 0 is the victim, 1 the source beside it, others at routers from 2 on */
    struct sim_piece piece = {.kind = SIM_MSG_PUT,
                              .src = f == VICTIM ? 1
                                     : f == 1    ? 0
                                                 : 2 * f,
                              .dst = f == VICTIM ? 3 : 2,
                              .bytes = SIM_NET_PIECE_BYTES,
                              .first = done[f] == 0,
                              .at_ps = next_ps[f],
                              .now_ps = next_ps[f]};
    struct sim_piece_times times;
    sim_net_piece(net, &piece, &times);
    next_ps[f] = times.next_ps;
    end_ps[f] = times.arrive_ps - QUIET_PS;
    if ((done[f] += SIM_NET_PIECE_BYTES) == FLOW_BYTES) left--;
  }
  *victim = (double)FLOW_BYTES * 1000 / (double)end_ps[VICTIM];
  *incast_us = 0;
  for (uint32_t i = 1; i <= sources; i++)
    if ((double)end_ps[i] / 1e6 > *incast_us) *incast_us = (double)end_ps[i] / 1e6;
  sim_net_close(net);
}

static double packets_incast_us(void) {
  uint64_t last_ps = 0;
  for (uint32_t i = 1; i < n_packet_flows; i++)
    if (packet_flows[i].end_ps > last_ps) last_ps = packet_flows[i].end_ps;
  return (double)last_ps / 1e6;
}

/* Max-min shares: the incast's flow has its share of the full NIC, the victim the rest of the
 * link. */
static void victims_beside_an_incast(void **state) {
  (void)state;
  static const uint32_t SOURCES[] = {1, 2, 4, 8, 16};
  printf(
      "a victim beside one of N flows into a node, GB/s of virtual time\n"
      "   N   pieces   max-min   a queue a way   one queue\n");
  for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) {
    uint32_t n = SOURCES[i];
    double pieces, incast_us, share = NIC / n < GREEN / 2 ? NIC / n : GREEN / 2;
    pieces_incast(n, &pieces, &incast_us);
    packets_incast(n, 32, false);
    double ways = victim_gbps(), ways_us = packets_incast_us();
    packets_incast(n, 32, true);
    double one = victim_gbps(), one_us = packets_incast_us();
    printf("%4u %8.2f %9.2f %15.2f %11.2f\n", n, pieces, GREEN - share, ways, one);
    net_near("a victim by pieces", pieces, GREEN - share, 0.06);
    net_near("a victim with a queue a way", ways, GREEN - share, 0.06);
    /* the packets of the incast before it have the pace of the full port */
    net_near("a victim behind one queue", one, NIC / n < GREEN / 2 ? NIC / n : GREEN / 2, 0.02);
    net_near("the incast with a queue a way", ways_us, incast_us, 0.01);
    net_near("the incast behind one queue", one_us, incast_us, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(victims_beside_an_incast)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
