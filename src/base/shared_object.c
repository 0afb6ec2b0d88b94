/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_object.c - implements shared_object.h. */
#include "base/shared_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf.h"

/* The folder of the object that holds this function, without the trailing slash. */
static int own_folder(char *path, size_t size) {
  Dl_info info;
  if (dladdr((const void *)&eyoti_shared_object_load, &info) == 0 || info.dli_fname == NULL)
    return EYOTI_FAIL(EYOT_EFABRIC,
                      "cannot find out where libeyot was loaded from; set EYOT_FABRIC_DIR to the "
                      "folder of the fabric modules");
  const char *slash = strrchr(info.dli_fname, '/');
  int n = slash == NULL
              ? snprintf(path, size, ".")
              : snprintf(path, size, "%.*s", (int)(slash - info.dli_fname), info.dli_fname);
  if (n < 0 || (size_t)n >= size)
    return EYOTI_FAIL(EYOT_EFABRIC, "the path of libeyot is too long");
  return EYOT_OK;
}

int eyoti_shared_object_path(const char *file, char *path, size_t size) {
  const char *given = eyoti_conf_foreign_env("EYOT_FABRIC_DIR");
  int n;
  if (given != NULL && *given != '\0') {
    n = snprintf(path, size, "%s/%s", given, file);
  } else {
    char folder[PATH_MAX];
    EYOTI_TRY(own_folder(folder, sizeof folder));
    n = snprintf(path, size, "%s/eyot/%s", folder, file);
  }
  if (n < 0 || (size_t)n >= size)
    return EYOTI_FAIL(EYOT_EFABRIC, "the path of %s is too long", file);
  return EYOT_OK;
}

/* Reads from a file at an offset; false: it has fewer bytes. */
static bool read_at(int fd, void *to, size_t len, off_t off) {
  return pread(fd, to, len, off) == (ssize_t)len;
}

/* A module that was copied in part has its beginning. The loader maps it all the same, and the
 * first access beyond the end of the file is a signal inside dlopen: so its segments are compared
 * with its length before. */
static int check_whole(const char *path) {
  ElfW(Ehdr) head;
  ElfW(Phdr) part;
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    if (fd >= 0) close(fd);
    return EYOT_OK; /* dlopen says why */
  }
  bool whole = read_at(fd, &head, sizeof head, 0);
  bool elf = whole && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
  uint64_t end = elf ? head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize : 0;
  for (uint32_t i = 0; elf && whole && i < head.e_phnum; i++) {
    off_t at = (off_t)(head.e_phoff + (uint64_t)i * head.e_phentsize);
    whole = read_at(fd, &part, sizeof part, at);
    if (whole && part.p_offset + part.p_filesz > end) end = part.p_offset + part.p_filesz;
  }
  close(fd);
  if (elf && whole && end <= (uint64_t)st.st_size) return EYOT_OK;
  if (elf)
    return EYOTI_FAIL(EYOT_EFABRIC,
                      "%s is incomplete: it has %" PRIu64 " bytes of at least %" PRIu64
                      "; install eyot again",
                      path, (uint64_t)st.st_size, end);
  return EYOTI_FAIL(EYOT_EFABRIC,
                    "%s is no shared object of this machine; install eyot again, or set "
                    "EYOT_FABRIC_DIR to the folder of the fabric modules",
                    path);
}

bool eyoti_shared_object_lacks_memory(const char *why) {
  return why != NULL &&
         (strstr(why, "Cannot allocate memory") != NULL ||
          strstr(why, "cannot create shared object descriptor") != NULL ||
          (strstr(why, "failed to map segment") != NULL && strstr(why, "not permitted") == NULL));
}

int eyoti_shared_object_load(const char *file, const char *what, bool needs_memory, void **handle) {
  char path[PATH_MAX];
  EYOTI_TRY(eyoti_shared_object_path(file, path, sizeof path));
  EYOTI_TRY(check_whole(path));
  (void)dlerror(); /* that of another call */
  errno = 0;
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*handle != NULL) return EYOT_OK;
  bool memory = errno == ENOMEM;
  const char *why = dlerror();
  if (needs_memory && (memory || eyoti_shared_object_lacks_memory(why)))
    eyoti_no_memory(0, "loading %s: %s", what, why);
  return EYOTI_FAIL(EYOT_EFABRIC,
                    "cannot load %s: %s; install eyot with it, or set EYOT_FABRIC_DIR to the "
                    "folder that holds it",
                    what, why);
}
