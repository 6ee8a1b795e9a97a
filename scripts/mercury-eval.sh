#!/usr/bin/env bash
# Fetches wheels with code for sm_100 and up and prints, by family, how many of
# their stored nodes the rules of package mercury make again. Families that rules
# were learned from are printed apart. Some 3 GB; FAMILIES names some alone.
set -euo pipefail
cd "$(dirname "$0")/.."
wheels=${WHEELS:-.wheels}
mkdir -p "$wheels"

unseen="cublas=nvidia-cublas cufft=nvidia-cufft cudss=nvidia-cudss-cu13 npp=nvidia-npp nvjpeg=nvidia-nvjpeg
nvjpeg2k=nvidia-nvjpeg2k-cu13 nvcomp=nvidia-libnvcomp-cu13 nvshmem=nvidia-nvshmem-cu13 bitsandbytes=bitsandbytes
torchao=torchao warp=warp-lang cutensor=cutensor-cu13 custatevec=custatevec-cu13 nvtiff=nvidia-nvtiff-cu13 cuvs=libcuvs-cu13"
learned="cudnn=nvidia-cudnn-cu13 flashinfer=flashinfer-cubin cusolver=nvidia-cusolver
cuequivariance=cuequivariance-ops-cu13 cusparselt=nvidia-cusparselt-cu13 nccl=nvidia-nccl-cu13"

args=()
for pair in $unseen $learned; do
  name=${pair%%=*} package=${pair#*=}
  [[ -z ${FAMILIES:-} || " $FAMILIES " == *" $name "* ]] || continue
  file=$(ls "$wheels/${package//-/_}"-*.whl 2>/dev/null | tail -1 || true)
  if [[ -z $file ]]; then
    pip download --quiet --no-deps --only-binary :all: --python-version 3.12 --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
      --platform manylinux_2_24_x86_64 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --platform any -d "$wheels" "$package"
    file=$(ls "$wheels/${package//-/_}"-*.whl | tail -1)
  fi
  args+=("$name=$file")
done
go run ./selfcheck/survey -learned "$(for p in $learned; do printf '%s,' "${p%%=*}"; done)" "$@" "${args[@]}"
