/* SPDX-License-Identifier: BSD-3-Clause */
/* eyotcheck_job.h - what one call of eyotcheck is to do, its own options, and the options in the
 * file of a failing run. For eyotcheck.c, eyotcheck_options.c and eyotcheck_file.c. */
#ifndef EYOT_EYOTCHECK_JOB_H
#define EYOT_EYOTCHECK_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/conf.h"
#include "campaign.h"
#include "check/runfile/file.h"
#include "check/strategy/strategy.h"
#include "fabric/module.h"
#include "tool.h"

#define EYOTCHECK_STRATEGY_DEFAULT "random"
#define EYOTCHECK_SAVE_DEFAULT "eyotcheck.run"
#define EYOTCHECK_DIFFERS_BYTES 512u
#define EYOTCHECK_OWN_MAX 48u

struct job {
  char **program;
  int n_program;
  struct fab_explore what;
  struct chk_options options; /* those of single strategies */
  struct fab_explored explored;
  const char *result; /* --result */
  const char *corpus; /* --corpus */
  struct campaign_files files;
  bool fewer_units, gdb;
  bool own_given[EYOTCHECK_OWN_MAX];     /* on the command line: options of eyotcheck alone */
  bool given[EYOTI_CONF_COUNT];          /* and those of the configuration */
  char differs[EYOTCHECK_DIFFERS_BYTES]; /* from the file of --replay or --shrink; "": in nothing */
  struct chk_file file;                  /* for --replay and --shrink */
};

enum own_kind { OWN_STRATEGY, OWN_DETECT, OWN_U64, OWN_U32, OWN_SWITCH, OWN_FILE };

/* An option of eyotcheck alone, and the member of struct job that it sets. */
struct own {
  const char *name;
  const char *value; /* a word for it in the help; NULL for switches */
  enum own_kind kind;
  size_t at, bytes;     /* the member */
  uint64_t least, most; /* of numbers */
  bool on;              /* of switches: the value that the flag alone sets */
  /* the default of an option that determines what a run does, and is kept in the file of a failing
   * run unless it has its default; else NULL */
  const char *kept;
  const char *help;
};

/* eyotcheck_options.c. */
extern const struct tool eyotcheck_tool;
const struct own *own_find(const char *name);
/* The option of that number, or NULL. */
const struct own *own_at(size_t index);
/* Sets it from text. Returns an exit code, after a message. */
int own_set(struct job *job, const struct own *own, char *value);
/* Whether the command line gives it. */
bool own_is_given(const struct job *job, const struct own *own);
void eyotcheck_help(void);
/* Lists in job->what the options that the file of a failing run needs: those of the configuration
 * that are set and matter for a run, and eyotcheck's own. Returns an exit code. */
int eyotcheck_list_options(struct job *job);

/* eyotcheck_file.c. Takes program, arguments and options from the file of a failing run. Those of
 * the command line win, and are then noted in job->differs. Returns an exit code, after a
 * message. */
int eyotcheck_read_file(struct job *job, const char *path);
#endif
