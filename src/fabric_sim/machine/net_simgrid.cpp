/* SPDX-License-Identifier: BSD-3-Clause */
/* net_simgrid.cpp - makes hosts and links with S4U and catches every exception. See
 * net_simgrid.h. */
#include "fabric_sim/machine/net_simgrid.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <simgrid/engine.h>
#include <simgrid/forward.h>
#include <simgrid/version.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <simgrid/s4u.hpp>
#include <string>

extern "C" {
#include "base/check.h"
}

namespace sg4 = simgrid::s4u;

/* no unit executes flops on the host: computation is declared or measured in time */
static const double FLOPS = 1e9;

/* SimGrid 4 has a root zone from the start, renamed the functions that make hosts and links, and
 * drops the old names after 4.0. */
#if SIMGRID_VERSION >= 40000
static sg4::NetZone *root_of(const sg4::Engine *engine, bool routes) {
  (void)routes;
  return engine->get_netzone_root();
}
static sg4::Host *make_host(sg4::NetZone *root, const std::string &name) {
  return root->add_host(name, FLOPS);
}
static sg4::Link *make_link(sg4::NetZone *root, const std::string &name, double bytes_per_s) {
  return root->add_link(name, bytes_per_s);
}
#else
static sg4::NetZone *root_of(const sg4::Engine *engine, bool routes) {
  sg4::NetZone *root = engine->get_netzone_root();
  if (root != nullptr) return root;
  return routes ? sg4::create_full_zone("eyot") : sg4::create_empty_zone("eyot");
}
static sg4::Host *make_host(sg4::NetZone *root, const std::string &name) {
  return root->create_host(name, FLOPS);
}
static sg4::Link *make_link(sg4::NetZone *root, const std::string &name, double bytes_per_s) {
  return root->create_link(name, bytes_per_s);
}
#endif

/* Whether SimGrid's code has thrown: nothing is unwound yet, and the first frame outside of this
 * module and of the C++ runtime is the thrower's. */
static bool thrown_by_simgrid() {
  void *frames[32];
  int n = backtrace(frames, 32);
  Dl_info own, at;
  if (dladdr(reinterpret_cast<void *>(&sim_sg_start), &own) == 0) return false;
  for (int i = 0; i < n; i++) {
    if (dladdr(frames[i], &at) == 0 || at.dli_fbase == own.dli_fbase) continue;
    if (std::strstr(at.dli_fname, "libstdc++") != nullptr) continue;
    return std::strstr(at.dli_fname, "libsimgrid") != nullptr;
  }
  return false;
}

/* No frame catches the exception that is being thrown. The program's own exceptions end it as they
 * end every C++ program. */
[[noreturn]] static void on_terminate() {
  try {
    if (std::exception_ptr e = std::current_exception()) std::rethrow_exception(e);
  } catch (const std::bad_alloc &) {
    if (thrown_by_simgrid()) eyoti_no_memory(0, "SimGrid");
  } catch (...) {
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

void sim_sg_start(int *argc, char **argv) {
  /* SimGrid's own handler calls exit in the midst of anything; a user's Ctrl-C must end a run as it
   * ends every program, and do nothing in one that ignores it */
  struct sigaction interrupt;
  bool known = sigaction(SIGINT, nullptr, &interrupt) == 0;
  try {
    simgrid_init(argc, argv);
  } catch (const std::bad_alloc &) {
    eyoti_no_memory(0, "the start of SimGrid");
  }
  if (known) (void)sigaction(SIGINT, &interrupt, nullptr);
  std::set_terminate(on_terminate);
}

int sim_sg_build(uint32_t hosts, uint32_t cores, uint32_t links, sim_sg_price_fn price,
                 const void *ctx, bool routes, void **host_out, struct sim_link_price *link_out) {
  try {
    sg4::Engine *engine = sg4::Engine::get_instance();
    sg4::NetZone *root = root_of(engine, routes);
    size_t first_host = engine->get_host_count(), first_link = engine->get_link_count();
    for (uint32_t i = 0; i < hosts; i++) {
      sg4::Host *host = make_host(root, "node" + std::to_string(first_host + i))
                            ->set_core_count(static_cast<int>(cores));
      host_out[i] = host->seal();
    }
    for (uint32_t i = 0; i < links; i++) {
      struct sim_link_price want = price(ctx, i);
      sg4::Link *link = make_link(root, "link" + std::to_string(first_link + i),
                                  static_cast<double>(want.bytes_per_s));
      link->set_latency(static_cast<double>(want.lat_ps) / static_cast<double>(SIM_PS_PER_S))
          ->seal();
      link_out[i].bytes_per_s = static_cast<uint64_t>(link->get_bandwidth() + 0.5);
      link_out[i].lat_ps =
          static_cast<uint64_t>(link->get_latency() * static_cast<double>(SIM_PS_PER_S) + 0.5);
    }
    return 0;
  } catch (const std::bad_alloc &) {
    eyoti_no_memory(0, "SimGrid's %u hosts and %u links", hosts, links);
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_ESYS, "SimGrid cannot make %u hosts and %u links: %s", hosts, links,
                      e.what());
  }
}
