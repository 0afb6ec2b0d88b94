/* SPDX-License-Identifier: BSD-3-Clause */
/* net_simgrid.cpp - makes hosts and links with S4U and catches every exception. See
 * net_simgrid.h. */
#include "fabric_sim/machine/net_simgrid.h"

#include <exception>
#include <simgrid/s4u.hpp>
#include <string>

extern "C" {
#include "base/check.h"
}

namespace sg4 = simgrid::s4u;

/* no unit executes flops on the host: computation is declared or measured in time */
static const double FLOPS = 1e9;

int sim_sg_build(uint32_t hosts, uint32_t cores, uint32_t links, sim_sg_price_fn price,
                 const void *ctx, void **host_out, struct sim_link_price *link_out) {
  try {
    sg4::Engine *engine = sg4::Engine::get_instance();
    sg4::NetZone *root = engine->get_netzone_root();
    if (root == nullptr) root = sg4::create_empty_zone("eyot");
    size_t first_host = engine->get_host_count(), first_link = engine->get_link_count();
    for (uint32_t i = 0; i < hosts; i++) {
      sg4::Host *host = root->create_host("node" + std::to_string(first_host + i), FLOPS)
                            ->set_core_count(static_cast<int>(cores));
      host_out[i] = host->seal();
    }
    for (uint32_t i = 0; i < links; i++) {
      struct sim_link_price want = price(ctx, i);
      sg4::Link *link = root->create_link("link" + std::to_string(first_link + i),
                                          static_cast<double>(want.bytes_per_s));
      link->set_latency(static_cast<double>(want.lat_ps) / static_cast<double>(SIM_PS_PER_S))
          ->seal();
      link_out[i].bytes_per_s = static_cast<uint64_t>(link->get_bandwidth() + 0.5);
      link_out[i].lat_ps =
          static_cast<uint64_t>(link->get_latency() * static_cast<double>(SIM_PS_PER_S) + 0.5);
    }
    return 0;
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_ESYS, "SimGrid cannot make %u hosts and %u links: %s", hosts, links,
                      e.what());
  }
}
