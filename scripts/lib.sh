# What the scripts of this folder share. Bash; read by `.`, not run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
me=$(basename "$0")

# The examples that set a patch's simulated figures beside its published ones, in the order in which
# scripts/reproduce plays them.
# shellcheck disable=SC2034
patch_examples="sit-lockless-xmit lock-scaling saddr-rcu tun-read-wakeup vlan-offload"

# What pip fetches. --no-deps: the wheel of ns-3 without the compiler of its Python bindings. The
# release of clang-format decides what is well formatted, so it is pinned.
# shellcheck disable=SC2034
ns3_packages="--no-deps ns3==3.44.*"
# shellcheck disable=SC2034
json_packages="--no-deps nlohmann-json"
# shellcheck disable=SC2034
tool_packages="clang-format==20.1.8 ruff==0.17.* mypy==2.4.* pandas-stubs types-PyYAML pytest"
# What clusters need, for the tests.
# shellcheck disable=SC2034
cluster_packages="dask[distributed] dask-jobqueue"
# What Python calls C++ with: compiled where pip fetches it, which takes minutes.
# shellcheck disable=SC2034
bindings_packages="cppyy==3.5.*"

# say TEXT...: a line of progress; standard output is left for results.
say() {
    printf '%s\n' "$*" >&2
}

# die CODE TEXT...: one line, and the end. 2: what was typed is wrong; 1: something did not work.
die() {
    local code=$1
    shift
    printf '%s: %s\n' "$me" "$*" >&2
    exit "$code"
}

# need_tool TOOL PACKAGE: end with a word on what to install when TOOL is missing.
need_tool() {
    command -v "$1" >/dev/null 2>&1 ||
        die 1 "$1 is missing; install it first (Debian, Ubuntu: apt-get install $2)"
}

# only_one: two runs at a time would build into one folder.
only_one() {
    mkdir -p "$root/build-test"
    exec 9>"$root/build-test/lock"
    ! command -v flock >/dev/null 2>&1 || flock -n 9 || die 1 "another run in this folder is still at work"
}

need_compiler() {
    need_tool cmake cmake
    command -v "${CXX:-c++}" >/dev/null 2>&1 ||
        die 1 "a C++ compiler is missing; install it first (Debian, Ubuntu: apt-get install g++)"
    command -v ninja >/dev/null 2>&1 || need_tool make make
}

jobs_count() {
    nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# log_tail FILE: the end of a log, for an error.
log_tail() {
    tail -n "${2:-25}" "$1" | sed 's/^/    /' >&2
}

# venv ARGUMENT...: see that `pip install ARGUMENT...` was done in the local virtual environment,
# .venv. A stamp says what was, and where the folder stood (a virtual environment cannot be moved):
# without it, what an interrupted run left is made again.
venv() {
    local stamp=$root/.venv/complete log=$root/build-test/pip.log
    local packages="$*"
    packages=${packages#--no-deps}
    packages=${packages/#--editable*/what the command linuxhost needs}
    if ! grep -qxF "in $root" "$stamp" 2>/dev/null || ! "$root/.venv/bin/python" -c '' 2>/dev/null; then
        need_tool python3 python3
        python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
            die 1 "$(python3 --version 2>&1) is too old; Python 3.10 or newer is needed"
        python3 -c 'import ensurepip, venv' 2>/dev/null ||
            die 1 "Python's venv module is missing; install it first (Debian, Ubuntu: apt-get install python3-venv)"
        say "      making a virtual environment in .venv"
        mkdir -p "$root/build-test"
        rm -rf "$root/.venv"
        python3 -m venv "$root/.venv" >"$log" 2>&1 </dev/null || {
            log_tail "$log"
            die 1 "python3 -m venv did not work (above: its last lines)"
        }
        echo "in $root" >"$stamp"
    fi
    grep -qxF -- "$*" "$stamp" && return 0
    say "      fetching ${packages# }"
    mkdir -p "$root/build-test"
    "$root/.venv/bin/python" -m pip install --disable-pip-version-check "$@" >"$log" 2>&1 </dev/null || {
        log_tail "$log" 8
        die 1 "pip could not fetch ${packages# } (above: its last lines)"
    }
    echo "$*" >>"$stamp"
}

# python_package: see that the command linuxhost is in the local virtual environment, and runs what
# is in this folder. With other needs in pyproject.toml it is installed again.
python_package() {
    local needs
    needs=$(cksum <"$root/pyproject.toml")
    grep -qxF "needs ${needs% *}" "$root/.venv/complete" 2>/dev/null && [ -x "$root/.venv/bin/linuxhost" ] && return 0
    # The stamp of venv knows what pip was told, not that pyproject.toml says something else now.
    [ ! -f "$root/.venv/complete" ] || sed -i.old '/^--editable /d; /^needs /d' "$root/.venv/complete"
    venv --editable "$root"
    echo "needs ${needs% *}" >>"$root/.venv/complete"
}

# configure FOLDER OPTION...: set up a CMake build of the repository. What CMake prints goes to a log
# and is shown when it fails.
configure() {
    local folder=$1 log=$1/configure.log
    shift
    mkdir -p "$folder"
    # A folder that was set up for another place or copied from there is of no use.
    if [ -f "$folder/CMakeCache.txt" ] &&
        { ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt" ||
            ! grep -qx "CMAKE_CACHEFILE_DIR:INTERNAL=$folder" "$folder/CMakeCache.txt"; }; then
        rm -rf "$folder"
        mkdir -p "$folder"
    fi
    local generator=()
    if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
        generator=(-G Ninja)
    fi
    if command -v ccache >/dev/null 2>&1; then
        generator+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    (cd "$folder" && cmake "${generator[@]}" "$@" "$root") >"$log" 2>&1 </dev/null
}

# build FOLDER [TARGET]: build it with as many jobs as there are CPUs.
build() {
    (cd "$1" && cmake --build . ${2:+--target "$2"} -- -j "$(jobs_count)") </dev/null
}

# built_examples: the names of the examples that build/ has.
built_examples() {
    local file
    for file in "$root"/build/examples/*; do
        if [ -f "$file" ] && [ -x "$file" ]; then
            basename "$file"
        fi
    done
}
