#!/bin/sh
# Builds the core with AddressSanitizer and UBSan apart from the normal one, and runs the tests on it.
# Usage: PYTHON=.venv/bin/python scripts/sanitize.sh build/sanitize [pytest arguments]
set -eu

folder=$1
shift
compiler=${CXX:-g++}
rm -rf "$folder"
echo "Building the core with sanitizers ..."
"$PYTHON" -m pip -q --disable-pip-version-check install --no-build-isolation --no-deps \
    --target "$folder" --config-settings build-dir=build/sanitize-objects \
    --config-settings cmake.define.FASTGAT_SANITIZE=ON .

# The interpreter is not sanitized, so the runtimes come first by hand; libstdc++ with them, or
# throwing an exception fails before the runtime has found the real __cxa_throw.
for library in libasan.so libubsan.so libstdc++.so; do
    preload="${preload:-} $("$compiler" -print-file-name=$library)"
done
packages=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')

# A block too large is refused as malloc does, which the tests ask for.
# -S: no .pth files, so the finder of the editable install cannot step in front of this build.
run() {
    env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
        PYTHONPATH="$folder:$packages" "$PYTHON" -S "$@"
}
loaded=$(run -c 'import fastgat._core; print(fastgat._core.__file__)')
case $loaded in
*"$folder"*) ;;
*) echo "fastgat: the tests would run on $loaded, not on $folder." >&2; exit 1 ;;
esac
run -m pytest -q tests "$@"
