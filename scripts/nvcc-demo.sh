#!/usr/bin/env bash
# Builds a CUDA program of two files, and a CMake project, twice: with the
# toolkit's nvlink and with twinlink in its place, and compares the device code.
#
#   scripts/nvcc-demo.sh [TOOLKIT]     the folder that holds bin/nvcc; default:
#                                      $TWINLINK_CUDA, or that of the nvcc in PATH,
#                                      or 13.0 as scripts/witness.sh fetches it
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
toolkit=${1:-${TWINLINK_CUDA:-}}
if [ -z "$toolkit" ]; then
	if nvcc=$(command -v nvcc); then
		toolkit=$(dirname "$(dirname "$nvcc")")
	else
		"$root/scripts/witness.sh" toolkit-13.0 || { echo "SKIPPED: no nvcc in PATH, and none could be fetched: give the toolkit's folder" >&2; exit 1; }
		toolkit=$(realpath -m "${TWINLINK_WITNESS:-$root/.witness}")/toolkit-13.0
	fi
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
(cd "$root" && go build -o "$work" ./cmd/twinlink ./cmd/twinlink-nvlink)
./twinlink as-nvlink --toolkit "$toolkit" cuda
cat >a.cu <<'CU'
extern __device__ int twice(int);
__global__ void run(int *p) { *p = twice(*p); }
int main() { run<<<1, 1>>>(nullptr); return 0; }
CU
cat >b.cu <<'CU'
__device__ int factor = 2;
__device__ int twice(int x) { return x * factor; }
__global__ void unused(int *p) { *p = 5; }
CU
cat >CMakeLists.txt <<'CM'
cmake_minimum_required(VERSION 3.20)
project(demo LANGUAGES CXX CUDA)
add_library(part STATIC b.cu)
add_executable(app a.cu)
set_target_properties(part app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(app PRIVATE part)
CM
status=0
# same WHAT PROGRAM: the linked device code in theirs/PROGRAM and ours/PROGRAM.
same() {
	local side f
	for side in theirs ours; do ./twinlink extract "$side/$2" --member .nv_fatbin -o "$side/$2.d" >"$side/$2.list"; done
	if diff -r "theirs/$2.d" "ours/$2.d" >/dev/null; then
		echo "$1: identical, images: $(wc -l <"theirs/$2.list")"
		return
	fi
	# From 13.0 on an image records the folders that nvlink was told.
	for f in "theirs/$2.d"/*; do
		./twinlink diff --ignore note "$f" "ours/$2.d/$(basename "$f")" || { echo "$1: DIFFERENT"; status=1; return; }
	done
	echo "$1: identical but for the folders in the note, images: $(wc -l <"theirs/$2.list")"
}
mkdir theirs ours
"$toolkit/bin/nvcc" -rdc=true -arch=sm_75 -c a.cu -o a.o
"$toolkit/bin/nvcc" -rdc=true -arch=sm_75 -c b.cu -o b.o
for kit in "$toolkit" "$work/cuda"; do
	name=theirs
	[ "$kit" = "$toolkit" ] || name=ours
	"$kit/bin/nvcc" -arch=sm_75 a.o b.o -o "$name/two"
done
same "nvcc, two files" two
if command -v cmake >/dev/null; then
	for kit in "$toolkit" "$work/cuda"; do
		name=theirs
		[ "$kit" = "$toolkit" ] || name=ours
		cmake -S . -B "$name/build" -DCMAKE_CUDA_COMPILER="$kit/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75 >"$name/log"
		cmake --build "$name/build" >>"$name/log"
		cp "$name/build/app" "$name/cmake"
	done
	same "CMake" cmake
else
	echo "SKIPPED: no cmake here (a Python wheel: pip install cmake)" >&2
fi
exit $status
