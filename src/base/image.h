/* SPDX-License-Identifier: BSD-3-Clause */
/* image.h - which bytes of a program's file are its data: the writable objects with static storage
 * of the program and of the static libraries in it. For the fabrics, which make these bytes a
 * segment, and for gmem, which tells a program why an address is not one of them.
 *
 * Why it exists: only the sections of the file separate the program's objects from what the loader
 * and the C library keep beside them in the same pages: tables of addresses, copies of objects of
 * shared libraries. Both fabrics must draw the line at the same place, so that a program that runs
 * in the simulator also runs on a cluster. */
#ifndef EYOT_BASE_IMAGE_H
#define EYOT_BASE_IMAGE_H

#include <eyot/types.h>
#include <stdbool.h>
#include <stdint.h>

/* Addresses count from the beginning of the loaded file; [from, to). */
struct eyoti_image_range {
  uint64_t from, to;
};

/* Whole pages; bytes from `zero` on are zero when the program starts. */
struct eyoti_image_pages {
  uint64_t from, to, zero;
};

#define EYOTI_IMAGE_PAGES 4u
struct eyoti_image {
  char *path;
  /* The data: sorted, not empty. Objects that the linker has copied from shared libraries are left
   * out. */
  struct eyoti_image_range *data;
  uint32_t n_data;
  /* The writable pages with data in them, sorted, without those that the loader makes read-only. */
  uint32_t n_pages;
  struct eyoti_image_pages pages[EYOTI_IMAGE_PAGES];
  uint64_t id; /* equal files have equal ones, and other programs have others */
  bool asks;   /* it has the mark of eyot/data.h */
  uint64_t lo; /* where the first of `pages` begins */
  uint64_t hi; /* where the last one ends */
};

/* Reads a file. Errors: ENOMEM, ESYS (cannot be read), ENOTSUP (its sections are missing, or it has
 * no data); logged. */
EYOT_API int eyoti_image_open(const char *path, struct eyoti_image **out);
EYOT_API void eyoti_image_close(struct eyoti_image *image); /* image may be NULL */
/* Whether an object that is loaded in this process now has the mark of eyot/data.h. */
EYOT_API bool eyoti_image_asked(void);

/* The words of eyot/caller.h that an object has which is loaded in this process now, or that a file
 * has (a copy, for free; NULL also if it cannot be read); NULL: none. */
const char *eyoti_image_loaded_words(void);
EYOT_API char *eyoti_image_file_words(const char *path);

static inline bool eyoti_image_holds(const struct eyoti_image *image, uint64_t at, uint64_t len) {
  for (uint32_t i = image->n_data; i-- > 0;)
    if (at >= image->data[i].from)
      return len <= image->data[i].to - image->data[i].from && at <= image->data[i].to - len;
  return false;
}

/* Where pointers to the data count from: not above its first byte. A pointer's offset is aligned as
 * the object is, up to this. */
#define EYOTI_IMAGE_ALIGN 64u
static inline uint64_t eyoti_image_first(const struct eyoti_image *image) {
  return image->data[0].from - (image->data[0].from - image->lo) % EYOTI_IMAGE_ALIGN;
}

/* Writes the name of the section of the file with that byte, ".got", and returns `text`; "" if it
 * is not known. Reads the file again. */
#define EYOTI_IMAGE_SECTION 64u
const char *eyoti_image_section(const struct eyoti_image *image, uint64_t at,
                                char text[EYOTI_IMAGE_SECTION]);
#endif
