#!/usr/bin/env bash
# Builds a CUDA program of two files, and a CMake project, twice: with the
# toolkit's nvlink and with twinlink in its place, and compares the device code.
#
#   scripts/nvcc-demo.sh [TOOLKIT]     the folder that holds bin/nvcc; default:
#                                      $TWINLINK_CUDA, or that of the nvcc in PATH
#
# 13.0 as Python wheels: nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt and
# nvidia-cuda-runtime 13.0.88, nvidia-cuda-cccl 13.0.85, unzipped into one
# folder, with lib64 a link to lib.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
toolkit=${1:-${TWINLINK_CUDA:-}}
if [ -z "$toolkit" ]; then
	nvcc=$(command -v nvcc) || { echo "SKIPPED: no nvcc in PATH; give the toolkit's folder" >&2; exit 1; }
	toolkit=$(dirname "$(dirname "$nvcc")")
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
(cd "$root" && go build -o "$work/twinlink" ./cmd/twinlink)
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
# same WHAT A B: the linked device code of two programs.
same() {
	for f in "$2" "$3"; do ./twinlink extract "$f" --member .nv_fatbin -o "$f.d" >"$f.list"; done
	if diff -r "$2.d" "$3.d" >/dev/null; then
		echo "$1: identical, $(wc -l <"$2.list") images"
	else
		# From 13.0 on an image records the folders that nvlink was told.
		for f in "$2.d"/*; do ./twinlink diff --ignore note "$f" "$3.d/$(basename "${f/$2/$3}")" || status=1; done
		[ "$status" = 0 ] && echo "$1: identical but for the folders in the note" || echo "$1: DIFFERENT"
	fi
}
"$toolkit/bin/nvcc" -rdc=true -arch=sm_75 -c a.cu -o a.o
"$toolkit/bin/nvcc" -rdc=true -arch=sm_75 -c b.cu -o b.o
for kit in "$toolkit" "$work/cuda"; do
	name=theirs
	[ "$kit" = "$toolkit" ] || name=ours
	"$kit/bin/nvcc" -arch=sm_75 a.o b.o -o "$name"
done
same "nvcc, two files" theirs ours
if command -v cmake >/dev/null; then
	for kit in "$toolkit" "$work/cuda"; do
		name=cmake-theirs
		[ "$kit" = "$toolkit" ] || name=cmake-ours
		cmake -S . -B "$name.b" -DCMAKE_CUDA_COMPILER="$kit/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75 >"$name.log"
		cmake --build "$name.b" >>"$name.log"
		cp "$name.b/app" "$name"
	done
	same "CMake" cmake-theirs cmake-ours
else
	echo "SKIPPED: no cmake here (a Python wheel: pip install cmake)" >&2
fi
exit $status
