/* SPDX-License-Identifier: BSD-3-Clause */
/* torus.c - dimension-order routes on a 3D torus; router = x + size[0] * (y + size[1] * z). See
 * torus.h. */
#include "fabric_sim/machine/torus.h"

#include "base/check.h"

void sim_torus_init(struct sim_torus *t, const uint32_t size[SIM_TORUS_DIMS]) {
  t->routers = 1;
  for (uint32_t d = 0; d < SIM_TORUS_DIMS; d++) {
    EYOTI_ASSERT(size[d] >= 1 && size[d] <= SIM_TORUS_SIZE_MAX);
    t->size[d] = size[d];
    t->routers *= size[d];
  }
  t->links = t->routers * 2 * SIM_TORUS_DIMS;
}

void sim_torus_box(uint32_t routers, const uint32_t least[SIM_TORUS_DIMS],
                   const uint32_t most[SIM_TORUS_DIMS], uint32_t size[SIM_TORUS_DIMS]) {
  uint32_t x = least[0], y = least[1], z = least[2];
  while (x * x * x < routers && x < most[0]) x++;
  while (x * y * y < routers && y < most[1]) y++;
  while (x * y * z < routers && z < most[2]) z++;
  while (x * y * z < routers && y < most[1]) y++;
  while (x * y * z < routers && x < most[0]) x++;
  EYOTI_ASSERT(routers >= 1 && x * y * z >= routers);
  size[0] = x, size[1] = y, size[2] = z;
}

uint32_t sim_torus_in_box(const struct sim_torus *t, const uint32_t box[SIM_TORUS_DIMS],
                          uint32_t i) {
  uint32_t x = i % box[0], y = i / box[0] % box[1], z = i / box[0] / box[1];
  EYOTI_ASSERT(z < box[2]);
  return x + t->size[0] * (y + t->size[1] * z);
}

static uint32_t neighbor(uint32_t at, uint32_t size, uint32_t negative) {
  return negative != 0 ? (at == 0 ? size - 1 : at - 1) : (at + 1 == size ? 0 : at + 1);
}

/* Returns the next router from one whose coordinate in a dimension with this stride is `at`. */
static uint32_t torus_step(uint32_t router, uint32_t at, uint32_t size, uint32_t stride,
                           uint32_t negative) {
  return router - at * stride + neighbor(at, size, negative) * stride;
}

uint32_t sim_torus_route(const struct sim_torus *t, uint32_t src, uint32_t dst,
                         uint32_t links[SIM_TORUS_HOPS_MAX]) {
  uint32_t n = 0, here = src, stride = 1;
  for (uint32_t d = 0; d < SIM_TORUS_DIMS; d++) {
    uint32_t size = t->size[d], at = src / stride % size, to = dst / stride % size;
    uint32_t forward = to >= at ? to - at : to + size - at;
    uint32_t negative = (uint32_t)(forward > size - forward),
             steps = negative != 0 ? size - forward : forward;
    for (; steps > 0; steps--) {
      links[n++] = here * 2 * SIM_TORUS_DIMS + d * 2 + negative;
      here = torus_step(here, at, size, stride, negative);
      at = neighbor(at, size, negative);
    }
    stride *= size;
  }
  return n;
}

void sim_torus_link(const struct sim_torus *t, uint32_t link, uint32_t *from, uint32_t *to,
                    uint32_t *dim) {
  EYOTI_ASSERT(link < t->links);
  uint32_t router = link / (2 * SIM_TORUS_DIMS), d = link / 2 % SIM_TORUS_DIMS, stride = 1;
  for (uint32_t i = 0; i < d; i++) stride *= t->size[i];
  *from = router;
  *to = torus_step(router, router / stride % t->size[d], t->size[d], stride, link % 2);
  *dim = d;
}
