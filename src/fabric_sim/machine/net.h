/* SPDX-License-Identifier: BSD-3-Clause */
/* net.h - the simulated machine: platform, placement, routes and costs. Part of the world
 * (engine/world.h); the engine asks it for the times of operations.
 *
 * It holds neither the order of events nor units' state, which are the engine's. SimGrid supplies
 * hosts, links and (for XML platforms) routes; the arrival time of a message is computed here:
 * LogGP terms with busy-until contention on every link of the route and on both NICs. Times are
 * integer picoseconds throughout. */
#ifndef EYOT_FABRIC_SIM_MACHINE_NET_H
#define EYOT_FABRIC_SIM_MACHINE_NET_H

#include <eyot/locality.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_net;

struct sim_net_opts {
  /* text of --platform: sim_plat_parse */
  const char *platform;
  uint32_t n_units;
  uint32_t units_per_node; /* 0: the platform's */
  /* texts of --placement and --node-placement: place.h; NULL: packed */
  const char *placement, *node_placement;
  bool shared;         /* long messages go in pieces and share what they pass */
  bool flows;          /* and shared: they are SimGrid's own flows, not in pieces */
  bool booked;         /* and not shared: they take what they pass as a whole */
  bool on_nic;         /* units of one node reach each other through its NIC */
  bool hosts;          /* units are actors on SimGrid's hosts */
  const char *traffic; /* of other jobs: text of --traffic; NULL: none */
};

enum sim_msg { SIM_MSG_PUT = 0, SIM_MSG_GET, SIM_MSG_AMO };

/* The times of one operation's stages. All absolute except overhead. */
struct sim_timing {
  /* the origin NIC has read the last source byte (put); the request has left (get, amo) */
  uint64_t sent_ps;
  /* last byte lands at the target (put); the target's memory is read (get); the atomic acts
   * (amo) */
  uint64_t target_at;
  /* the origin knows of the completion: acknowledgement (put), data landed (get), result landed
   * (amo) */
  uint64_t done_at;
};

/* Loads the platform (through SimGrid; simgrid_init must have been called), places units; packed:
 * unit -> core -> node -> blade -> chassis -> group in order. Errors: EINVAL (malformed option or
 * file: logs the field or line and the expected form), ERANGE (too small: logs how many units fit),
 * ENOMEM, ESYS (file). */
int sim_net_open(const struct sim_net_opts *opts, struct sim_net **out);
void sim_net_close(struct sim_net *net);

/* A run begins: the seed of what other jobs send and of the draws of routes. */
void sim_net_begin(struct sim_net *net, uint64_t seed);

/* CPU time of the origin to post one operation (o of LogGP); the unit's clock advances by it. */
uint64_t sim_net_overhead_ps(const struct sim_net *net, enum sim_msg kind, bool by_memory,
                             uint64_t bytes);

/* The same of an operation through NICs. */
uint64_t sim_net_overhead_nic_ps(const struct sim_net *net, enum sim_msg kind);

/* The time of the origin that is added to it: of a put with signal (message: of one of the
 * runtime's own); and, within a node, of an operation of up to a cache line that another unit used
 * last, or that the unit used too long ago, by operations: a unit's plain loads and stores are not
 * seen. */
uint64_t sim_net_signal_ps(const struct sim_net *net, uint32_t src, uint32_t dst, bool message);
uint64_t sim_net_line_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                         uint32_t seg, uint64_t off, uint64_t bytes);

/* Likewise, of all pages of another unit's part that the operation is the unit's first on, and of
 * those of its own that it was not given. */
uint64_t sim_net_page_ps(struct sim_net *net, uint32_t src, uint32_t dst, uint32_t seg,
                         uint64_t off, uint64_t bytes);

/* Whether it makes a difference who was given pages; the system gives the unit the pages of [off,
 * off+bytes) of its own part, which it clears on the unit's processor. */
bool sim_net_takes_given(const struct sim_net *net);
void sim_net_give(struct sim_net *net, uint32_t unit, uint32_t seg, uint64_t off, uint64_t bytes);

/* CPU time to post a put of 8 bytes to another node, or to another unit if the job has one node. */
uint64_t sim_net_post_ps(const struct sim_net *net);

/* Reserves NICs and links for one operation posted at t_ps (the overhead has been charged: a
 * blocking put takes overhead + done_at - t_ps) and returns its times. Calls come in non-decreasing
 * order of decision, not of t_ps; busy-until reservations are first come, first served. bytes:
 * payload. Operations by memory (sim_net_by_memory) have their own costs and touch no NIC. */
void sim_net_reserve(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                     uint64_t bytes, uint64_t t_ps, struct sim_timing *out);

/* Prefetches the route that sim_net_reserve will look up. */
void sim_net_expect(const struct sim_net *net, uint32_t src, uint32_t dst);

/* Within a node, so many bytes use no memory bandwidth; through NICs they are a short message. */
#define SIM_NET_LINE_BYTES 64u
/* On a shared network, a put or a get with more bytes than a cache line through NICs, or than a
 * piece by memory. Its pieces are reserved one by one, in the order of their times; sim_net_reserve
 * is not for it. */
#define SIM_NET_PIECE_BYTES 8192u
bool sim_net_is_long(const struct sim_net *net, enum sim_msg kind, bool by_memory, uint64_t bytes);
struct sim_piece {
  enum sim_msg kind; /* PUT: from src to dst; GET: of the response, from dst to src */
  uint32_t src, dst;
  uint32_t bytes; /* at most SIM_NET_PIECE_BYTES */
  bool first;     /* of its message */
  /* when it is ready to be sent, at least the next_ps of the piece before; the time of the call */
  uint64_t at_ps, now_ps;
};
struct sim_piece_times {
  uint64_t sent_ps;   /* the NIC has read it; sim_net_copy: it is copied */
  uint64_t arrive_ps; /* it is visible at its destination */
  uint64_t next_ps;   /* the next piece of the flow may be sent */
};
void sim_net_piece(struct sim_net *net, const struct sim_piece *p, struct sim_piece_times *out);
/* The same by memory: src's processor copies it from at_ps on, which takes copy_ps at least, while
 * the memory of both ends serves it. sent_ps and arrive_ps are one. */
void sim_net_copy(struct sim_net *net, const struct sim_piece *p, uint64_t copy_ps,
                  struct sim_piece_times *out);
/* The times of an operation by memory that was posted at t_ps and is copied at ready_ps. */
void sim_net_copied(const struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                    uint64_t t_ps, uint64_t ready_ps, struct sim_timing *out);
/* A get's request that leaves at t_ps: returns when the target's memory is read. */
uint64_t sim_net_request(struct sim_net *net, uint32_t src, uint32_t dst, uint64_t t_ps,
                         uint64_t *sent_ps);
/* Returns how long after its arrival at dst a put is known at src to be complete. */
uint64_t sim_net_ack_ps(struct sim_net *net, uint32_t src, uint32_t dst);

/* Whether long messages between these units are SimGrid's flows, not pieces. */
bool sim_net_has_flow(const struct sim_net *net, uint32_t src, uint32_t dst);
/* For those, instead of sim_net_piece: starts a long message of SimGrid, at SimGrid's time;
 * sim_net_flow_left returns the bytes that are left, 0: it is over, and can be freed once SimGrid's
 * time has passed; it takes at least left x sim_net_flow_byte_ps, the time of a byte at the slowest
 * place of its way. It arrives sim_net_flow_way_ps after it is over. Called by the scheduler
 * only. */
void *sim_net_flow_start(const struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst,
                         uint64_t bytes);
double sim_net_flow_left(const struct sim_net *net, void *flow);
double sim_net_flow_byte_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst);
uint64_t sim_net_flow_way_ps(struct sim_net *net, enum sim_msg kind, uint32_t src, uint32_t dst);
void sim_net_flow_free(const struct sim_net *net, void *flow);

uint32_t sim_net_node(const struct sim_net *net, uint32_t unit);
bool sim_net_same_node(const struct sim_net *net, uint32_t src, uint32_t dst);
/* True if src reaches dst by memory, where puts pass a store buffer and not a NIC: on one node, or
 * with `on_nic` its own memory alone. */
bool sim_net_by_memory(const struct sim_net *net, uint32_t src, uint32_t dst);

/* Returns the cost of a local step: an access to own memory of `bytes`, a fabric call that does
 * nothing; of a look at words of `bytes` that the unit waits for; of the end of a wait for an
 * operation. */
uint64_t sim_net_local_ps(const struct sim_net *net, uint64_t bytes);
uint64_t sim_net_poll_ps(const struct sim_net *net, uint64_t bytes);
uint64_t sim_net_complete_ps(const struct sim_net *net);
/* Returns the most by which --order rdma makes an operation late; by_memory: see
 * sim_net_by_memory. */
uint64_t sim_net_late_ns(const struct sim_net *net, bool by_memory);
/* Returns the cost of posting a further word of an atomic on an array, through a NIC. */
uint64_t sim_net_word_ps(const struct sim_net *net);
/* Returns the cost of a flush, without the wait. */
uint64_t sim_net_flush_ps(const struct sim_net *net);
/* What messages cost, for the choice of algorithms; lives as long as the network. */
const struct fab_model *sim_net_model(const struct sim_net *net);
/* Whether the NIC of dst executes a signal that adds as an atomic, instead of as a put. */
bool sim_net_adds_by_nic(const struct sim_net *net, uint32_t src, uint32_t dst);
/* Such a signal, which arrives with its bytes as `times` say, takes its turn at the NIC, and is
 * seen and completes later. now_ps: as sim_net_reserve's time. */
void sim_net_add(struct sim_net *net, uint32_t src, uint32_t dst, uint64_t now_ps,
                 struct sim_timing *times);
/* What operations from other nodes need of processors, if there are other nodes: */
struct sim_net_targets {
  bool in_call;                    /* the target must be in a call of eyot */
  uint64_t serve_ps, serve_amo_ps; /* the target's time: of a put or get, of an atomic or signal */
  uint64_t first_ps;               /* the origin's time, of its first one */
};
/* False: nothing. */
bool sim_net_needs_targets(const struct sim_net *net, struct sim_net_targets *out);
/* Whether signals come when puts do not: */
bool sim_net_signals_apart(const struct sim_net *net);
/* A signal of either kind, before that. With bytes, where it is sent after them, both are seen and
 * complete later; without, and as one of the runtime's own messages (message), its way has a price
 * of its own. */
void sim_net_signal(const struct sim_net *net, uint32_t src, uint32_t dst, uint64_t bytes,
                    bool message, struct sim_timing *times);

void sim_net_place(const struct sim_net *net, uint32_t unit, eyot_place_t *place);
/* See fab_ops.per_node. */
uint32_t sim_net_per_node(const struct sim_net *net);
eyot_domain_t sim_net_distance(const struct sim_net *net, uint32_t a, uint32_t b);
uint32_t sim_net_nodes(const struct sim_net *net);
/* Whether units are on different nodes. */
bool sim_net_spans(const struct sim_net *net);
/* Returns the SimGrid host of a unit (sg_host_t, as void * so that only fabric_sim's own files need
 * SimGrid's headers), where its actor runs; NULL on a preset without hosts. */
void *sim_net_host(const struct sim_net *net, uint32_t unit);
/* Returns one line: "xc40: 43 nodes of 24 cores in 2 NUMA domains, on 11 blades, ... of a machine
 * of 21 groups ... (model of Cray XC40, Aries)". */
const char *sim_net_describe(const struct sim_net *net);
#endif
