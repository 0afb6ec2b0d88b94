/* SPDX-License-Identifier: BSD-3-Clause */
/* found.c - replays a failing run, shrinks it, and writes its file. See explore.h. */
#include <errno.h>
#include <eyot/init.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/out_file.h"
#include "check/runfile/file.h"
#include "check/runfile/shrink.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/explore/explore.h"
#include "fabric_sim/explore/untimed_lin.h"

#define SHRINK_TRIES 20000u

static enum chk_end replay(struct sim_explorer *e, const struct chk_stream *choices, bool quiet,
                           uint64_t *trace) {
  struct chk_strategy *s = chk_replay_new(choices);
  if (s == NULL) eyoti_no_memory(0, "the replay of %u choices", choices->n);
  bool any = s->ops->begin(s);
  EYOTI_ASSERT(any);
  enum chk_end how = sim_explore_run(e, s, quiet, trace);
  s->ops->destroy(s);
  return how;
}

struct same {
  struct sim_explorer *e;
  char kind[SIM_UNTIMED_TEXT];
};

static bool fails_alike(void *arg, const struct chk_stream *candidate, struct chk_stream *used) {
  struct same *s = arg;
  char kind[SIM_UNTIMED_TEXT];
  if (sim_interrupt_seen(&s->e->interrupt)) return false;
  bool failed = replay(s->e, candidate, true, NULL) == CHK_FAILED;
  if (failed) chk_file_failure_kind(s->e->untimed->text, kind, sizeof kind);
  chk_stream_copy(used, &s->e->untimed->choices);
  return failed && strcmp(kind, s->kind) == 0;
}

static void make_smaller(struct sim_explorer *e, struct chk_stream *choices, const char *text) {
  if (e->untimed->watch.struck) {
    printf("eyotcheck: a run that does not end is not made smaller: each try would take as long\n");
    return;
  }
  struct same same = {.e = e};
  struct chk_shrunk stats;
  chk_file_failure_kind(text, same.kind, sizeof same.kind);
  bool shrunk = chk_shrink(choices, fails_alike, &same, SHRINK_TRIES, &stats);
  sim_explore_loud(e);
  if (!shrunk) {
    printf("eyotcheck: the run does not fail again in the same way; it is left as it is\n");
    return;
  }
  printf("eyotcheck: made smaller in %" PRIu64
         " runs: it departs from a quiet network in %u of its %u choices; as found, in %u of %u\n",
         stats.tries, stats.after_set, stats.after, stats.before_set, stats.before);
  if (e->interrupt.signal != 0)
    printf("eyotcheck: interrupted by signal %d: eyotcheck --shrink goes on making it smaller\n",
           e->interrupt.signal);
  else if (!stats.fixed_point)
    printf("eyotcheck: more runs might make it smaller still: eyotcheck --shrink\n");
}

static uint32_t not_zero(const struct chk_stream *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) n += s->at[i].value != 0;
  return n;
}

static int found_fill(const struct sim_explorer *e, const struct chk_stream *choices,
                      const char *text, uint64_t trace, struct chk_file *f) {
  EYOTI_TRY(chk_file_set_program(f, e->argv[0]));
  for (int i = 1; i < e->argc; i++) EYOTI_TRY(chk_file_add_argument(f, e->argv[i]));
  for (uint32_t i = 0; i < e->what->n_options; i++)
    EYOTI_TRY(chk_file_add_option(f, e->what->options[i]));
  EYOTI_TRY(chk_file_set_failure(f, text));
  EYOTI_TRY(chk_file_set_version(f, eyot_version()));
  f->build = e->what->build;
  f->units = e->w->n;
  f->trace = trace;
  chk_stream_copy(&f->stream, choices);
  return EYOT_OK;
}

static int write_file(const struct sim_explorer *e, const struct chk_stream *choices,
                      const char *text, uint64_t trace, const char *path) {
  struct chk_file f;
  struct sigaction before;
  eyoti_out_begin(&before);
  chk_file_init(&f);
  int rc = found_fill(e, choices, text, trace, &f);
  FILE *out = rc == 0 ? fopen(path, "we") : NULL;
  if (rc == 0 && out == NULL)
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", path, strerror(errno));
  if (rc == 0) rc = chk_file_write(&f, out, path);
  if (out != NULL && fclose(out) != 0 && rc == 0)
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", path, strerror(errno));
  chk_file_fini(&f);
  eyoti_out_end(&before);
  return rc;
}

int sim_explore_found(struct sim_explorer *e, struct chk_stream *choices, const char *text,
                      bool shrink) {
  if (shrink) make_smaller(e, choices, text);
  e->untimed->exact = true;
  uint64_t trace;
  enum chk_end how = replay(e, choices, true, &trace);
  sim_explore_loud(e);
  if (how != CHK_FAILED) {
    printf(
        "eyotcheck: it did not fail when it was run again: the program depends on something other "
        "than its choices (time, addresses, files)\n");
    return EYOTI_EXIT_USAGE;
  }
  char said[SIM_UNTIMED_TEXT];
  memcpy(said, e->untimed->text, sizeof said);
  sim_explore_report_failure(e, said, choices->n, not_zero(choices));
  printf(
      "eyotcheck: the run makes %u choices, %u of them other than a quiet network's; here it is "
      "once more, with its output:\n",
      choices->n, not_zero(choices));
  fflush(stdout);
  e->untimed->report_steps = e->what->verbose;
  e->untimed->break_at = e->untimed->last_step;
  (void)replay(e, choices, false, NULL);
  e->untimed->report_steps = false;
  e->untimed->break_at = 0;
  printf("eyotcheck: failed: %s (trace hash %016" PRIx64 ")\n", said, trace);
  if (e->what->save == NULL) return EYOTI_EXIT_FOUND;
  if (write_file(e, choices, said, trace, e->what->save) != 0) return EYOTI_EXIT_USAGE;
  printf("eyotcheck: to see it again: eyotcheck --replay %s\n", e->what->save);
  printf("eyotcheck: in a debugger:   eyotcheck --replay %s --gdb\n", e->what->save);
  return EYOTI_EXIT_FOUND;
}

/* The run of the file does not fail. Only where it has taken the recorded steps does this say
 * something about the failure. */
static int not_failing(const struct sim_explorer *e, const char *path) {
  bool same = e->what->differs == NULL && e->untimed->awaited_came;
  printf("eyotcheck: the run of %s does not fail (any more)%s\n", path,
         e->untimed->lin->undecided ? "; its history is undecided" : "");
  if (same && !e->untimed->lin->undecided) {
    printf("eyotcheck: it took the recorded steps, up to the one that failed\n");
    return EYOTI_EXIT_OK;
  }
  e->what->explored->stale = true;
  printf("eyotcheck: this says nothing about the failure (exit code %d): %s%s\n", EYOTI_EXIT_STALE,
         e->what->differs != NULL ? "the file no longer applies: " : "",
         e->what->differs != NULL ? e->what->differs
         : same                   ? "the search for an order of its history reached its limit"
                                  : "the run takes other steps than the recorded one; the program, "
                                    "or eyot, has changed");
  printf("eyotcheck: search anew: the command that found it, without --replay\n");
  return EYOTI_EXIT_STALE;
}

static void say_whether_recorded(const struct sim_explorer *e, const struct chk_file *f,
                                 uint64_t trace) {
  char recorded[SIM_UNTIMED_TEXT], now[SIM_UNTIMED_TEXT];
  if (e->what->differs != NULL)
    printf("eyotcheck: it is not the recorded run: %s\n", e->what->differs);
  else if (trace != f->trace)
    printf("eyotcheck: it is not the recorded run (trace hash %016" PRIx64 ", now %016" PRIx64
           "): the program has changed\n",
           f->trace, trace);
  chk_file_failure_kind(f->failure, recorded, sizeof recorded);
  chk_file_failure_kind(e->untimed->text, now, sizeof now);
  if (strcmp(recorded, now) != 0)
    printf("eyotcheck: it fails in another way; the file has: %s\n", f->failure);
}

int sim_explore_file(struct sim_explorer *e, const char *path, bool shrink) {
  struct chk_file f;
  chk_file_init(&f);
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    fprintf(stderr, "eyotcheck: cannot read %s: %s\n", path, strerror(errno));
    return EYOTI_EXIT_USAGE;
  }
  int rc = chk_file_read(&f, in, path, NULL);
  fclose(in);
  if (rc != 0) return EYOTI_EXIT_USAGE;
  uint64_t trace;
  e->untimed->awaited = f.trace;
  e->untimed->awaited_came = false;
  bool fails = replay(e, &f.stream, true, &trace) == CHK_FAILED;
  e->untimed->awaited = 0;
  sim_explore_loud(e);
  int code;
  if (!fails) {
    code = not_failing(e, path);
  } else {
    say_whether_recorded(e, &f, trace);
    char said[SIM_UNTIMED_TEXT];
    memcpy(said, e->untimed->text, sizeof said);
    code = sim_explore_found(e, &f.stream, said, shrink);
  }
  chk_file_fini(&f);
  return code;
}
