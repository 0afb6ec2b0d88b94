/* SPDX-License-Identifier: BSD-3-Clause */
/* gone.c - what messages say of the memory that a pointer means, and of memory that no longer
 * exists. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/image.h"
#include "base/symbol.h"
#include "base/wording.h"
#include "gmem/label.h"

static bool is_own_kind(eyot_gptr_t g) {
  return g.seg >= EYOTI_SEG_REGISTERED;
}

const char *eyoti_gmem_gone(struct eyot_rt *rt, eyot_gptr_t g, const char *unknown,
                            char text[EYOTI_GONE]) {
  bool private = eyoti_gptr_is_private(g);
  struct eyoti_made was = {.kind = EYOTI_MADE_COLLECTIVE, .id = g.seg, .gen = eyoti_gptr_gen(g)};
  if (private)
    was = (struct eyoti_made){
        .kind = EYOTI_MADE_PRIVATE, .id = eyoti_gptr_place(g), .gen = eyoti_gmem_private_gen(g)};
  else if (is_own_kind(g))
    was = (struct eyoti_made){.kind = EYOTI_MADE_REGISTERED,
                              .id = g.seg - EYOTI_SEG_REGISTERED,
                              .gen = eyoti_gptr_gen(g)};
  if (is_own_kind(g) && g.unit != rt->fab->me)
    return eyoti_glabel_gone(rt, g.unit, !private, was.id, (uint32_t)was.gen, unknown, text);
  return eyoti_made_gone(rt, &was, unknown, text);
}

const char *eyoti_gmem_words(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_WORDS]) {
  bool private = eyoti_gptr_is_private(g);
  struct eyoti_glabel l;
  char words[EYOTI_WORDS];
  if (g.seg == EYOTI_SEG_DATA) {
    snprintf(text, EYOTI_WORDS, "the program's data");
    return text;
  }
  if (!is_own_kind(g)) return eyoti_made_words(rt, EYOTI_MADE_COLLECTIVE, g.seg, text);
  if (g.unit == rt->fab->me)
    return private
               ? eyoti_made_words(rt, EYOTI_MADE_PRIVATE, eyoti_gptr_place(g), text)
               : eyoti_made_words(rt, EYOTI_MADE_REGISTERED, g.seg - EYOTI_SEG_REGISTERED, text);
  bool known =
      private ? eyoti_gmem_private_label(rt, g, &l) : eyoti_gmem_registered_label(rt, g, &l);
  const char *unknown = private ? "a block of eyot_alloc" : "registered memory";
  eyoti_snprintf(text, EYOTI_WORDS, "%.290s of unit %u",
                 known ? eyoti_glabel_words(rt, g.unit, &l, words) : unknown, g.unit);
  return text;
}

const char *eyoti_gmem_byte_words(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_BYTE_WORDS]) {
  const struct eyoti_gdata *d = &rt->gmem->data;
  char words[EYOTI_WORDS];
  int n = snprintf(text, EYOTI_BYTE_WORDS, "offset %" PRId64 " of %s", eyoti_gptr_byte(g),
                   eyoti_gmem_words(rt, g, words));
  if (!is_own_kind(g) || g.unit == rt->fab->me)
    eyoti_snprintf(text + n, EYOTI_BYTE_WORDS - (size_t)n, " of unit %u", g.unit);
  if (g.seg != EYOTI_SEG_DATA || d->own == NULL) return text;
  n = (int)strlen(text);
  snprintf(text + n, EYOTI_BYTE_WORDS - (size_t)n, " (%s)",
           eyoti_symbol_words(d->image->path, d->image->lo + d->first + g.offset, g.offset, true,
                              words));
  return text;
}

const char *eyoti_gmem_about(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_GONE]) {
  struct eyoti_glabel l;
  bool private = eyoti_gptr_is_private(g);
  if (is_own_kind(g) && g.unit != rt->fab->me &&
      !(private ? eyoti_gmem_private_label(rt, g, &l) : eyoti_gmem_registered_label(rt, g, &l)))
    return eyoti_gmem_gone(rt, g, "it does not exist there", text);
  return eyoti_gmem_words(rt, g, text);
}

const char *eyoti_gmem_unlike(struct eyot_rt *rt, eyot_gptr_t g, char text[EYOTI_GONE]) {
  return g.seg == EYOTI_SEG_NULL ? "a null pointer" : eyoti_gmem_about(rt, g, text);
}

void eyoti_gmem_far(struct eyot_rt *rt, eyot_gptr_t g, struct eyoti_far *far) {
  struct eyoti_glabel l;
  *far = (struct eyoti_far){0};
  if (!eyoti_gmem_private_label(rt, g, &l)) return;
  far->site = eyoti_place_of_word(l.made);
  far->len_bytes = far->site != NULL ? l.len : 0;
  eyoti_glabel_copy_name(&l, far->name);
}
