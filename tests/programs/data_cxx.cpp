/* SPDX-License-Identifier: BSD-3-Clause */
/* data_cxx.cpp - for data.c: objects whose constructors run before main, and with pointers into
 * themselves. */
#include <cstdint>
#include <numeric>
#include <vector>

namespace {
class Held {
 public:
  explicit Held(uint64_t v) : value(v), own(&value), list{1, 2, 3, 4} {}
  uint64_t *place() { return own; }
  uint64_t sum() const { return std::accumulate(list.begin(), list.end(), uint64_t{0}); }

 private:
  uint64_t value;
  uint64_t *own;
  std::vector<uint64_t> list;
};
Held held(4711);
}  // namespace

extern "C" uint64_t *data_cxx_value();
extern "C" uint64_t data_cxx_sum();
uint64_t *data_cxx_value() {
  return held.place();
}
uint64_t data_cxx_sum() {
  return held.sum();
}
