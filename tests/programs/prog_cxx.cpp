/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_cxx.cpp - a C++ program whose units must each have their own function-local statics and
 * statics of templates, which by default are unique symbols, one a process. */
#include <eyot/eyot.h>

#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <vector>

template <class T>
struct Count {
  static inline T n{};
};

inline std::vector<uint32_t> &log_of_unit() {
  static std::vector<uint32_t> log;
  return log;
}

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  Count<uint32_t>::n += eyot_me().id;
  log_of_unit().push_back(eyot_me().id);
  bool caught = false;
  try {
    throw std::runtime_error("unwinding works in a copy");
  } catch (const std::runtime_error &) {
    caught = true;
  }
  if (eyot_barrier(EYOT_TEAM_ALL) != EYOT_OK) return 1;
  bool ok = caught && Count<uint32_t>::n == eyot_me().id && log_of_unit().size() == 1 &&
            log_of_unit()[0] == eyot_me().id;
  if (!ok) eyot_abort(1, "C++ statics are shared");
  if (eyot_me().id == 0) std::cout << "prog_cxx: ok on " << eyot_size() << " units" << std::endl;
  return eyot_finalize() == EYOT_OK ? 0 : 1;
}
