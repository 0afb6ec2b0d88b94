/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - short words for the rows of a picture, and lines of limited length. See picture.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "check/steps/picture.h"

__attribute__((format(printf, 2, 3))) static void words_add(char words[CHK_PICTURE_WORDS],
                                                            const char *format, ...) {
  size_t used = strlen(words);
  va_list ap;
  va_start(ap, format);
  vsnprintf(words + used, CHK_PICTURE_WORDS - used, format, ap);
  va_end(ap);
}

/* -- operations and events --------------------------------------------------------------------- */

const char *chk_picture_op(const struct chk_picture *p, const struct chk_steps_op *op,
                           char words[CHK_PICTURE_WORDS]) {
  char place[CHK_PICTURE_WORDS];
  words[0] = '\0';
  words_add(words, "%s", op->name);
  if (op->operands == 2)
    words_add(words, " %" PRIu64 " to %" PRIu64, op->compare, op->operand);
  else if (op->operands == 1)
    words_add(words, " %" PRIu64, op->operand);
  else if (op->kind != CHK_STEPS_ATOMIC && !op->alone)
    words_add(words, " %" PRIu64 " bytes", op->len);
  words_add(words, "%s%.200s",
            op->reads           ? " from "
            : op->operands == 2 ? " at "
                                : " to ",
            chk_picture_place(p, op->where, place));
  if (op->signal_where != 0 && op->signal_where != op->where)
    words_add(words, ", signal at %.120s", chk_picture_place(p, op->signal_where, place));
  return words;
}

static void words_of_unit(const struct chk_picture *p, const struct chk_event *e,
                          char words[CHK_PICTURE_WORDS]) {
  const struct chk_steps *s = p->steps;
  const char *call = chk_steps_text(s, e->words);
  char place[CHK_PICTURE_WORDS];
  if (e->kind == CHK_EVENT_WAITS)
    words_add(words, "still waits in %.100s", call);
  else if (e->how == CHK_UNIT_TIMES_OUT)
    words_add(words, "times out in %.100s", call);
  else if (e->how == CHK_UNIT_READS_AGAIN)
    words_add(words, "reads again in %.100s", call);
  else
    words_add(words, "continues in %.100s", call);
  if (e->where != 0 || e->cond != 0)
    words_add(words, " for %.200s%s%.40s", chk_picture_place(p, e->where, place),
              e->where != 0 && e->cond != 0 ? " " : "", chk_steps_text(s, e->cond));
  if (e->kind == CHK_EVENT_WAITS && e->data.known) words_add(words, ", is %" PRIu64, e->data.now);
}

static void words_of_cpu(const struct chk_picture *p, const struct chk_event *e,
                         char words[CHK_PICTURE_WORDS]) {
  static const char *const DOES[] = {
      "loads", "stores to", "adds to", "swaps", "compares and swaps at", "fence"};
  char place[CHK_PICTURE_WORDS];
  words_add(words, "CPU %s", DOES[e->how]);
  if (e->how == CHK_CPU_FENCE) return;
  words_add(words, " %.200s",
            e->target == CHK_STEPS_NONE ? "memory outside of all segments"
                                        : chk_picture_place(p, e->where, place));
}

/* Which operations a flush or an order is about. */
static void words_of_scope(const struct chk_picture *p, const struct chk_event *e,
                           char words[CHK_PICTURE_WORDS]) {
  char label[CHK_STEPS_LABEL];
  if (e->target != CHK_STEPS_NONE)
    words_add(words, " to %s", chk_steps_label(p->steps, e->target, label));
}

const char *chk_picture_event(const struct chk_picture *p, uint32_t event,
                              char words[CHK_PICTURE_WORDS]) {
  const struct chk_event *e = &p->steps->event[event];
  const struct chk_steps_op *op = e->op != CHK_STEPS_NONE ? &p->steps->op[e->op] : NULL;
  char of[CHK_PICTURE_WORDS];
  words[0] = '\0';
  switch ((enum chk_event_kind)e->kind) {
    case CHK_EVENT_UNIT:
    case CHK_EVENT_WAITS:
      words_of_unit(p, e, words);
      break;
    case CHK_EVENT_POST:
      words_add(words, "posts %.400s", chk_picture_op(p, op, of));
      if (op->parts > 1) words_add(words, ", in %u parts", op->parts);
      break;
    case CHK_EVENT_CPU:
      words_of_cpu(p, e, words);
      break;
    case CHK_EVENT_FLUSH:
      words_add(words, "%.100s: operations", chk_steps_text(p->steps, e->words));
      words_of_scope(p, e, words);
      words_add(words, " are %s",
                e->how == CHK_FLUSH_REMOTE ? "complete" : "complete only locally");
      break;
    case CHK_EVENT_ORDER:
      words_add(words, "%.100s: orders operations", chk_steps_text(p->steps, e->words));
      words_of_scope(p, e, words);
      break;
    case CHK_EVENT_SOURCE:
      words_add(words, "source is read of %.400s", chk_picture_op(p, op, of));
      break;
    case CHK_EVENT_ARRIVAL:
    case CHK_EVENT_LOST:
      words_add(words, "%s%.300s%.100s", e->kind == CHK_EVENT_LOST ? "lost: " : "",
                chk_picture_op(p, op, of), chk_steps_text(p->steps, e->words));
      break;
    case CHK_EVENT_DRAIN:
      words_add(words, "store leaves the buffer, %.300s", chk_picture_place(p, e->where, of));
      break;
    case CHK_EVENT_FAULT:
      words_add(words, "%.300s", chk_steps_text(p->steps, e->words));
      break;
  }
  return words;
}

static void words_of_change(const struct chk_change *c, const char *arrow,
                            char words[CHK_PICTURE_WORDS]) {
  words_add(words, "%" PRIu64, c->old);
  if (c->now != c->old) words_add(words, " %s %" PRIu64, arrow, c->now);
}

const char *chk_picture_values(const struct chk_event *e, const char *arrow,
                               char words[CHK_PICTURE_WORDS]) {
  words[0] = '\0';
  if (e->kind == CHK_EVENT_WAITS) return words;
  if (e->data.known && e->kind == CHK_EVENT_CPU && e->how == CHK_CPU_STORE)
    words_add(words, "%" PRIu64, e->data.now);
  else if (e->data.known)
    words_of_change(&e->data, arrow, words);
  if (e->signal.known) {
    words_add(words, "%ssignal ", words[0] != '\0' ? ", " : "");
    words_of_change(&e->signal, arrow, words);
  }
  return words;
}

const char *chk_picture_woken(const struct chk_picture *p, const struct chk_event *e,
                              char words[CHK_PICTURE_WORDS]) {
  char label[CHK_STEPS_LABEL];
  words[0] = '\0';
  for (uint32_t i = 0; i < e->n_woke; i++)
    words_add(words, "%s%s", i == 0 ? "wakes " : ", ",
              chk_steps_label(p->steps, p->steps->woke[e->woke + i], label));
  return words;
}

/* "put 8 bytes to offset 8 of unit 0 arrives" */
static int sentence_of_op(const struct chk_picture *p, const struct chk_event *e,
                          char sentence[CHK_PICTURE_SENTENCE]) {
  const struct chk_steps_op *op = &p->steps->op[e->op];
  char words[CHK_PICTURE_WORDS], label[CHK_STEPS_LABEL], parts[32] = "";
  const char *before = "", *after = "", *part = "";
  (void)chk_picture_op(p, op, words);
  (void)chk_steps_label(p->steps, op->target, label);
  if (e->kind == CHK_EVENT_POST) {
    before = "posts ";
    if (op->parts > 1) snprintf(parts, sizeof parts, ", in %u parts", op->parts);
  } else if (e->kind == CHK_EVENT_SOURCE) {
    before = "source is read: ";
  } else {
    after = e->kind == CHK_EVENT_LOST ? " is lost" : " arrives";
    part = chk_steps_text(p->steps, e->words);
  }
  return snprintf(sentence, CHK_PICTURE_SENTENCE, "%s%s of %s%s%s%s", before, words, label, after,
                  part, parts);
}

const char *chk_picture_sentence(const struct chk_picture *p, uint32_t event, const char *arrow,
                                 char sentence[CHK_PICTURE_SENTENCE]) {
  const struct chk_event *e = &p->steps->event[event];
  char words[CHK_PICTURE_WORDS];
  int used = e->op != CHK_STEPS_NONE ? sentence_of_op(p, e, sentence)
                                     : snprintf(sentence, CHK_PICTURE_SENTENCE, "%s",
                                                chk_picture_event(p, event, words));
  if (chk_picture_values(e, arrow, words)[0] != '\0')
    used += snprintf(sentence + used, CHK_PICTURE_SENTENCE - (size_t)used, ": %s", words);
  if (chk_picture_woken(p, e, words)[0] != '\0')
    (void)snprintf(sentence + used, CHK_PICTURE_SENTENCE - (size_t)used, "; %s", words);
  return sentence;
}

/* -- lines ------------------------------------------------------------------------------------- */

uint32_t chk_utf8(const char *text) {
  const unsigned char *t = (const unsigned char *)text;
  uint32_t n = t[0] < 0x80 ? 1 : t[0] < 0xc2 ? 0 : t[0] < 0xe0 ? 2 : t[0] < 0xf0 ? 3 : 4;
  if (t[0] > 0xf4) return 0;
  for (uint32_t i = 1; i < n; i++)
    if ((t[i] & 0xc0) != 0x80) return 0;
  /* longer than needed, surrogates, beyond the last character */
  if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
      (t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f))
    return 0;
  return n;
}

/* Appends the next character of *text; returns the number of bytes read. */
static uint32_t line_take(const char *text, char *line, size_t *used) {
  uint32_t n = chk_utf8(text);
  bool control = n == 1 && ((unsigned char)text[0] < 0x20 || text[0] == 0x7f);
  if (n == 0 || control)
    line[(*used)++] = control ? ' ' : '?';
  else
    memcpy(line + *used, text, n), *used += n;
  return n == 0 ? 1 : n;
}

bool chk_picture_wrap(const char **text, uint32_t columns, char line[CHK_PICTURE_WORDS]) {
  const char *at = *text, *after_blank = NULL;
  size_t used = 0, at_blank = 0;
  while (*at == ' ' || *at == '\n') at++;
  if (*at == '\0') return false;
  for (uint32_t n = 0; *at != '\0' && n < columns && used + 8 < CHK_PICTURE_WORDS; n++) {
    at += line_take(at, line, &used);
    if (line[used - 1] != ' ') continue;
    at_blank = used - 1;
    after_blank = at;
  }
  /* at least half of the line is used, or a long word is cut */
  if (*at != '\0' && *at != ' ' && after_blank != NULL && at_blank > used / 2) {
    at = after_blank;
    used = at_blank;
  }
  line[used] = '\0';
  *text = at;
  return true;
}

const char *chk_picture_cut(const char *text, uint32_t columns, char line[CHK_PICTURE_WORDS]) {
  size_t used = 0, fits = 0;
  uint32_t n = 0;
  for (; *text != '\0' && n < columns && used + 8 < CHK_PICTURE_WORDS; n++) {
    text += line_take(text, line, &used);
    if (n + 4 <= columns) fits = used;
  }
  if (*text != '\0') {
    memcpy(line + fits, "...", 3);
    used = fits + 3;
  }
  line[used] = '\0';
  return line;
}
