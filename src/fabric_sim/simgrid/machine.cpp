/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.cpp - starts SimGrid, and makes hosts with S4U. See machine/simgrid.h. */

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

#include "fabric_sim/simgrid/module.h"

extern "C" {
#include "base/check.h"
}

namespace sg4 = simgrid::s4u;

/* no unit executes flops on the host: computation is declared or measured in time */
static const double FLOPS = 1e9;

/* SimGrid 4 has a root zone from the start, renamed the functions that make hosts, and drops the
 * old names after 4.0. */
#if SIMGRID_VERSION >= 40000
static sg4::NetZone *root_of(const sg4::Engine *engine, bool routes) {
  (void)routes;
  return engine->get_netzone_root();
}
static sg4::Host *make_host(sg4::NetZone *root, const std::string &name) {
  return root->add_host(name, FLOPS);
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

int sim_sg_hosts(uint32_t n, uint32_t cores, bool routes, void **hosts) {
  try {
    sg4::Engine *engine = sg4::Engine::get_instance();
    sg4::NetZone *root = root_of(engine, routes);
    size_t first = engine->get_host_count();
    for (uint32_t i = 0; i < n; i++) {
      sg4::Host *host = make_host(root, "node" + std::to_string(first + i))
                            ->set_core_count(static_cast<int>(cores));
      hosts[i] = host->seal();
    }
    return 0;
  } catch (const std::bad_alloc &) {
    eyoti_no_memory(0, "SimGrid's %u hosts", n);
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_ESYS, "SimGrid cannot make %u hosts: %s", n, e.what());
  }
}
