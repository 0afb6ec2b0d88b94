/* SPDX-License-Identifier: BSD-3-Clause */
/* for_interfaces.c - what eyot has for interfaces on top of it, besides the mark of the caller:
 * errors of their own, a function at the end of a program that does not finalize, which units are
 * mapped, ranges of program data, copies of mapped memory: for_interfaces WAY. */
#include <string.h>

#include "programs/api_check.h"

static uint64_t first_object[4], second_object[4];

/* The interface's own error names its call and this program's line. */
__attribute__((noinline)) static void layer_open(int mode) {
  EYOT_CALLER("layer_open");
  if (mode > 3) eyot_caller_fail(NULL, NULL, EYOT_EINVAL, "mode is %d, expected at most 3", mode);
}

/* Each unit ends as the program of an interface that need not finalize. */
static void end_all(void) {
  OK(eyot_barrier(EYOT_TEAM_ALL));
  if (eyot_me().id == 0) puts("ended");
  fflush(stdout);
  OK(eyot_finalize());
}

static void other_end(void) {}

static void set_end(void) {
  OK(eyot_at_exit(end_all));
  OK(eyot_at_exit(end_all)); /* the same again */
  CHECK(eyot_at_exit(other_end) == EYOT_EBUSY);
  OK(eyot_at_exit(NULL));
  OK(eyot_at_exit(end_all));
  (void)eyot_errors_clear();
}

static void look_at_units(void) {
  eyot_unit_t first;
  uint32_t count;
  OK(eyot_mapped_units(&first, &count));
  CHECK(eyot_me().id >= first.id && eyot_me().id - first.id < count);
  CHECK(first.id + count <= eyot_size());
  if (strcmp(eyot_fabric_name(), "sim") == 0) CHECK(count == 1);
  CHECK(eyot_mapped_units(NULL, &count) == EYOT_EINVAL);
}

/* One pointer serves for a whole range of data. */
static void look_at_data(void) {
  const void *from;
  uint64_t len;
  int on_stack;
  eyot_gptr_t base, object;
  OK(eyot_data_range(&second_object[1], &from, &len));
  uint64_t at = (uint64_t)((const char *)&second_object[1] - (const char *)from);
  CHECK(at < len && len - at >= sizeof second_object[1]);
  OK(eyot_data_gptr(from, len, eyot_me(), &base));
  OK(eyot_data_gptr(&second_object[1], sizeof second_object[1], eyot_me(), &object));
  CHECK(eyot_gptr_equal(eyot_gptr_add(base, (int64_t)at), object));
  CHECK(eyot_data_range(&on_stack, &from, &len) == EYOT_ERANGE);
  CHECK(eyot_data_range(NULL, &from, &len) == EYOT_EINVAL);
  first_object[0] = second_object[0] = 1;
}

/* A copy if the memory is mapped here, else nothing at all. */
static void look_at_copies(void) {
  eyot_unit_t first, next = {(eyot_me().id + 1) % eyot_size()};
  uint32_t count;
  uint64_t word = 7, seen = 0;
  eyot_gptr_t all;
  OK(eyot_mapped_units(&first, &count));
  OK(eyot_team_alloc(EYOT_TEAM_ALL, sizeof word, &all));
  eyot_gptr_t to = eyot_gptr_at(all, next);
  OK(eyot_put(to, &word, sizeof word)); /* enters the part into the table, if it is mapped */
  word = 8;
  bool put = eyot_put_mapped(to, &word, sizeof word);
  CHECK(put == (strcmp(eyot_fabric_name(), "mpi") == 0 && next.id - first.id < count));
  CHECK(eyot_get_mapped(&seen, to, sizeof seen) == put);
  CHECK(seen == (put ? 8 : 0));
  CHECK(!eyot_put_mapped(eyot_gptr_add(to, 1), &word, sizeof word)); /* past the end of the part */
  OK(eyot_barrier(EYOT_TEAM_ALL));
  OK(eyot_team_free(all));
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  if (strcmp(way, "early") == 0)
    eyot_caller_fail("layer_close", __builtin_return_address(0), EYOT_ESTATE, "not open");
  OK(eyot_init(&argc, &argv));
  if (strcmp(way, "values") == 0) {
    look_at_units();
    look_at_data();
    look_at_copies();
    return finish();
  }
  if (strcmp(way, "fail") == 0) layer_open(5); /* line: mistake */
  if (strcmp(way, "early") == 0 || strcmp(way, "fail") == 0) return finish();
  set_end();
  if (strcmp(way, "exit") == 0) exit(0);
  return strcmp(way, "code") == 0 ? 3 : 0;
}
