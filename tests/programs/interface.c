/* SPDX-License-Identifier: BSD-3-Clause */
/* interface.c - an interface on top of eyot that marks its calls (eyot/caller.h), and a program
 * that makes mistakes with it: interface WAY. Each message must name the interface's call and the
 * program's line, never a line of the interface. Lines that messages name are marked;
 * tests/support/interface.sh looks them up. */
#include <string.h>

#include "programs/api_check.h"

/* -- the interface ----------------------------------------------------------------------------- */

#define INTERFACE __attribute__((noinline)) static

INTERFACE int layer_init(void) {
  EYOT_CALLER("layer_init");
  return eyot_init(NULL, NULL);
}

INTERFACE int layer_finalize(void) {
  EYOT_CALLER("layer_finalize");
  return eyot_finalize();
}

INTERFACE eyot_gptr_t layer_malloc(uint64_t bytes) {
  EYOT_CALLER("layer_malloc");
  eyot_gptr_t g = EYOT_GPTR_NULL;
  OK(eyot_team_alloc(EYOT_TEAM_ALL, bytes, &g));
  return g;
}

INTERFACE void layer_free(eyot_gptr_t g) {
  EYOT_CALLER("layer_free");
  OK(eyot_team_free(g));
}

INTERFACE int layer_put(eyot_gptr_t to, const void *from, uint64_t bytes, uint32_t unit) {
  EYOT_CALLER("layer_put");
  return eyot_put(eyot_gptr_at(to, (eyot_unit_t){unit}), from, bytes);
}

/* Calls another function of the interface: the outermost is the one that the program has called. */
INTERFACE int layer_put_word(eyot_gptr_t to, uint64_t word, uint32_t unit) {
  EYOT_CALLER("layer_put_word");
  return layer_put(to, &word, sizeof word, unit);
}

INTERFACE int layer_start_get(void *to, eyot_gptr_t from, eyot_handle_t *handle) {
  EYOT_CALLER("layer_start_get");
  return eyot_get_nb(to, from, sizeof(uint64_t), handle);
}

INTERFACE int layer_wait(eyot_gptr_t word, uint64_t value) {
  EYOT_CALLER("layer_wait");
  return eyot_wait_until(eyot_gptr_at(word, eyot_me()), EYOT_CMP_EQ, value, NULL);
}

INTERFACE int layer_barrier(void) {
  EYOT_CALLER("layer_barrier");
  return eyot_barrier(EYOT_TEAM_ALL);
}

/* -- the program ------------------------------------------------------------------------------- */

static void ignore(int code) {
  (void)code;
}

static void range(void) {
  eyot_gptr_t g = layer_malloc(16); /* made here */
  uint64_t word = 0;
  ignore(layer_put(g, &word, 17, 0));                 /* put here */
  ignore(layer_put_word(eyot_gptr_add(g, 16), 1, 0)); /* nested here */
  ignore(eyot_put(eyot_gptr_add(g, 24), &word, 8));   /* own put here */
  OK(layer_barrier());
  layer_free(g);                     /* freed here */
  ignore(layer_put(g, &word, 8, 0)); /* late put here */
}

/* An allocation and a handle are left. */
static void leave(void) {
  static uint64_t word;
  eyot_handle_t handle;
  eyot_gptr_t g = layer_malloc(32);                                       /* left here */
  OK(layer_start_get(&word, eyot_gptr_at(g, (eyot_unit_t){1}), &handle)); /* handle here */
  OK(eyot_wait(&handle, EYOT_LOCAL));
}

static void standstill(void) {
  eyot_gptr_t g = layer_malloc(8); /* waited here */
  if (eyot_me().id == 0)
    OK(layer_wait(g, 1)); /* waits here */
  else
    OK(layer_barrier()); /* barrier here */
}

static void race(void) {
  eyot_gptr_t g = layer_malloc(8);
  OK(layer_put_word(g, eyot_me().id, 1)); /* race here */
  OK(layer_barrier());
}

/* For eyotcheck: units 0 and 1 put the word, and unit 1 must have been the last. */
static void last(void) {
  uint64_t word = 0;
  eyot_gptr_t g = layer_malloc(8);
  OK(layer_put_word(g, eyot_me().id + 1, 1)); /* last here */
  OK(layer_barrier());
  if (eyot_me().id != 1) return;
  OK(eyot_get(&word, eyot_gptr_at(g, eyot_me()), 8));
  if (word != 2) eyot_check_fail("unit 0 was the last");
}

/* Nothing is marked outside the interface, nor after a call of it has failed. */
static void unmarked(void) {
  CHECK(!eyot_caller_begin(NULL, NULL) && !eyot_caller_begin("nothing", NULL));
  bool outer = eyot_caller_begin("outer", __builtin_return_address(0));
  CHECK(outer && !eyot_caller_begin("inner", __builtin_return_address(0)));
  eyot_caller_end(false);
  CHECK(!eyot_caller_begin("inner", __builtin_return_address(0)));
  eyot_caller_end(outer);
  CHECK(eyot_barrier(EYOT_TEAM_NULL) == EYOT_ETEAM); /* own barrier here */
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } WAYS[] = {{"range", range}, {"leave", leave}, {"standstill", standstill},
              {"race", race},   {"last", last},   {"unmarked", unmarked}};
  const char *way = argc == 2 ? argv[1] : "";
  bool early = eyot_caller_begin("early", __builtin_return_address(0));
  eyot_caller_end(early);
  if (strcmp(way, "before") == 0) CHECK(layer_barrier() == EYOT_ESTATE); /* before here */
  OK(layer_init());
  if (strcmp(way, "before") == 0) (void)eyot_errors_clear();
  for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++)
    if (strcmp(way, WAYS[i].name) == 0) WAYS[i].run();
  return layer_finalize() == EYOT_OK ? 0 : 1;
}
