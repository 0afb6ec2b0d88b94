/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shared_object.c - what the loader says where there is no memory, and where it is something
 * else; paths of eyot's own shared objects. */
#include <eyot/types.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/shared_object.h"

static void lack_of_memory_is_known_by_its_words(void **state) {
  (void)state;
  assert_true(eyoti_shared_object_lacks_memory("/x.so: failed to map segment from shared object"));
  assert_true(eyoti_shared_object_lacks_memory("x.so: cannot create shared object descriptor"));
  assert_true(eyoti_shared_object_lacks_memory("x.so: mmap: Cannot allocate memory"));
  assert_false(eyoti_shared_object_lacks_memory(
      "/x.so: failed to map segment from shared object: Operation not permitted"));
  assert_false(eyoti_shared_object_lacks_memory("x.so: cannot open shared object file"));
  assert_false(eyoti_shared_object_lacks_memory(NULL));
}

static void path_is_in_the_folder_that_is_given(void **state) {
  char path[32], little[4];
  (void)state;
  assert_int_equal(setenv("EYOT_FABRIC_DIR", "/opt/eyot", 1), 0);
  assert_int_equal(eyoti_shared_object_path("a.so", path, sizeof path), EYOT_OK);
  assert_string_equal(path, "/opt/eyot/a.so");
  assert_int_equal(eyoti_shared_object_path("a.so", little, sizeof little), EYOT_EFABRIC);
  assert_int_equal(unsetenv("EYOT_FABRIC_DIR"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lack_of_memory_is_known_by_its_words),
      cmocka_unit_test(path_is_in_the_folder_that_is_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
