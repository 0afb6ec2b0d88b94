/* SPDX-License-Identifier: BSD-3-Clause */
/* bare_simgrid.c - the bare barrier on SimGrid actors, with its own heap of events. `main` advances
 * SimGrid's clock to the next event, resumes the actors that it wakes, and repeats. Actors block
 * only by suspending themselves, so the clock never passes an event of the heap. */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xbt/config.h>

#include "bare.h"

enum { STACK_KIB = 64, GUARDS_UP_TO = 16000 };

/* Actors get words, not pointers; the one simulation of the process is reached here. */
static struct bare *the_bare;

struct simgrid_engine {
  sg_actor_t *actor;
};

static void block(struct bare *b, uint32_t unit) {
  struct simgrid_engine *e = b->engine;
  sg_actor_suspend(e->actor[unit]);
  b->now = simgrid_get_clock();
}

static void actor_main(int argc, char **argv) {
  (void)argc;
  bare_unit(the_bare, (uint32_t)strtoul(argv[1], NULL, 10), block);
}

/* SimGrid's C interface cannot build zones: write a flat cluster to a file. Its links are not
 * used. */
static void load_hosts(uint32_t hosts) {
  char name[] = "/tmp/bare_simgrid_XXXXXX.xml";
  int fd = mkstemps(name, 4);
  FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (out == NULL) {
    perror("bare_simgrid: platform file");
    exit(1);
  }
  fprintf(out,
          "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
          "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
          "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-%u\" speed=\"1Gf\" bw=\"10GBps\" "
          "lat=\"200ns\"/>\n</platform>\n",
          hosts - 1);
  fclose(out);
  simgrid_load_platform(name);
  unlink(name);
}

static void start_actors(struct bare *b, struct simgrid_engine *e) {
  for (uint32_t u = 0; u < b->n; u++) {
    char host[32], word[16];
    snprintf(host, sizeof host, "h%u", u / BARE_UNITS_PER_HOST);
    snprintf(word, sizeof word, "%u", u);
    char *argv[] = {(char *)"unit", word, NULL};
    e->actor[u] =
        sg_actor_create_("unit", sg_host_by_name(host), actor_main, 2, (const char *const *)argv);
  }
}

static void run(struct bare *b, struct simgrid_engine *e) {
  simgrid_run_until(0.0);
  while (b->heap_n > 0) {
    struct bare_event event;
    double t = b->heap[0].t;
    while (simgrid_get_clock() < t) simgrid_run_until(t);
    b->now = simgrid_get_clock();
    while (bare_take(b, b->now, &event))
      if (bare_deliver(b, &event)) sg_actor_resume(e->actor[event.unit]);
    simgrid_run_until(b->now);
  }
}

int main(int argc, char **argv) {
  struct bare b;
  struct simgrid_engine engine;
  bare_open(&b, argc, argv);
  char *words[] = {argv[0], (char *)"--log=root.thresh:error", NULL};
  int n_words = 2;
  simgrid_init(&n_words, words);
  sg_cfg_set_double("surf/precision", 1e-12); /* the default swallows nanoseconds */
  sg_cfg_set_string("contexts/factory", "raw");
  sg_cfg_set_int("contexts/stack-size", STACK_KIB);
  /* a guard costs a memory map, and these are limited */
  if (b.n > GUARDS_UP_TO) sg_cfg_set_int("contexts/guard-size", 0);
  load_hosts((b.n + BARE_UNITS_PER_HOST - 1) / BARE_UNITS_PER_HOST);
  engine.actor = calloc(b.n, sizeof(sg_actor_t));
  if (engine.actor == NULL) return 1;
  b.engine = &engine;
  the_bare = &b;
  start_actors(&b, &engine);
  struct bare_clock begin = bare_clock_now();
  run(&b, &engine);
  bare_report(&b, begin);
}
