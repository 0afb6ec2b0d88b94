/* SPDX-License-Identifier: BSD-3-Clause */
/* object.c - implements object.h. */
#include "base/object.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/wording.h"

static bool has(const char *text) {
  return text != NULL && text[0] != '\0';
}

const char *eyoti_object_words(const struct eyoti_object *o, bool brief, char text[EYOTI_WORDS]) {
  char size[32] = "";
  if (!has(o->what)) {
    snprintf(text, EYOTI_WORDS, "%s", EYOTI_WORDED(o->noun));
  } else if (brief) {
    if (has(o->name))
      snprintf(text, EYOTI_WORDS, "\"%s\"", o->name);
    else
      snprintf(text, EYOTI_WORDS, "%s of %s", o->noun, o->place);
  } else {
    if (o->len_bytes > 0) snprintf(size, sizeof size, "%" PRIu64 " bytes, ", o->len_bytes);
    const char *quote = has(o->name) ? "\"" : "";
    snprintf(text, EYOTI_WORDS, "%s%s%s (%s%s at %s)", quote, has(o->name) ? o->name : o->noun,
             quote, size, o->what, o->place);
  }
  return text;
}

const char *eyoti_object_at_words(enum eyoti_object_at at, const struct eyoti_object *o,
                                  uint64_t in, uint32_t seg, uint64_t off, bool brief,
                                  char text[EYOTI_WORDS]) {
  char of[EYOTI_WORDS];
  switch (at) {
    case EYOTI_AT_OBJECT:
      snprintf(text, EYOTI_WORDS, "offset %" PRIu64 " of %.280s", in,
               eyoti_object_words(o, brief, of));
      break;
    case EYOTI_AT_CONTROL:
      snprintf(text, EYOTI_WORDS, "a control word of %.290s", eyoti_object_words(o, brief, of));
      break;
    case EYOTI_AT_ATTACHED:
      snprintf(text, EYOTI_WORDS, "attached memory that is no longer there");
      break;
    case EYOTI_AT_DATA:
      snprintf(text, EYOTI_WORDS, "offset %" PRIu64 " of the program's data", in);
      break;
    case EYOTI_AT_OWN:
    case EYOTI_AT_NOWHERE:
      snprintf(text, EYOTI_WORDS, "%s (segment %u, offset %" PRIu64 ")",
               at == EYOTI_AT_OWN ? "a word of eyot's own" : "memory that is not allocated", seg,
               off);
      break;
  }
  return text;
}

const char *eyoti_value_words(bool has_sign, uint64_t value, char text[EYOTI_COND_WORDS]) {
  if (has_sign)
    snprintf(text, EYOTI_COND_WORDS, "%" PRId64, (int64_t)value);
  else
    snprintf(text, EYOTI_COND_WORDS, "%" PRIu64, value);
  return text;
}

const char *eyoti_cond_words(uint32_t cmp, bool has_sign, uint64_t value,
                             char text[EYOTI_COND_WORDS]) {
  static const char *const CMP[] = {"==", "!=", "<", "<=", ">", ">="};
  char words[EYOTI_COND_WORDS];
  snprintf(text, EYOTI_COND_WORDS, "%s %.24s", CMP[cmp % 6],
           eyoti_value_words(has_sign, value, words));
  return text;
}
