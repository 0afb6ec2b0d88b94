/* SPDX-License-Identifier: BSD-3-Clause */
/* call_words.c - names the call that a unit waits in, and the message that it waits for (made.h).
 */
#include <stdio.h>

#include "rt/rt.h"

const char *eyoti_made_call_words(const struct eyot_rt *rt, const char *what, const char *shown,
                                  char text[EYOTI_CALL_WORDS]) {
  const struct eyoti_about_message *a = &rt->about_message;
  char unit[16] = "any unit", tag[16] = "any tag";
  if (a->unit != UINT32_MAX) snprintf(unit, sizeof unit, "unit %u", a->unit);
  if (a->tag >= 0) snprintf(tag, sizeof tag, "tag %d", (int)a->tag);
  if (a->call == NULL || a->call != what)
    snprintf(text, EYOTI_CALL_WORDS, "%s", shown);
  else
    snprintf(text, EYOTI_CALL_WORDS, "%s %s %s%s%s", shown, a->to ? "to" : "from", unit,
             a->no_tag ? "" : ", ", a->no_tag ? "" : tag);
  return text;
}
