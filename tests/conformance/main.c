/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the conformance suite as a program of the public API, which tests/sim and tests/cluster
 * run on every fabric.
 *
 *   conformance [--rounds N] [--weak print|require] [--list] [CASE...]
 *
 * Prints "ok CASE" for each case that passed, "FAIL CASE unit U: text" for each that failed; exits
 * with 1 on failure, 2 on wrong usage. By default outcomes that are allowed but not promised must
 * occur in a simulator, unless EYOT_ORDER is strict; on other fabrics they are only counted. */
#include <eyot/eyot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "conformance/conformance.h"
#include "rt/rt.h"

static uint32_t log_level; /* the level before the log was switched off */

static void hush(bool on) {
  if (on && eyot_current->log_level != EYOTI_LOG_SILENT) {
    log_level = eyot_current->log_level;
    eyot_current->log_level = EYOTI_LOG_SILENT;
  } else if (!on && eyot_current->log_level == EYOTI_LOG_SILENT) {
    eyot_current->log_level = log_level;
  }
}

/* Whoever waits for this unit, or for what has failed to come, would end by a timeout only. */
static void failed(void) {
  hush(false);
  eyot_abort(1, "the conformance suite failed");
}

static void list(const struct conf_case *k, void *arg) {
  (void)arg;
  printf("%s (at least %u)\n", k->name, k->min_units);
}

struct request {
  struct conf_opts o;
  bool weak_given, list, bad;
};

static struct request parse(int argc, char **argv) {
  struct request r = {.o = {.verbose = true, .hush = hush, .failed = failed, .seed = 1}};
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && !r.bad; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(argv[i], "--list") == 0) {
      r.list = true;
    } else if (strcmp(argv[i], "--rounds") == 0 && atoi(value) > 0) {
      r.o.rounds = (uint32_t)atoi(value);
      i++;
    } else if (strcmp(argv[i], "--weak") == 0 &&
               (strcmp(value, "print") == 0 || strcmp(value, "require") == 0)) {
      r.o.weak = value[0] == 'p' ? CONF_WEAK_PRINT : CONF_WEAK_REQUIRE;
      r.weak_given = true;
      i++;
    } else {
      r.bad = true;
    }
  }
  r.o.n_only = (uint32_t)(argc - i);
  r.o.only = r.o.n_only > 0 ? (const char *const *)(argv + i) : NULL;
  return r;
}

static enum conf_weak weak_here(const struct fab *f) {
  uint64_t order;
  bool shows = (f->caps & FAB_CAP_VIRTUAL_TIME) != 0 &&
               eyoti_conf_u64(EYOTI_CONF_ORDER, &order) == 0 && order != EYOTI_ORDER_STRICT;
  return shows ? CONF_WEAK_REQUIRE : CONF_WEAK_PRINT;
}

int main(int argc, char **argv) {
  if (eyot_init(&argc, &argv) != EYOT_OK) return 1;
  struct fab *f = eyot_current->fab;
  struct request r = parse(argc, argv);
  int code = 0;
  if (r.bad) {
    if (f->me == 0)
      fprintf(stderr,
              "usage: conformance [--rounds N] [--weak print|require] [--list] [CASE...]\n");
    code = 2;
  } else if (r.list) {
    if (f->me == 0) conf_each(list, NULL);
  } else {
    if (!r.weak_given) r.o.weak = weak_here(f);
    code = conf_run(f, &r.o) == 0 ? 0 : 2;
  }
  (void)eyot_errors_clear(); /* the cases check each error that they provoke */
  int rc = eyot_finalize();
  return code != 0 ? code : rc != EYOT_OK;
}
