/* SPDX-License-Identifier: BSD-3-Clause */
/* found.c - replays a failing run, shrinks it, and writes its file. See explore.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "check/runfile/file.h"
#include "check/runfile/shrink.h"
#include "check/snapshot/mem.h"
#include "fabric_sim/explore/explore.h"
#include "fabric_sim/explore/untimed_lin.h"

#define SHRINK_TRIES 20000u

static enum chk_end replay(struct sim_explorer *e, const struct chk_stream *choices, bool quiet,
                           uint64_t *trace) {
  struct chk_strategy *s = chk_replay_new(choices);
  if (s == NULL) EYOTI_PANIC("no memory for a replay");
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
  printf("eyotcheck: made smaller in %" PRIu64 " runs: %u choices (%u not 0) of %u (%u)%s\n",
         stats.tries, stats.after, stats.after_set, stats.before, stats.before_set,
         stats.fixed_point ? "" : "; more runs might make it smaller still");
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
  f->units = e->w->n;
  f->trace = trace;
  chk_stream_copy(&f->stream, choices);
  return EYOT_OK;
}

static int write_file(const struct sim_explorer *e, const struct chk_stream *choices,
                      const char *text, uint64_t trace, const char *path) {
  struct chk_file f;
  chk_file_init(&f);
  int rc = found_fill(e, choices, text, trace, &f);
  FILE *out = rc == 0 ? fopen(path, "we") : NULL;
  if (rc == 0 && out == NULL)
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", path, strerror(errno));
  if (rc == 0) rc = chk_file_write(&f, out);
  if (out != NULL && fclose(out) != 0 && rc == 0)
    rc = EYOTI_FAIL(EYOT_ESYS, "cannot write %s: %s", path, strerror(errno));
  chk_file_fini(&f);
  return rc;
}

int sim_explore_found(struct sim_explorer *e, struct chk_stream *choices, const char *text,
                      bool shrink) {
  if (shrink) make_smaller(e, choices, text);
  uint64_t trace;
  enum chk_end how = replay(e, choices, true, &trace);
  sim_explore_loud(e);
  if (how != CHK_FAILED) {
    printf(
        "eyotcheck: it did not fail when it was run again: the program depends on something other "
        "than its choices (time, addresses, files)\n");
    return SIM_EXPLORE_USAGE;
  }
  char said[SIM_UNTIMED_TEXT];
  memcpy(said, e->untimed->text, sizeof said);
  sim_explore_report_failure(e, said, choices->n, not_zero(choices));
  printf("eyotcheck: %u choices, %u of them not 0; the run once more, with its output:\n",
         choices->n, not_zero(choices));
  fflush(stdout);
  e->untimed->report_steps = e->what->verbose;
  e->untimed->break_at = e->untimed->last_step;
  (void)replay(e, choices, false, NULL);
  e->untimed->report_steps = false;
  e->untimed->break_at = 0;
  printf("eyotcheck: failed: %s (trace hash %016" PRIx64 ")\n", said, trace);
  if (e->what->save == NULL) return SIM_EXPLORE_FOUND;
  if (write_file(e, choices, said, trace, e->what->save) != 0) return SIM_EXPLORE_USAGE;
  printf("eyotcheck: to see it again: eyotcheck --replay %s\n", e->what->save);
  printf("eyotcheck: in a debugger:   eyotcheck --replay %s --gdb\n", e->what->save);
  return SIM_EXPLORE_FOUND;
}

int sim_explore_file(struct sim_explorer *e, const char *path, bool shrink) {
  struct chk_file f;
  chk_file_init(&f);
  FILE *in = fopen(path, "re");
  if (in == NULL) {
    fprintf(stderr, "eyotcheck: cannot read %s: %s\n", path, strerror(errno));
    return SIM_EXPLORE_USAGE;
  }
  int rc = chk_file_read(&f, in, path, NULL);
  fclose(in);
  if (rc != 0) return SIM_EXPLORE_USAGE;
  uint64_t trace;
  bool fails = replay(e, &f.stream, true, &trace) == CHK_FAILED;
  sim_explore_loud(e);
  if (!fails) {
    printf("eyotcheck: the run of %s does not fail (any more)%s\n", path,
           e->untimed->lin->undecided ? "; its history is undecided" : "");
    chk_file_fini(&f);
    return 0;
  }
  if (trace != f.trace)
    printf("eyotcheck: it is not the recorded run (trace hash %016" PRIx64 ", now %016" PRIx64
           "): the program has changed\n",
           f.trace, trace);
  char said[SIM_UNTIMED_TEXT];
  memcpy(said, e->untimed->text, sizeof said);
  int code = sim_explore_found(e, &f.stream, said, shrink);
  chk_file_fini(&f);
  return code;
}
