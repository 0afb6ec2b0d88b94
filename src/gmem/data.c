/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c - the program's data as a segment (eyot/data.h): the fabric's segment of it, pointers to
 * objects, and what messages say of an address that is none.
 *
 * The segment spans whole pages, in which the linker and the loader have tables too. Pointers count
 * from the first object, so that no pointer with an offset in the segment leads below it. */
#include <dlfcn.h>
#include <eyot/data.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/image.h"
#include "base/symbol.h"
#include "gmem/state.h"

/* The first use looks for it, so that programs without symmetric data pay nothing. */
static int data_open(struct eyot_rt *rt) {
  struct eyoti_gdata *d = &rt->gmem->data;
  struct fab_data found;
  if (d->own != NULL) return EYOT_OK;
  if (rt->fab->ops->seg_data == NULL)
    return EYOTI_GMEM_FAIL(rt, EYOT_ENOTSUP, "the fabric %s cannot share the program's data",
                           rt->fab->ops->name);
  EYOTI_TRY(rt->fab->ops->seg_data(rt->fab, &found));
  const struct eyoti_image *image = found.image;
  uint64_t first = eyoti_image_first(image) - image->lo;
  *d = (struct eyoti_gdata){.seg = found.seg,
                            .image = image,
                            .own = found.own + first,
                            .first = first,
                            .len = image->data[image->n_data - 1].to - image->lo - first};
  eyoti_gmem_mapped_enter_data(rt, d);
  eyoti_made_add(rt, &(struct eyoti_made){.kind = EYOTI_MADE_DATA,
                                          .id = found.seg,
                                          .seg = found.seg,
                                          .off = first,
                                          .len_bytes = d->len});
  return EYOT_OK;
}

/* Whether the program shares its data: a question, not a mistake. */
static bool data_found(struct eyot_rt *rt) {
  uint32_t level = rt->log_level;
  rt->log_level = EYOTI_LOG_SILENT;
  int rc = data_open(rt);
  rt->log_level = level;
  return rc == EYOT_OK;
}

static uint64_t image_at(const struct eyoti_gdata *d, const void *object) {
  return (uint64_t)((const char *)object - d->own) + d->first + d->image->lo;
}

/* Names what is at an address that is not symmetric data. */
static int refuse(const struct eyot_rt *rt, const void *object, uint64_t len) {
  const struct eyoti_gdata *d = &rt->gmem->data;
  char section[EYOTI_IMAGE_SECTION], words[EYOTI_WORDS] = "", of[EYOTI_WORDS + 16] = "";
  struct eyoti_symbol s;
  Dl_info at = {0};
  uint64_t where = image_at(d, object), first = eyoti_image_first(d->image);
  bool loaded = dladdr(object, &at) != 0,
       own = loaded && (const char *)at.dli_fbase == d->own - d->first - d->image->lo;
  if (own || where - d->image->lo < d->image->hi - d->image->lo) {
    if (eyoti_symbol_find(d->image->path, where, &s) == EYOTI_SYMBOL_OBJECT)
      (void)eyoti_symbol_words(d->image->path, where, where - first, true, words);
    else if (eyoti_image_section(d->image, where, section)[0] != '\0')
      snprintf(words, sizeof words, "section %s", section);
  }
  if (words[0] != '\0') snprintf(of, sizeof of, " (%s)", words);
  for (uint32_t i = 0; i < d->image->n_data; i++) {
    const struct eyoti_image_range *r = &d->image->data[i];
    if (where >= r->from && where < r->to)
      return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                             "%" PRIu64 " bytes at %p%s are more than the %" PRIu64
                             " that the program's data has there",
                             len, object, of, r->to - where);
  }
  if (words[0] != '\0')
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ERANGE,
        "%p%s is in the program, but is not symmetric data: it is constant, a table of the linker, "
        "or an object of a shared library that the program has a copy of; name a writable object "
        "that the program defines",
        object, of);
  if (loaded)
    return EYOTI_GMEM_FAIL(
        rt, EYOT_ERANGE,
        "%p (%s of %s) is in a shared library, whose objects are not symmetric: define the object "
        "in the program or in a static library, or use eyot_register",
        object, at.dli_sname != NULL ? at.dli_sname : "an object", at.dli_fname);
  return EYOTI_GMEM_FAIL(
      rt, EYOT_ERANGE,
      "%p is not in the program's data: it is on the stack, from malloc, thread-local, or in "
      "memory "
      "of eyot; declare the object static, or use eyot_register or eyot_team_alloc",
      object);
}

/* With EYOT_CHECK=1 bytes past the end of an object are refused, where the program's file has its
 * name and length. */
static int check_object(const struct eyot_rt *rt, const void *object, uint64_t len) {
  const struct eyoti_gdata *d = &rt->gmem->data;
  uint64_t where = image_at(d, object), first = eyoti_image_first(d->image);
  char words[EYOTI_WORDS];
  struct eyoti_symbol s;
  if (eyoti_symbol_find(d->image->path, where, &s) != EYOTI_SYMBOL_OBJECT) return EYOT_OK;
  if (len <= s.len_bytes - s.in) return EYOT_OK;
  return EYOTI_GMEM_FAIL(
      rt, EYOT_ERANGE,
      "%" PRIu64 " bytes at %p (%s) are more than the %" PRIu64 " that the object has there", len,
      object, eyoti_symbol_words(d->image->path, where, where - first, true, words),
      s.len_bytes - s.in);
}

int eyoti_data_gptr_call(const void *object, uint64_t len, eyot_unit_t unit, eyot_gptr_t *gptr) {
  EYOTI_ENTER_AS(rt, "eyot_data_gptr");
  if (object == NULL || gptr == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL", gptr == NULL ? "gptr" : "object");
  const struct eyoti_gdata *d = &rt->gmem->data;
  if (__builtin_expect(d->own == NULL, 0)) EYOTI_TRY(data_open(rt));
  if (unit.id >= rt->fab->n)
    return EYOTI_FAIL(EYOT_EUNIT, "unit %u: there are %u", unit.id, rt->fab->n);
  if (!eyoti_image_holds(d->image, image_at(d, object), len)) return refuse(rt, object, len);
  if (__builtin_expect(rt->gmem->check, 0)) EYOTI_TRY(check_object(rt, object, len));
  *gptr = (eyot_gptr_t){
      .offset = (uint64_t)((const char *)object - d->own), .unit = unit.id, .seg = EYOTI_SEG_DATA};
  return EYOT_OK;
}

bool eyot_data_contains(const void *object, uint64_t len) {
  EYOTI_PASS();
  const struct eyot_rt *rt = eyot_current;
  if (rt->gmem == NULL || !eyoti_rt_owns(rt)) return false;
  const struct eyoti_gdata *d = &rt->gmem->data;
  if (__builtin_expect(d->own == NULL, 0) && !data_found(eyot_current)) return false;
  return eyoti_image_holds(d->image, image_at(d, object), len);
}

int eyot_data_range(const void *object, const void **first, uint64_t *len) {
  EYOTI_ENTER(rt);
  if (object == NULL || first == NULL || len == NULL)
    return EYOTI_FAIL(EYOT_EINVAL, "%s is NULL",
                      object == NULL ? "object" : (first == NULL ? "first" : "len"));
  const struct eyoti_gdata *d = &rt->gmem->data;
  if (__builtin_expect(d->own == NULL, 0) && !data_found(rt)) return EYOT_ENOTSUP;
  uint64_t at = image_at(d, object);
  for (uint32_t i = 0; i < d->image->n_data; i++) {
    const struct eyoti_image_range *r = &d->image->data[i];
    if (at < r->from || at >= r->to) continue;
    struct eyoti_symbol s = {.in = at - r->from, .len_bytes = r->to - r->from};
    if (rt->gmem->check && eyoti_symbol_find(d->image->path, at, &s) != EYOTI_SYMBOL_OBJECT)
      s = (struct eyoti_symbol){.in = at - r->from, .len_bytes = r->to - r->from};
    *first = (const char *)object - s.in;
    *len = s.len_bytes;
    return EYOT_OK;
  }
  return EYOT_ERANGE;
}

/* -- for the other files of the layer ---------------------------------------------------------- */

int eyoti_gmem_resolve_data(struct eyot_rt *rt, eyot_gptr_t g, uint64_t len, struct fab_addr *out) {
  const struct eyoti_gdata *d = &rt->gmem->data;
  if (d->own == NULL && !data_found(rt)) /* else another unit has sent the pointer */
    return EYOTI_GMEM_FAIL(rt, EYOT_ESEG,
                           "segment %u is the program's data, which this program does not share",
                           EYOTI_SEG_DATA);
  if (eyoti_gptr_gen(g) != 0 || eyoti_gptr_bytes(g) < 0)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                           "offset %" PRId64 " is before the first object of the program's data",
                           (int64_t)g.offset);
  if (len > d->len || g.offset > d->len - len)
    return EYOTI_GMEM_FAIL(rt, EYOT_ERANGE,
                           "%" PRId64 " bytes at offset %" PRIu64
                           " of unit %u's part of the program's data, which has %" PRIu64,
                           (int64_t)len, g.offset, g.unit, d->len);
  *out = fab_at(g.unit, d->seg, d->first + g.offset);
  return EYOT_OK;
}

char *eyoti_gmem_data_addr(const struct eyot_rt *rt, eyot_gptr_t g) {
  return rt->gmem->data.own + g.offset;
}
