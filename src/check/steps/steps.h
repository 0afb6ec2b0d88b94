/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h - the steps of one run as records: which unit continued, what it posted, what arrived and
 * changed which value. fabric_sim/explore/step_report.c records; text.c, mermaid.c and svg.c write
 * the same records as lines, as a sequence diagram and as a picture.
 *
 * Why it exists: a failing run is a list of choices, which mean nothing to a reader, and lines of
 * text do not show what crossed what.
 *
 * Memory: ordinary. Out of memory: functions that add return CHK_STEPS_NONE or 0, and the report
 * has less. Thread rule: one thread. */
#ifndef EYOT_CHECK_STEPS_STEPS_H
#define EYOT_CHECK_STEPS_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CHK_STEPS_NONE UINT32_MAX /* no operation, event, or unit */
#define CHK_STEPS_LABEL 32u       /* bytes of "unit 16777215" */

enum chk_event_kind {
  CHK_EVENT_UNIT = 0, /* a unit continues, up to its next wait */
  CHK_EVENT_POST,     /* it posts an operation */
  CHK_EVENT_CPU,      /* its CPU accesses a word (eyot/check.h) */
  CHK_EVENT_FLUSH,    /* it knows that operations are complete; only in pictures */
  CHK_EVENT_ORDER,    /* it orders its posts; only in pictures */
  CHK_EVENT_SOURCE,   /* a put reads its source (order tso) */
  CHK_EVENT_ARRIVAL,  /* an operation, or a part of it, takes effect at its target */
  CHK_EVENT_LOST,     /* an operation is given up because of a fault */
  CHK_EVENT_DRAIN,    /* a store leaves a store buffer (order tso) */
  CHK_EVENT_FAULT,    /* a fault strikes */
  CHK_EVENT_WAITS     /* the run is over, and the unit still waits; only in pictures */
};

/* CHK_EVENT_UNIT: why the unit runs. */
enum chk_unit_how { CHK_UNIT_CONTINUES = 0, CHK_UNIT_TIMES_OUT, CHK_UNIT_READS_AGAIN };
/* CHK_EVENT_CPU. */
enum chk_cpu_how {
  CHK_CPU_LOAD = 0,
  CHK_CPU_STORE,
  CHK_CPU_ADD,
  CHK_CPU_SWAP,
  CHK_CPU_CAS,
  CHK_CPU_FENCE
};
/* CHK_EVENT_FLUSH: the level. */
enum chk_flush_how { CHK_FLUSH_LOCAL = 0, CHK_FLUSH_REMOTE };

/* A text of the record (chk_steps_keep); 0: "". */
typedef uint32_t chk_steps_text_t;

/* A word before and after the event. */
struct chk_change {
  bool known;
  uint64_t old, now;
};

/* Bytes of a segment, to find accesses of the same memory; len 0: unknown. */
struct chk_steps_bytes {
  uint32_t unit, seg;
  uint64_t off, len;
};

enum chk_steps_op_kind { CHK_STEPS_PUT = 0, CHK_STEPS_GET, CHK_STEPS_ATOMIC, CHK_STEPS_SIGNAL };

struct chk_steps_op {
  uint8_t kind; /* enum chk_steps_op_kind */
  bool reads;   /* it changes nothing at the target */
  bool alone;   /* a signal without bytes */
  uint8_t operands;
  const char *name;          /* a literal: "put", "add" */
  uint64_t operand, compare; /* of an atomic: as many as operands says */
  uint64_t len;
  uint32_t unit, target, set;
  chk_steps_text_t where;        /* the place at the target, in words */
  chk_steps_text_t signal_where; /* of a put with signal: that of the signal */
  struct chk_steps_bytes bytes;  /* there; of a signal alone, its word */
  uint32_t parts;
  uint32_t posted; /* the event, or CHK_STEPS_NONE: before the record began */
  uint64_t step;   /* in which it was posted; 0: before the record began */
  /* the following change while the run goes on */
  uint32_t arrivals, arrived; /* events so far; the last one, or CHK_STEPS_NONE */
  uint32_t local, known;      /* the event at which its unit knew that it is complete, or NONE:
                               * locally; in every respect */
  bool lost;
};

struct chk_event {
  uint64_t step;
  uint8_t kind;    /* enum chk_event_kind */
  uint8_t how;     /* enum chk_unit_how, chk_cpu_how or chk_flush_how */
  bool wrote;      /* CPU: it changed the word */
  bool waited;     /* UNIT: it could not continue before */
  uint32_t unit;   /* that acts, or whose operation it is; CHK_STEPS_NONE: the network */
  uint32_t target; /* CPU, DRAIN: whose memory; FLUSH, ORDER: of operations to; NONE: all */
  uint32_t op;     /* of POST, SOURCE, ARRIVAL, LOST */
  uint32_t set;    /* FLUSH, ORDER: 0: all */
  uint32_t number; /* of the unit's events known to the race detector before this one */
  uint32_t site;   /* of the caller's table of source lines; 0: none */
  uint64_t place;  /* the same as a number that is equal in all units; 0: unknown */
  /* UNIT, FLUSH, ORDER, POST, WAITS: the call. ARRIVAL: which part, as ", word 1 of 2". FAULT: what
   * happens */
  chk_steps_text_t words;
  chk_steps_text_t where;       /* CPU, DRAIN, ARRIVAL: the place; UNIT, WAITS: what it waits for */
  chk_steps_text_t cond;        /* UNIT, WAITS: what the word is to be: "== 1" */
  chk_steps_text_t line;        /* the source line, once it is known */
  struct chk_steps_bytes bytes; /* CPU, DRAIN */
  struct chk_change data, signal;
  uint32_t woke, n_woke; /* units that can continue since: of chk_steps.woke */
};

struct chk_steps {
  const char *noun; /* "unit": what participants are called */
  struct chk_event *event;
  uint32_t n, cap;
  struct chk_steps_op *op;
  uint32_t n_ops, cap_ops;
  uint32_t *woke;
  uint32_t n_woke, cap_woke;
  char *texts;
  uint32_t texts_bytes, texts_cap;
  chk_steps_text_t *slots; /* of the hash table of texts */
  uint32_t n_slots, n_texts;
};

/* Whether the event is left out of the lines of text. */
static inline bool chk_steps_only_pictured(const struct chk_event *e) {
  return e->kind == CHK_EVENT_FLUSH || e->kind == CHK_EVENT_ORDER || e->kind == CHK_EVENT_WAITS;
}

void chk_steps_init(struct chk_steps *s);
void chk_steps_fini(struct chk_steps *s);
/* Returns the text's number, the same for equal texts. */
chk_steps_text_t chk_steps_keep(struct chk_steps *s, const char *text);
static inline const char *chk_steps_text(const struct chk_steps *s, chk_steps_text_t text) {
  return text == 0 ? "" : s->texts + text;
}
/* Appends a copy; the index. Pointers to earlier events are invalid then. */
uint32_t chk_steps_add(struct chk_steps *s, struct chk_event e);
/* The same for an operation. */
uint32_t chk_steps_add_op(struct chk_steps *s, struct chk_steps_op op);
/* Notes that the event lets the unit continue; all units of one event in a row. */
void chk_steps_woke(struct chk_steps *s, uint32_t event, uint32_t unit);
/* "unit 3"; CHK_STEPS_NONE: "network". Every writer names participants by this. */
const char *chk_steps_label(const struct chk_steps *s, uint32_t unit, char label[CHK_STEPS_LABEL]);

/* text.c. Prints the events as lines, the last one marked as the failing step. Events that are only
 * in pictures are left out. */
void chk_steps_print(const struct chk_steps *s, FILE *out);
#endif
