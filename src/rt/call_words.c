/* SPDX-License-Identifier: BSD-3-Clause */
/* call_words.c - names the call that a unit waits in, and the message or the collective that it
 * waits for (made.h). */
#include <stdio.h>

#include "base/wording.h"
#include "rt/rt.h"

static void message_words(const struct eyoti_about_message *a, const char *shown,
                          char text[EYOTI_CALL_WORDS]) {
  char unit[24], tag[16] = "any tag";
  if (a->unit != UINT32_MAX)
    eyoti_snprintf(unit, sizeof unit, "unit %u", a->unit);
  else
    eyoti_snprintf(unit, sizeof unit, "any unit");
  if (a->tag >= 0) snprintf(tag, sizeof tag, "tag %d", (int)a->tag);
  snprintf(text, EYOTI_CALL_WORDS, "%s %s %s%s%s", shown, a->to ? "to" : "from", unit,
           a->no_tag ? "" : ", ", a->no_tag ? "" : tag);
}

bool eyoti_made_about_coll(const struct eyot_rt *rt, const char *what) {
  return what != NULL && rt->about_coll.call == what;
}

const char *eyoti_made_call_words(const struct eyot_rt *rt, const char *what, const char *shown,
                                  char text[EYOTI_CALL_WORDS]) {
  if (what != NULL && rt->about_message.call == what)
    message_words(&rt->about_message, shown, text);
  else if (eyoti_made_about_coll(rt, what))
    snprintf(text, EYOTI_CALL_WORDS, "%s of %s", shown, rt->about_coll.what);
  else
    snprintf(text, EYOTI_CALL_WORDS, "%s", shown);
  return text;
}
