/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c - the files of a program's copies, and the loading of one. See copy.h. */
#include "fabric_sim/program/copy.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/out_file.h"
#include "base/shared_object.h"
#include "fabric_sim/program/libraries.h"

#define MIB (UINT64_C(1) << 20)
#define SPARE_BYTES MIB /* left free for others */
#define TOKENS 32u      /* in a name: one for each bit of the number */
#define WHY_BYTES 1024
#define NAME_BYTES (64 + 2 * TOKENS)

/* Whether `folder` can hold `need` bytes of loadable files; else appends the reason to `why`. */
static bool has_space(const char *folder, uint64_t need, char *why, size_t why_bytes) {
  size_t used = strlen(why);
  struct statvfs st;
  if (statvfs(folder, &st) != 0) {
    snprintf(why + used, why_bytes - used, "; %s: %s", folder, strerror(errno));
    return false;
  }
  if ((st.f_flag & ST_NOEXEC) != 0 || (st.f_flag & ST_RDONLY) != 0) {
    snprintf(why + used, why_bytes - used, "; %s is mounted %s", folder,
             (st.f_flag & ST_NOEXEC) != 0 ? "noexec" : "read-only");
    return false;
  }
  uint64_t left = (uint64_t)st.f_bavail * st.f_frsize;
  if (left < SPARE_BYTES || left - SPARE_BYTES < need) {
    snprintf(why + used, why_bytes - used, "; %s has %.1f MiB free", folder,
             (double)left / (double)MIB);
    return false;
  }
  return true;
}

/* A file without a name, from the first moment where the file system can do that. Returns its
 * descriptor, or -1. */
static int make_nameless(const char *folder) {
  char path[PATH_MAX];
  int fd = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0700);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
    return fd;
  int n = snprintf(path, sizeof path, "%s/eyot-XXXXXX", folder);
  fd = n > 0 && n < PATH_MAX ? mkostemp(path, O_CLOEXEC) : -1;
  if (fd < 0) return fd;
  (void)unlink(path);
  if (fchmod(fd, 0700) == 0) return fd;
  (void)close(fd);
  return -1;
}

/* Whether files can be made there; else appends the reason to `why`. */
static bool is_writable(const char *folder, char *why, size_t why_bytes) {
  int fd = make_nameless(folder);
  if (fd >= 0) return close(fd) == 0;
  size_t used = strlen(why);
  snprintf(why + used, why_bytes - used, "; %s: %s", folder, strerror(errno));
  return false;
}

int sim_prog_store_open(const char *path, uint64_t file_bytes, uint32_t n,
                        struct sim_prog_store *out) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t need = (file_bytes + page - 1) / page * page * n;
  const char *const parents[] = {"/dev/shm", eyoti_conf_foreign_env("TMPDIR"), "/tmp"};
  char why[WHY_BYTES] = "";
  struct sim_prog_store s = {.path = path, .file_bytes = file_bytes};
  for (size_t i = 0; i < sizeof parents / sizeof parents[0] && s.folder == NULL; i++)
    if (parents[i] != NULL && *parents[i] != '\0' && has_space(parents[i], need, why, sizeof why) &&
        is_writable(parents[i], why, sizeof why))
      s.folder = parents[i];
  if (s.folder == NULL)
    return EYOTI_FAIL(EYOT_ENOMEM,
                      "no room for %u copies of %s (%.1f MiB)%s; strip the program, set TMPDIR to "
                      "a folder with more room, run fewer "
                      "units, or use --shared-globals",
                      n, path, (double)need / (double)MIB, why);
  s.source = open(path, O_RDONLY | O_CLOEXEC);
  if (s.source < 0)
    return EYOTI_FAIL(EYOT_ESYS, "cannot open the program %s: %s", path, strerror(errno));
  *out = s;
  return EYOT_OK;
}

void sim_prog_store_close(struct sim_prog_store *s) {
  close(s->source);
}

static int copy_to(const struct sim_prog_store *s, uint32_t i, int fd) {
  off_t at = 0;
  while ((uint64_t)at < s->file_bytes) {
    ssize_t moved = sendfile(fd, s->source, &at, (size_t)(s->file_bytes - (uint64_t)at));
    if (moved > 0) continue;
    return EYOTI_FAIL(EYOT_ESYS, "cannot write copy %u of the program to %s: %s", i, s->folder,
                      moved == 0 ? "the program's file became shorter" : strerror(errno));
  }
  return EYOT_OK;
}

/* The loader takes a file of a name that it knows for the one that it has loaded, and descriptors
 * recur: each bit of `i` is a part of the name that leads nowhere else. A number of a process that
 * has closed the file, as all tools that look for it later see, not "self". */
static void name_copy(uint32_t i, int fd, char *name, size_t size) {
  char self[32] = "self"; /* of the namespace whose /proc it is */
  ssize_t len = readlink("/proc/self", self, sizeof self - 1);
  self[len > 0 ? len : (ssize_t)strlen(self)] = '\0';
  int n = snprintf(name, size, "/proc/%s/fd", self);
  for (uint32_t bit = 0; bit < TOKENS; bit++)
    n += snprintf(name + n, size - (size_t)n, (i >> bit & 1) != 0 ? "/." : "/");
  n += snprintf(name + n, size - (size_t)n, "/%d", fd);
  EYOTI_ASSERT(n > 0 && (size_t)n < size);
}

/* NULL: logged. */
static void *load(const struct sim_prog_store *s, uint32_t i, const char *name, int *rc) {
  void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  int why = errno;
  bool beside = h == NULL && i == 0 && sim_prog_load_beside(s->path);
  if (beside) h = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const char *text = h == NULL ? dlerror() : NULL;
  bool memory = why == ENOMEM || eyoti_shared_object_lacks_memory(text);
  if (h == NULL)
    *rc = EYOTI_FAIL(memory ? EYOT_ENOMEM : EYOT_EINVAL, "cannot load copy %u of the program: %s%s",
                     i, text,
                     beside ? " (a library that $ORIGIN leads to needs a name of its own: link it "
                              "with -Wl,-soname,NAME, or set LD_LIBRARY_PATH to its folder)"
                            : "");
  return h;
}

int sim_prog_store_load(const struct sim_prog_store *s, uint32_t i, void **handle) {
  char name[NAME_BYTES];
  int fd = make_nameless(s->folder);
  if (fd < 0)
    return EYOTI_FAIL(EYOT_ESYS, "cannot make copy %u of the program in %s: %s", i, s->folder,
                      strerror(errno));
  struct sigaction before;
  eyoti_out_begin(&before);
  int rc = copy_to(s, i, fd);
  eyoti_out_end(&before);
  if (rc == 0) {
    name_copy(i, fd, name, sizeof name);
    errno = 0;
    void *h = load(s, i, name, &rc);
    if (h != NULL) *handle = h;
  }
  (void)close(fd);
  return rc;
}
