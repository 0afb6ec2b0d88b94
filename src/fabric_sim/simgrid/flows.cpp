/* SPDX-License-Identifier: BSD-3-Clause */
/* flows.cpp - SimGrid's routes and communications: long messages as its own flows (--network
 * simgrid), under its solver. See machine/simgrid.h. */
#include <simgrid/engine.h>
#include <simgrid/version.h>

#include <exception>
#include <new>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "fabric_sim/simgrid/module.h"

extern "C" {
#include "base/check.h"
}

namespace sg4 = simgrid::s4u;

void sim_sg_flows_begin() {
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/bandwidth-factor:1");
  sg4::Engine::set_config("network/latency-factor:1");
  sg4::Engine::set_config("network/weight-S:0");
  sg4::Engine::set_config("network/TCP-gamma:1e18");
  sg4::Engine::set_config("network/crosstraffic:0");
}

static sg4::Link *flow_link(sg4::NetZone *root, const std::string &name, uint64_t bytes_per_s) {
#if SIMGRID_VERSION >= 40000
  return root->add_link(name, static_cast<double>(bytes_per_s))->set_latency(0)->seal();
#else
  return root->create_link(name, static_cast<double>(bytes_per_s))->set_latency(0)->seal();
#endif
}

static void add_route(sg4::NetZone *root, const sg4::Host *a, const sg4::Host *b,
                      const std::vector<sg4::LinkInRoute> &links) {
#if SIMGRID_VERSION >= 40000
  root->add_route(a, b, links, false);
#else
  root->add_route(a->get_netpoint(), b->get_netpoint(), nullptr, nullptr, links, false);
#endif
}

static sg4::Host *get_host(sg4::NetZone *root, uint32_t i) {
  const std::string name = "get" + std::to_string(i);
#if SIMGRID_VERSION >= 40000
  return root->add_host(name, 1)->seal();
#else
  return root->create_host(name, 1)->seal();
#endif
}

/* A link out of each of n hosts, and one into each. */
static std::vector<sg4::Link *> make_nics(sg4::NetZone *root, const std::string &name, uint32_t n,
                                          uint64_t rate) {
  std::vector<sg4::Link *> nics;
  for (uint32_t i = 0; i < 2 * n; i++)
    nics.push_back(flow_link(root, name + (i < n ? "out" : "in") + std::to_string(i % n), rate));
  return nics;
}

/* The routes of puts, or of gets, through all NICs that are given. */
static void make_way(sg4::NetZone *root, const struct sim_sg_routes *r, void *const *hosts,
                     const std::vector<std::vector<sg4::Link *>> &nics,
                     std::vector<sg4::Link *> &made) {
  std::vector<uint32_t> at(r->most);
  for (uint32_t a = 0; a < r->n; a++)
    for (uint32_t b = 0; b < r->n; b++) {
      if (a == b && !r->self) continue;
      std::vector<sg4::LinkInRoute> way;
      for (const auto &nic : nics) way.emplace_back(nic[a]);
      uint32_t hops = r->route(r->ctx, a, b, at.data());
      for (uint32_t i = 0; i < hops; i++) {
        sg4::Link *&link = made[at[i]];
        if (link == nullptr)
          link = flow_link(root, "flow" + std::to_string(at[i]), r->rate(r->ctx, at[i]));
        way.emplace_back(link);
      }
      for (const auto &nic : nics) way.emplace_back(nic[r->n + b]);
      add_route(root, static_cast<sg4::Host *>(hosts[a]), static_cast<sg4::Host *>(hosts[b]), way);
    }
}

int sim_sg_flows_routes(const struct sim_sg_routes *r) {
  try {
    sg4::NetZone *root = sg4::Engine::get_instance()->get_netzone_root();
    std::vector<sg4::Link *> made(r->links, nullptr);
    const uint64_t faster = r->put_rate > r->get_rate ? r->put_rate : r->get_rate;
    const uint64_t slower = r->put_rate > r->get_rate ? r->get_rate : r->put_rate;
    std::vector<std::vector<sg4::Link *>> puts{make_nics(root, "", r->n, faster)}, gets = puts;
    if (faster > slower) {
      (slower == r->put_rate ? puts : gets).push_back(make_nics(root, "slow", r->n, slower));
      for (uint32_t i = 0; i < r->n; i++) r->get_hosts[i] = get_host(root, i);
      make_way(root, r, r->get_hosts, gets, made);
    }
    make_way(root, r, r->hosts, puts, made);
    return 0;
  } catch (const std::bad_alloc &) {
    eyoti_no_memory(0, "SimGrid's routes between %u hosts", r->n);
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_ESYS, "SimGrid cannot make the routes of %u hosts: %s", r->n, e.what());
  }
}

void *sim_sg_flow_start(void *from, void *to, uint64_t bytes) {
  sg4::CommPtr comm = sg4::Comm::sendto_init();
  comm->set_source(static_cast<sg4::Host *>(from));
  comm->set_destination(static_cast<sg4::Host *>(to));
  comm->set_payload_size(bytes);
#if SIMGRID_VERSION >= 40000
  comm->start();
#else
  comm->vetoable_start();
#endif
  intrusive_ptr_add_ref(comm.get());
  return comm.get();
}

double sim_sg_flow_left(void *flow) {
  return static_cast<sg4::Comm *>(flow)->get_remaining();
}

void sim_sg_flow_free(void *flow) {
  intrusive_ptr_release(static_cast<sg4::Comm *>(flow));
}
