/* SPDX-License-Identifier: BSD-3-Clause */
/* picture.h - what a picture of a run shows: the rows, the participants, and short words for
 * operations and places. For mermaid.c and svg.c, whose functions fabric_sim/explore calls.
 *
 * A short run is shown whole. Of a longer one the rows are those that happened before the failure
 * (or before the two accesses of a race), the latest first, and operations that meet theirs in
 * memory; rows that are left out are counted. */
#ifndef EYOT_CHECK_STEPS_PICTURE_H
#define EYOT_CHECK_STEPS_PICTURE_H

#include "check/steps/steps.h"

#define CHK_PICTURE_ROWS 100u  /* of the causal past; some more for what meets it */
#define CHK_PICTURE_WORDS 512u /* bytes of a row's words */
#define CHK_PICTURE_BASES 8u   /* memories that have a letter */

/* What is told of the run besides its steps; texts live as long as the call. */
struct chk_picture_about {
  const char *program; /* with its arguments */
  const char *how;     /* how it was found */
  const char *failure;
  uint32_t units;
  bool race;
  uint32_t first, second;                 /* race: the events of its accesses, or CHK_STEPS_NONE */
  const char *first_where, *second_where; /* the calls, with lines */
  const char *remedy;                     /* race: what would have ordered them */
};

struct chk_picture_row {
  uint32_t event;
  uint32_t left_out; /* events before it that are not shown, if the picture has few gaps */
};

struct chk_picture {
  const struct chk_steps *steps;
  const struct chk_picture_about *about;
  struct chk_picture_row *row;
  uint32_t n;
  uint32_t *row_of; /* by event: its row, or CHK_STEPS_NONE */
  uint32_t *unit;   /* the participants, ascending */
  uint32_t n_units;
  uint32_t left_out;                   /* all */
  uint32_t fails;                      /* the event at which the run has failed */
  const char *base[CHK_PICTURE_BASES]; /* memories: the rest of "offset 8 of ..." */
  uint32_t n_bases;
};

/* Selects the rows; false: out of memory. */
bool chk_picture_new(const struct chk_steps *s, const struct chk_picture_about *about,
                     struct chk_picture *p);
void chk_picture_free(struct chk_picture *p);
/* The column of a participant; 0 if it is none. */
uint32_t chk_picture_column(const struct chk_picture *p, uint32_t unit);
/* Whether the row belongs to the step of the row before it: it needs no number of its own. */
bool chk_picture_continues(const struct chk_picture *p, uint32_t row);

/* Whether the event is where the run fails, an access of its race, or a wait without end. */
bool chk_picture_fails(const struct chk_picture *p, uint32_t event);

/* -- words: each writes at most CHK_PICTURE_WORDS bytes, and returns them ---------------------- */

/* "offset 8", or "offset 8 of A": names of memories are in chk_picture_bases. */
const char *chk_picture_place(const struct chk_picture *p, chk_steps_text_t where,
                              char words[CHK_PICTURE_WORDS]);
/* "offsets are in the memory of a.c:12 (main)"; "" if there is nothing to say. */
const char *chk_picture_bases(const struct chk_picture *p, char words[CHK_PICTURE_WORDS]);
/* "put of 8 bytes to offset 8", without the units. */
const char *chk_picture_op(const struct chk_picture *p, const struct chk_steps_op *op,
                           char words[CHK_PICTURE_WORDS]);
/* What the event is, without step, unit and target: "posts put of 8 bytes to offset 8". */
const char *chk_picture_event(const struct chk_picture *p, uint32_t event,
                              char words[CHK_PICTURE_WORDS]);
/* "0 -> 1" by `arrow`, or "0", or "" if no value is known; with the signal's. */
const char *chk_picture_values(const struct chk_event *e, const char *arrow,
                               char words[CHK_PICTURE_WORDS]);
/* "wakes unit 1, unit 2"; "" if none. */
const char *chk_picture_woken(const struct chk_picture *p, const struct chk_event *e,
                              char words[CHK_PICTURE_WORDS]);

/* All of this in a sentence, with the target: "put 8 bytes to offset 8 of unit 0 arrives: 0 -> 1;
 * wakes unit 1". */
#define CHK_PICTURE_SENTENCE (3u * CHK_PICTURE_WORDS)
const char *chk_picture_sentence(const struct chk_picture *p, uint32_t event, const char *arrow,
                                 char sentence[CHK_PICTURE_SENTENCE]);

/* -- writers ----------------------------------------------------------------------------------- */

/* mermaid.c. A sequence diagram (sequenceDiagram of Mermaid 9 or later). */
void chk_mermaid_write(const struct chk_picture *p, FILE *out);
/* svg.c. A space-time diagram: SVG 1.1 without script, links or fonts of its own. */
void chk_svg_write(const struct chk_picture *p, FILE *out);

/* -- texts, for the writers -------------------------------------------------------------------- */

/* Returns the bytes of the character at `text`: 1 to 4; 0: it is no valid UTF-8. */
uint32_t chk_utf8(const char *text);
/* Takes the next line of up to `columns` characters from *text, broken at a blank if possible.
 * Control characters and bytes that are no UTF-8 become blanks and '?'. False at the end. */
bool chk_picture_wrap(const char **text, uint32_t columns, char line[CHK_PICTURE_WORDS]);
/* The same, but cut with "..." after one line. */
const char *chk_picture_cut(const char *text, uint32_t columns, char line[CHK_PICTURE_WORDS]);
#endif
