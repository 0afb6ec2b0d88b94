/* SPDX-License-Identifier: BSD-3-Clause */
/* test_image.c - which bytes of a program's file are its data, and what damaged files give. */
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/image.h"

uint64_t image_object = 1;
static uint64_t image_zero[100];
static const uint64_t image_constant = 2;
static _Thread_local uint64_t image_of_thread;

static int first(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uint64_t *)base = info->dlpi_addr;
  return 1;
}

static uint64_t in_file(const void *p) {
  uint64_t base = 0;
  (void)dl_iterate_phdr(first, &base);
  return (uint64_t)(uintptr_t)p - base;
}

static struct eyoti_image *open_own(void) {
  struct eyoti_image *image = NULL;
  assert_int_equal(eyoti_image_open("/proc/self/exe", &image), EYOT_OK);
  return image;
}

static void writable_objects_of_the_program_are_data(void **state) {
  (void)state;
  struct eyoti_image *image = open_own();
  assert_true(eyoti_image_holds(image, in_file(&image_object), 8));
  assert_true(eyoti_image_holds(image, in_file(image_zero), sizeof image_zero));
  assert_false(eyoti_image_holds(image, in_file(&image_constant), 8));
  assert_false(eyoti_image_holds(image, in_file(&image_of_thread), 8));
  assert_false(eyoti_image_holds(image, in_file(&image), 8));
  assert_false(eyoti_image_holds(image, in_file(image_zero), UINT64_MAX - 100));
  assert_false(eyoti_image_holds(image, UINT64_MAX, 1));
  for (uint32_t i = 0; i < image->n_data; i++) {
    assert_true(image->data[i].from < image->data[i].to);
    assert_true(i == 0 || image->data[i - 1].to < image->data[i].from);
    assert_true(image->data[i].from >= image->lo && image->data[i].to <= image->hi);
  }
  /* an executable at a fixed address has a copy of it, another one none */
  assert_false(eyoti_image_holds(image, in_file(&stdout), 8));
  eyoti_image_close(image);
}

static void sections_have_names(void **state) {
  (void)state;
  char text[EYOTI_IMAGE_SECTION];
  struct eyoti_image *image = open_own();
  assert_string_equal(eyoti_image_section(image, in_file(&image_object), text), ".data");
  assert_string_equal(eyoti_image_section(image, in_file(image_zero) + 8, text), ".bss");
  assert_string_equal(eyoti_image_section(image, UINT64_C(1) << 50, text), "");
  eyoti_image_close(image);
}

/* Opens a file of these bytes. */
static int open_copy(const char *bytes, size_t len, struct eyoti_image **image) {
  char path[] = "/tmp/eyot-image-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, bytes, len), (ssize_t)len);
  close(fd);
  int rc = eyoti_image_open(path, image);
  unlink(path);
  return rc;
}

static char *read_own(size_t *len) {
  FILE *f = fopen("/proc/self/exe", "rb");
  assert_non_null(f);
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  *len = (size_t)ftell(f);
  rewind(f);
  char *bytes = malloc(*len);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *len, f), *len);
  fclose(f);
  return bytes;
}

static void damaged_files_are_refused_or_read(void **state) {
  (void)state;
  size_t len;
  char *bytes = read_own(&len);
  struct eyoti_image *image = NULL, *own = open_own();
  assert_int_equal(open_copy(bytes, len, &image), EYOT_OK);
  assert_true(image->id == own->id && image->n_data == own->n_data);
  eyoti_image_close(image);
  eyoti_image_close(own);
  ElfW(Ehdr) *h = (ElfW(Ehdr) *)(void *)bytes, whole = *h;
  const size_t lengths[] = {1, sizeof *h - 1, sizeof *h, 4096, len - 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    assert_int_equal(open_copy(bytes, lengths[i], &image), EYOT_ENOTSUP);
  h->e_shnum = 0;
  assert_int_equal(open_copy(bytes, len, &image), EYOT_ENOTSUP);
  *h = whole;
  /* any section header may hold anything */
  ElfW(Shdr) *s = (ElfW(Shdr) *)(void *)(bytes + h->e_shoff);
  for (uint32_t i = 1; i < h->e_shnum; i++) {
    ElfW(Shdr) was = s[i];
    memset(&s[i], 0x5a ^ (int)i, sizeof s[i]);
    s[i].sh_type = was.sh_type;
    if (open_copy(bytes, len, &image) == EYOT_OK) eyoti_image_close(image);
    s[i] = was;
  }
  free(bytes);
  assert_int_equal(eyoti_image_open("/nowhere/at/all", &image), EYOT_ESYS);
  assert_int_equal(eyoti_image_open("/proc/self", &image), EYOT_ESYS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writable_objects_of_the_program_are_data),
      cmocka_unit_test(sections_have_names),
      cmocka_unit_test(damaged_files_are_refused_or_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
