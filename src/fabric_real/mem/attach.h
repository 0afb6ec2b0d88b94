/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.h - attached memory: a unit's own memory, which others access by a key. */
#ifndef EYOT_FABRIC_REAL_MEM_ATTACH_H
#define EYOT_FABRIC_REAL_MEM_ATTACH_H

#include "fabric_real/endpoint/endpoint.h"

struct fmpi_attached {
  uint64_t addr, len;
  uint32_t count; /* how often it was attached */
};

/* Collective. by_message: through attach_message.h, not through a dynamic window. */
int fmpi_attach_open(struct fmpi *f, bool by_message);
int fmpi_attach_close(struct fmpi *f);
bool fmpi_is_attached(const struct fmpi *f, uint64_t from, uint64_t len); /* by this unit */
int fmpi_attach_resolve(struct fmpi *f, struct fab_addr a, uint64_t len, struct fmpi_at *at);

/* fab_ops */
int fmpi_attach(struct fab *fab, void *addr, uint64_t len, uint64_t *key);
int fmpi_detach(struct fab *fab, uint64_t key);
#endif
