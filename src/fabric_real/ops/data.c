/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c - see data.h.
 *
 * The pages move after MPI_Init, because the name of the node's memory and the units that share it
 * are not known before, and before anything of the program can have been given to MPI. */
#include "fabric_real/ops/data.h"

#include <dirent.h>
#include <link.h>

#include "base/conf.h"
#include "fabric_real/mem/over.h"
#include "fabric_real/ops/segment.h"

/* The first object of the loader's list is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(char **)base = (char *)info->dlpi_addr;
  return 1;
}

static uint32_t count_threads(void) {
  uint32_t n = 0;
  DIR *d = opendir("/proc/self/task");
  if (d == NULL) return 1;
  for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) n += e->d_name[0] != '.';
  (void)closedir(d);
  return n;
}

int fmpi_data_find(struct fmpi *f) {
  uint64_t wanted;
  char *base = NULL;
  if (eyoti_conf_u64_quiet(EYOTI_CONF_DATA, &wanted) != EYOT_OK)
    return EYOT_OK; /* reported later */
  if (wanted == EYOTI_DATA_OFF || (wanted == EYOTI_DATA_AUTO && !eyoti_image_asked()))
    return EYOT_OK;
  EYOTI_TRY(eyoti_image_open("/proc/self/exe", &f->data.image));
  (void)dl_iterate_phdr(find_program, &base);
  f->data.own = base + f->data.image->lo;
  f->data.threads = count_threads() > 1;
  return EYOT_OK;
}

uint64_t fmpi_data_word(const struct fmpi *f) {
  return f->data.image != NULL ? f->data.image->id | 1 : 0;
}

int fmpi_data_open(struct fmpi *f) {
  const struct fmpi_over over = {.image = f->data.image, .own = f->data.own};
  if (over.image == NULL) return EYOT_OK;
  if (!f->job.own_mpi && f->job.pins)
    return EYOTI_FAIL(EYOT_ESTATE,
                      "the program has initialized MPI itself, whose network may know pages of the "
                      "program's data: leave MPI_Init to eyot_init, or set EYOT_DATA=off");
  if (f->data.threads && f->fab.me == 0)
    eyoti_log(
        EYOTI_LOG_WARN, "eyot_init", 0,
        "the program has several threads already: what one of them writes to global or static "
        "objects while these move to shared memory may be lost; start threads later");
  uint64_t len = over.image->hi - over.image->lo;
  return fmpi_seg_over(f, len, len, &over, &f->data.seg);
}

void fmpi_data_close(struct fmpi *f) {
  eyoti_image_close(f->data.image);
  f->data.image = NULL;
}

bool fmpi_seg_data_known(const struct fab *fab, struct fab_data *data) {
  const struct fmpi *f = (const struct fmpi *)(const void *)fab;
  if (f->data.image == NULL) return false;
  *data = (struct fab_data){.seg = f->data.seg,
                            .own = f->data.own,
                            .len = f->data.image->hi - f->data.image->lo,
                            .image = f->data.image};
  return true;
}

int fmpi_seg_data(struct fab *fab, struct fab_data *data) {
  if (!fmpi_seg_data_known(fab, data))
    return EYOTI_FAIL(
        EYOT_ENOTSUP,
        "the program's data is not shared: EYOT_DATA is off, or the code that uses it "
        "was loaded after eyot_init; set EYOT_DATA=on");
  return EYOT_OK;
}
