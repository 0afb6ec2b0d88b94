/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_cxx.cpp - the clocks and sleeps of the C++ library: of virtual time in the simulator, where
 * a sleep of an hour costs none. On MPI it sleeps for a millisecond. */
#include <eyot/eyot.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <thread>

namespace {

int bad(const char *what) {
  std::fprintf(stderr, "clock_cxx: %s\n", what);
  eyot_abort(1, what);
  return 1;
}

template <class Clock>
bool slept(std::chrono::nanoseconds time, bool exact) {
  auto before = Clock::now();
  std::this_thread::sleep_for(time);
  auto middle = Clock::now();
  std::this_thread::sleep_until(middle + time);
  auto after = Clock::now();
  std::this_thread::yield();
  bool late = exact && after - before >= 2 * time + std::chrono::milliseconds(1);
  return middle - before >= time && after - middle >= time && !late;
}

}  // namespace

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  bool simulated = std::strcmp(eyot_fabric_name(), "sim") == 0;
  std::chrono::nanoseconds time =
      simulated ? std::chrono::nanoseconds(std::chrono::hours(1)) : std::chrono::milliseconds(1);
  if (!slept<std::chrono::steady_clock>(time, simulated)) return bad("steady_clock");
  if (!slept<std::chrono::system_clock>(time, simulated)) return bad("system_clock");
  auto date = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (simulated && std::gmtime(&date)->tm_year != 100) return bad("the year is not 2000");
  if (std::time(nullptr) - date > 1) return bad("time");
  uint32_t me = eyot_me().id;
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK || eyot_finalize() != EYOT_OK) return 1;
  if (me == 0) std::puts("clock_cxx: ok");
  return 0;
}
