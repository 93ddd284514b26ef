#!/bin/sh
# Says in one sentence each what the build lacks, and fails if anything does.
# Usage: scripts/preflight.sh [python]

python=${1:-python3}
missing=0

complain() {
    echo "fastgat: $1" >&2
    missing=1
}

# Prints one word for each thing this Python lacks; kept to syntax that old Pythons parse.
ask_python='
import os, sys, sysconfig
if tuple(sys.version_info)[:2] < (3, 11): print("old:%d.%d" % tuple(sys.version_info)[:2])
try: import ensurepip, venv
except ImportError: print("venv")
if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")): print("headers")
'

if ! command -v "$python" >/dev/null 2>&1; then
    complain "there is no $python: install Python 3.11 or newer, or name one with PYTHON=/path/to/python3."
elif ! lacks=$("$python" -c "$ask_python"); then
    complain "$python does not run: name a working Python 3.11 or newer with PYTHON=/path/to/python3."
else
    for lack in $lacks; do
        case $lack in
        old:*) complain "$python is Python ${lack#old:}, but 3.11 or newer is needed: name one with PYTHON=/path/to/python3." ;;
        venv) complain "$python has no venv or ensurepip module: install python3-venv (Debian, Ubuntu) or a full Python." ;;
        headers) complain "$python has no header file Python.h: install python3-dev (Debian, Ubuntu) or python3-devel (Fedora)." ;;
        esac
    done
fi

compiler=
for candidate in ${CXX:-c++ g++ clang++}; do
    if command -v "$candidate" >/dev/null 2>&1; then compiler=$candidate; break; fi
done
if [ -z "$compiler" ]; then
    complain "there is no C++ compiler (looked for ${CXX:-c++, g++, clang++}): install g++ 11 or newer, or name one with CXX=."
fi

exit $missing
