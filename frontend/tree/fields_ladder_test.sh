#!/usr/bin/env bash
# The checked-in ladder is what its script writes.
diff <("$(dirname "$0")/make_fields.sh") "$(dirname "$0")/nacre/detail/fields_ladder.h"
