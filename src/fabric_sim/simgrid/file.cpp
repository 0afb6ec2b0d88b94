/* SPDX-License-Identifier: BSD-3-Clause */
/* file.cpp - reads a SimGrid platform file and provides its hosts, zones, links and routes. See
 * machine/simgrid.h.
 *
 * SimGrid throws on most malformed files but aborts or crashes on some (an unknown routing, a zone
 * without routes), so a child process tries the file and its routes first, and its last output
 * becomes the error. */
#include <fcntl.h>
#include <simgrid/forward.h>
#include <simgrid/version.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric_sim/simgrid/module.h"

extern "C" {
#include "base/check.h"
#include "base/exit_codes.h"
}

namespace sg4 = simgrid::s4u;

struct sim_sg_file {
  std::vector<sim_sg_host> hosts;
  std::vector<sg4::Link *> links;
  std::unordered_map<const sg4::Link *, uint32_t> link_number;
  uint32_t zones = 0;
  std::vector<sg4::Link *> route; /* of the last query; kept so that its memory is reused */
};

/* with up to this many hosts, all pairs are tried; with more, some pairs of each host */
static const size_t TRIED_ALL = 96;
static const double RATE_MOST = 1e18; /* bytes/s */
static const double LATENCY_MOST_S = 1000;
static const size_t REASON_BYTES = 400; /* of the child's last output */

static uint64_t to_ps(double seconds) {
  return static_cast<uint64_t>(seconds * static_cast<double>(SIM_PS_PER_S) + 0.5);
}

/* Numbers hosts and zones depth first, so that units with consecutive numbers are near each other.
 * above: the enclosing zones, outermost first, without the root. */
static void file_collect(sim_sg_file *f, sg4::NetZone *zone, const std::vector<uint32_t> &above) {
  for (sg4::Host *host : zone->get_all_hosts()) {
    if (host->get_englobing_zone() != zone) continue;
    sim_sg_host h = {host, static_cast<uint32_t>(host->get_core_count()), {}};
    for (uint32_t i = 0; i < SIM_SG_ZONES; i++)
      h.zone[i] = i < above.size() ? above[i] : SIM_SG_NO_ZONE;
    f->hosts.push_back(h);
  }
  for (sg4::NetZone *child : zone->get_children()) {
    std::vector<uint32_t> inside = above;
    inside.push_back(f->zones++);
    file_collect(f, child, inside);
  }
}

/* The outermost zone of a platform that was loaded. In SimGrid 4 it lies in a root zone, which is
 * there from the start. */
static sg4::NetZone *file_zone(const sg4::Engine *engine) {
  sg4::NetZone *root = engine->get_netzone_root();
#if SIMGRID_VERSION >= 40000
  return root->get_children().empty() ? nullptr : root->get_children().front();
#else
  return root;
#endif
}

/* std::to_string writes all digits of 1e300, and none of 1e-9. */
static std::string number_text(double v) {
  char text[32];
  snprintf(text, sizeof text, "%g", v);
  return text;
}

/* SimGrid accepts any number, and NaN, for which every comparison is false. */
static void check_price(const sg4::Link *link) {
  double rate = link->get_bandwidth(), latency = link->get_latency();
  if (!(rate >= 1 && rate <= RATE_MOST))
    throw std::invalid_argument("link " + link->get_name() + " has a bandwidth of " +
                                number_text(rate) + " bytes/s, expected 1 to 1e18");
  if (!(latency >= 0 && latency <= LATENCY_MOST_S))
    throw std::invalid_argument("link " + link->get_name() + " has a latency of " +
                                number_text(latency) + " s, expected 0 to 1000");
}

static std::unique_ptr<sim_sg_file> file_load(const char *path) {
  sg4::Engine *engine = sg4::Engine::get_instance();
  engine->load_platform(path);
#if SIMGRID_VERSION >= 40000
  engine->seal_platform(); /* as SimGrid 3 does there: without it there are no routes */
#endif
  auto f = std::make_unique<sim_sg_file>();
  sg4::NetZone *zone = file_zone(engine);
  if (zone == nullptr || engine->get_host_count() == 0)
    throw std::invalid_argument("it has no hosts");
  file_collect(f.get(), zone, {});
  for (sg4::Link *link : engine->get_all_links()) {
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::WIFI)
      throw std::invalid_argument("it has a wifi link, which has no price: " + link->get_name());
    check_price(link);
    f->link_number.emplace(link, static_cast<uint32_t>(f->links.size()));
    f->links.push_back(link);
  }
  return f;
}

static sg4::Host *host_of(const sim_sg_file *f, size_t i) {
  return static_cast<sg4::Host *>(f->hosts[i].host);
}

static void try_route(const sim_sg_file *f, size_t a, size_t b) {
  std::vector<sg4::Link *> route;
  double latency = 0;
  host_of(f, a)->route_to(host_of(f, b), route, &latency);
  if (route.empty() && latency <= 0)
    throw std::invalid_argument("no route from host " + host_of(f, a)->get_name() + " to host " +
                                host_of(f, b)->get_name());
}

/* Tries all pairs of a small machine; of a large one each host with the first, the next and the one
 * half way round. */
static void try_routes(const sim_sg_file *f) {
  size_t n = f->hosts.size();
  for (size_t a = 0; a < n; a++) {
    if (n <= TRIED_ALL) {
      for (size_t b = 0; b < n; b++)
        if (a != b) try_route(f, a, b);
    } else {
      for (size_t b : {size_t{0}, (a + 1) % n, (a + n / 2) % n}) {
        if (a == b) continue;
        try_route(f, a, b);
        try_route(f, b, a);
      }
    }
  }
}

/* Runs in the child: SimGrid's output, and that of a crash, goes into the pipe. */
[[noreturn]] static void try_and_exit(const char *path, int pipe_fd) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (int crash : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE})
    signal(crash, SIG_DFL); /* the parent's handlers would report a crash of their own */
  dup2(pipe_fd, STDERR_FILENO);
  dup2(pipe_fd, STDOUT_FILENO);
  int code = 0;
  try {
    auto f = file_load(path);
    try_routes(f.get());
  } catch (const std::bad_alloc &) {
    code = EYOTI_EXIT_NO_MEMORY;
  } catch (const std::exception &e) {
    dprintf(pipe_fd, "%s", e.what());
    code = 1;
  }
  _exit(code);
}

/* Reads the child's whole output and keeps its beginning, as one line. */
static std::string listen(int fd) {
  std::string words;
  char buf[4096];
  for (ssize_t n; (n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0 && words.size() < REASON_BYTES) words.append(buf, static_cast<size_t>(n));
  if (words.size() > REASON_BYTES) words.resize(REASON_BYTES);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char &c : words)
    if (c == '\n') c = ' ';
  return words;
}

static int try_in_child(const char *path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return EYOTI_FAIL(EYOT_ESYS, "pipe: %s", strerror(errno));
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) try_and_exit(path, ends[1]);
  int fork_errno = errno;
  close(ends[1]);
  std::string words = child > 0 ? listen(ends[0]) : std::string();
  close(ends[0]);
  if (child < 0) return EYOTI_FAIL(EYOT_ESYS, "fork: %s", strerror(fork_errno));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return EYOTI_FAIL(EYOT_ESYS, "waitpid: %s", strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == EYOTI_EXIT_NO_MEMORY)
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to try platform %s", path);
  bool crashed = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
  return EYOTI_FAIL(EYOT_EINVAL, "SimGrid cannot use platform %s: %s%s", path,
                    crashed ? "it crashes, as on a zone with several hosts and no routes " : "",
                    words.c_str());
}

int sim_sg_load(const char *path, struct sim_sg_file **out) {
  struct stat st;
  if (stat(path, &st) != 0 || access(path, R_OK) != 0)
    return EYOTI_FAIL(EYOT_ESYS, "platform %s cannot be read: %s", path, strerror(errno));
  if (!S_ISREG(st.st_mode))
    return EYOTI_FAIL(EYOT_EINVAL, "platform %s is not a file; expected a SimGrid platform", path);
  if (file_zone(sg4::Engine::get_instance()) != nullptr)
    return EYOTI_FAIL(EYOT_EINVAL,
                      "platform %s: this process has a platform already; SimGrid takes one", path);
  EYOTI_TRY(try_in_child(path));
  try {
    *out = file_load(path).release();
    return 0;
  } catch (const std::bad_alloc &) {
    return EYOTI_FAIL(EYOT_ENOMEM, "no memory to load platform %s", path);
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_EINVAL, "platform %s: %s", path, e.what());
  }
}

void sim_sg_unload(struct sim_sg_file *f) {
  delete f;
}

uint32_t sim_sg_host_count(const struct sim_sg_file *f) {
  return static_cast<uint32_t>(f->hosts.size());
}
uint32_t sim_sg_link_count(const struct sim_sg_file *f) {
  return static_cast<uint32_t>(f->links.size());
}
uint32_t sim_sg_zone_count(const struct sim_sg_file *f) {
  return f->zones;
}
void sim_sg_host_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_host *out) {
  *out = f->hosts[i];
}

void sim_sg_link_get(const struct sim_sg_file *f, uint32_t i, struct sim_sg_link *out) {
  const sg4::Link *link = f->links[i];
  out->price.bytes_per_s = static_cast<uint64_t>(link->get_bandwidth());
  out->price.lat_ps = to_ps(link->get_latency());
  out->shared = link->is_shared();
}

int sim_sg_route(struct sim_sg_file *f, uint32_t a, uint32_t b, uint32_t *links, uint32_t cap,
                 uint32_t *n, uint64_t *lat_ps) {
  try {
    double latency = 0;
    f->route.clear();
    host_of(f, a)->route_to(host_of(f, b), f->route, &latency);
    *n = static_cast<uint32_t>(f->route.size());
    if (*n > cap) return EYOT_ERANGE;
    for (uint32_t i = 0; i < *n; i++) links[i] = f->link_number.at(f->route[i]);
    *lat_ps = to_ps(latency);
    return 0;
  } catch (const std::bad_alloc &) {
    eyoti_no_memory(0, "a route from host %u to host %u", a, b);
  } catch (const std::exception &e) {
    return EYOTI_FAIL(EYOT_ESYS, "no route from host %u to host %u: %s", a, b, e.what());
  }
}
