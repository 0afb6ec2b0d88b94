/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_malloc.cpp - a program whose malloc and new are in the shared heap (eyotcc
 * --shared-malloc): shared_malloc [threads].
 *
 * Units of a node follow each other's pointers into containers of the C++ library, and delete each
 * other's. Memory of the C library, from before eyot_init and after eyot_finalize, from its own
 * functions and from other threads, is released by the same calls. */
#include <eyot/eyot.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#define THAT(condition)                                                               \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::fprintf(stderr, "shared_malloc:%d: not true: %s\n", __LINE__, #condition); \
      eyot_abort(1, "a check failed");                                                \
    }                                                                                 \
  } while (0)
#define OK(call) THAT((call) == EYOT_OK)

using row = std::vector<unsigned>;

/* Lives until the process ends, after eyot_finalize. */
static std::vector<std::string> *at_end;

static void aligned() {
  void *p = nullptr;
  for (size_t align = 16; align <= 8192; align *= 2) {
    THAT(posix_memalign(&p, align, 3 * align) == 0 && (size_t)p % align == 0);
    std::free(p);
    p = aligned_alloc(align, 2 * align);
    THAT(p != nullptr && (size_t)p % align == 0);
    std::free(p);
    for (size_t bytes = 1; bytes < 200000; bytes *= 3) {
      THAT(posix_memalign(&p, align, bytes) == 0 && (size_t)p % align == 0);
      std::memset(p, 1, bytes);
      std::free(p);
    }
  }
  THAT(posix_memalign(&p, 3, 8) != 0);
}

static void sizes() {
  char *p = nullptr;
  for (size_t bytes = 1; bytes < 300000; bytes = bytes * 3 / 2 + 1) {
    p = static_cast<char *>(std::realloc(p, bytes));
    THAT(p != nullptr && eyot_sheap_contains(p, bytes));
    p[bytes - 1] = static_cast<char>(bytes);
    p[0] = 42;
  }
  THAT(p[0] == 42);
  p = static_cast<char *>(std::realloc(p, 10));
  THAT(p[0] == 42);
  std::free(p);
  p = static_cast<char *>(std::calloc(1000, 9));
  for (int i = 0; i < 9000; i++) THAT(p[i] == 0);
  std::free(p);
  char *library = strdup("the C library's own");
  THAT(!eyot_sheap_contains(library, 1));
  std::free(library);
}

static void containers(unsigned me, unsigned n) {
  row *mine = new row;
  for (unsigned i = 0; i < 50000; i++) mine->push_back(i * (me + 1));
  THAT(eyot_sheap_contains(mine, sizeof *mine) && eyot_sheap_contains(mine->data(), 200000));
  std::map<std::string, unsigned> names;
  for (unsigned i = 0; i < 500; i++) names["a name that needs memory " + std::to_string(i)] = i;
  std::vector<row *> all(n);
  OK(eyot_allgather(EYOT_TEAM_ALL, &mine, all.data(), sizeof mine));
  for (unsigned u = 0; u < n; u++) {
    if (!eyot_sheap_contains(all[u], sizeof(row))) continue; /* of another node */
    for (unsigned i = 0; i < 50000; i += 97) THAT((*all[u])[i] == i * (u + 1));
  }
  OK(eyot_barrier(EYOT_TEAM_ALL));
  row *next = all[(me + 1) % n];
  bool near = eyot_sheap_contains(next, sizeof(row));
  bool before_is_near = eyot_sheap_contains(all[(me + n - 1) % n], sizeof(row));
  if (near) delete next;
  if (!before_is_near) delete mine; /* nobody else does */
}

int main(int argc, char **argv) {
  char *early = static_cast<char *>(std::malloc(100));
  auto *early_row = new row(10);
  OK(eyot_init(&argc, &argv));
  std::free(early);
  delete early_row;
  for (int i = 0; i < 3; i++) {
    aligned();
    sizes();
    containers(eyot_me().id, eyot_size());
  }
  if (argc > 1) {
    void *p = std::malloc(1000);
    std::thread other([p] {
      std::free(p);
      void *own = std::malloc(50);
      THAT(!eyot_sheap_contains(own, 1));
      std::free(own);
    });
    other.join();
    std::free(std::malloc(1000));
  }
  /* another thread releases shared memory while eyot_finalize runs, and after it */
  std::vector<void *> late;
  for (int i = 0; i < 2000; i++) late.push_back(std::malloc(200));
  std::thread releases;
  if (argc > 1)
    releases = std::thread([&late] {
      for (void *p : late) std::free(p);
    });
  at_end =
      new std::vector<std::string>(20, "a string that is longer than what fits into its own bytes");
  OK(eyot_barrier(EYOT_TEAM_ALL));
  bool first = eyot_me().id == 0;
  OK(eyot_finalize());
  if (releases.joinable()) releases.join();
  at_end->push_back(at_end->front()); /* to the C library's memory, from the shared heap */
  THAT(at_end->size() == 21);
  delete at_end;
  std::free(std::malloc(10));
  if (first) std::puts("ok");
  return 0;
}
