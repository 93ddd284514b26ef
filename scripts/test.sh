#!/bin/sh
# Runs the tests in two halves at once, since one alone leaves a core idle: sh scripts/test.sh PYTHON
# Tests of signals stay in the foreground: a shell lets its background ignore Ctrl-C.
set -u
python=$1
half="tests/nn tests/core tests/report tests/experiments tests/pyg tests/graph tests/sparsify
    tests/spectral tests/contracts"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

ignored=""
for folder in $half; do ignored="$ignored --ignore=$folder"; done
# shellcheck disable=SC2086
"$python" -m pytest -q $half >"$log" 2>&1 &
background=$!
# shellcheck disable=SC2086
"$python" -m pytest -q $ignored
first=$?
wait "$background"
second=$?
cat "$log"
[ "$first" -eq 0 ] && [ "$second" -eq 0 ]
