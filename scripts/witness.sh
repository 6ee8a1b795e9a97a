#!/usr/bin/env bash
# Fetches NVIDIA's device tools, the witness, into .witness/<release>/ of this
# project (or into the folder that TWINLINK_WITNESS names):
#
#   scripts/witness.sh [RELEASE ...]     11.8, 12.4, 13.0 where none is named;
#                                        13.5, or "all", only when asked for
#   scripts/witness.sh nvjitlink-13.0    the linker as a library, of one release
#   scripts/witness.sh toolkit-13.0      nvcc and all that it needs (500 MB), for
#                                        "make nvcc-demo" and TWINLINK_CUDA
#   scripts/witness.sh real-cufft-11.8   libraries for corpus/real: cufft-11.8 and
#                                        cufft-12.4 (1 GB to fetch), nvshmem-13.0
#
# "all" is every nvlink and a chosen set of nvJitLink: 12.4, 13.0 and 13.5, which
# have an nvlink to be held against, and the last ones before a change of
# behaviour, 12.0, 12.9 and 13.2. The other releases are fetched by name.
#
# 11.8 and 12.4 come from Debian's own package of the toolkit, 13.0 and 13.5
# from Python wheels: no install step, no root. Where a package comes from is
# the machine's business: Debian's mirror is read from its apt sources (or the
# file that TWINLINK_APT_SOURCES names), the wheels' index from pip's settings.
#
# What is there and says the right version is not fetched again. A release that
# can't be had is said so and the next one tried; the exit status is then 1.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dest=$(realpath -m "${TWINLINK_WITNESS:-$root/.witness}")
tools=(nvlink ptxas cuobjdump nvdisasm fatbinary)

# What each release's tools say of themselves. cuobjdump and nvdisasm are of a
# build of their own; 13.0's are not packaged, 13.2's read its files.
declare -A toolkit=([11.8]=11.8.89 [12.4]=12.4.131 [13.0]=13.0.88 [13.5]=13.5.37)
declare -A readers=([11.8]=11.8.86 [12.4]=12.4.127 [13.0]=13.2.51 [13.5]=13.5.37)
declare -A suite=([11.8]=bookworm [12.4]=trixie)

# The wheels of nvJitLink, one of each release; 12.7 was never packaged.
declare -A jit=([12.0]=12.0.140 [12.1]=12.1.105 [12.2]=12.2.140 [12.3]=12.3.101 [12.4]=12.4.127 [12.5]=12.5.82
	[12.6]=12.6.85 [12.8]=12.8.93 [12.9]=12.9.86 [13.0]=13.0.88 [13.1]=13.1.115 [13.2]=13.2.86 [13.3]=13.3.33
	[13.4]=13.4.92 [13.5]=13.5.37)
chosen=(nvjitlink-12.0 nvjitlink-12.4 nvjitlink-12.9 nvjitlink-13.0 nvjitlink-13.2 nvjitlink-13.5)

# The wheels that make a toolkit in which nvcc compiles, links and is linked.
toolkit_wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.88 nvidia-cuda-cccl==13.0.85)

# Libraries that corpus/real links.
declare -A real_files=([cufft-11.8]='libcufft_static.a libculibos.a' [cufft-12.4]='libcufft_static.a libculibos.a' [nvshmem-13.0]=libnvshmem_device.a)

say() { printf 'witness: %s\n' "$*"; }
complain() { printf 'witness: %s\n' "$*" >&2; }

work= # the one temporary folder; beside the result, so that moving is renaming
cleanup() { if [ -n "$work" ]; then rm -rf "$work"; fi; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# twice COMMAND...: once more where it fails, for the network's sake.
twice() {
	"$@" && return
	complain "failed, trying once more: $*"
	sleep 3
	"$@"
}

# expected RELEASE TOOL: the version that the tool must give.
expected() {
	case $2 in
	cuobjdump | nvdisasm) echo "${readers[$1]}" ;;
	*) echo "${toolkit[$1]}" ;;
	esac
}

# says FILE: the version that the tool gives, nothing where it doesn't run.
says() { "$1" --version 2>/dev/null | sed -n 's/^Cuda compilation tools, release .*, V\([0-9.]*\)[[:space:]]*$/\1/p'; }

# wrong RELEASE FOLDER: prints what is missing there or not as expected.
wrong() {
	local tool want got
	case $1 in
	nvjitlink-*)
		want=${jit[${1#*-}]}
		[ -s "$2/libnvJitLink.so.${want%%.*}" ] || echo "no libnvJitLink.so.${want%%.*}"
		[ "$(cat "$2/version" 2>/dev/null)" = "$want" ] || echo "not marked as $want"
		return
		;;
	real-*)
		for tool in ${real_files[${1#real-}]}; do [ -s "$2/$tool" ] || echo "no $tool"; done
		return
		;;
	toolkit-*)
		for tool in bin/nvcc bin/nvlink bin/ptxas nvvm/bin/cicc include/cuda_runtime.h lib64/libcudadevrt.a lib64/libcudart_static.a; do
			[ -s "$2/$tool" ] || echo "no $tool"
		done
		[ "$(says "$2/bin/nvcc")" = "${toolkit[${1#*-}]}" ] || echo "nvcc is not ${toolkit[${1#*-}]}"
		return
		;;
	esac
	for tool in "${tools[@]}"; do
		want=$(expected "$1" "$tool")
		if [ ! -x "$2/$tool" ]; then
			echo "no $tool"
		else
			got=$(says "$2/$tool") || true
			[ "$got" = "$want" ] || echo "$tool says '$got', not $want"
		fi
	done
	case $1 in
	13.*) [ -s "$2/libcudadevrt.a" ] || echo "no libcudadevrt.a" ;;
	esac
}

# --- Debian packages --------------------------------------------------------

# sources_deb822 SUITE FILE: the stanzas of Debian's main suites, for another
# suite and the component of the toolkit alone: a small index, quickly read.
sources_deb822() {
	awk -v suite="$1" '
	function flush() {
		if (text != "" && base && !off) printf "%sTypes: deb\nSuites: %s\nComponents: non-free\n\n", text, suite
		text = ""; base = 0; off = 0; skip = 0
	}
	/^[ \t\r]*$/ { flush(); next }
	/^#/ { next }
	/^[ \t]/ { if (!skip) text = text $0 "\n"; next }
	{
		field = tolower($1); skip = 0
		if (field ~ /^(types|components|suites):/) skip = 1
		if (field == "enabled:" && tolower($2) ~ /^(no|false|0|off)$/) off = 1
		if (field == "suites:")
			for (i = 2; i <= NF; i++)
				if ($i ~ /^(bullseye|bookworm|trixie|forky|duke|oldoldstable|oldstable|stable|testing|unstable|sid)$/) base = 1
		if (!skip) text = text $0 "\n"
	}
	END { flush() }' "$2"
}

# sources_oneline SUITE FILE: the same for "deb [options] URI suite component...".
sources_oneline() {
	sed -n -E "s/^[[:space:]]*deb[[:space:]]+((\[[^]]*\][[:space:]]+)?[^[:space:]]+)[[:space:]]+(bullseye|bookworm|trixie|forky|duke|oldoldstable|oldstable|stable|testing|unstable|sid)[[:space:]]+main([[:space:]].*)?\$/deb \1 $1 non-free/p" "$2" |
		grep -v ' cdrom:' | sort -u || true
}

# apt_sources SUITE: writes $work/apt.sources or $work/apt.list and prints its
# name. apt tells the two formats apart by the extension.
apt_sources() {
	local file kind
	for file in ${TWINLINK_APT_SOURCES:-/etc/apt/sources.list.d/debian.sources /etc/apt/sources.list}; do
		[ -r "$file" ] || continue
		case $file in
		*.sources)
			kind=sources
			sources_deb822 "$1" "$file" >"$work/apt.$kind"
			;;
		*)
			kind=list
			sources_oneline "$1" "$file" >"$work/apt.$kind"
			;;
		esac
		if [ -s "$work/apt.$kind" ]; then
			echo "$work/apt.$kind"
			return
		fi
	done
	complain "no Debian source found in ${TWINLINK_APT_SOURCES:-/etc/apt}: no packages of $1"
	return 1
}

# debian_package NAME: the package of $work/apt.conf's sources into $work.
debian_package() {
	(cd "$work" && apt-get -q -c "$work/apt.conf" update && apt-get -q -c "$work/apt.conf" download "$1")
}

# from_debian RELEASE: the tools into $work/tools.
from_debian() {
	debian_files "$1" nvidia-cuda-toolkit "${tools[@]/#/./usr/bin/}"
}

# debian_files RELEASE PACKAGE FILE...: files of a package into $work/tools.
debian_files() {
	local package=$2
	local list
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		complain "no apt-get and dpkg-deb here: $1 needs Debian's packages"
		return 1
	fi
	list=$(apt_sources "${suite[$1]}") || return 1
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/tools"
	# Nothing of the system's is touched: not its lists, not its cache, and the
	# hooks that clean them up are left out. apt's own user can't write here, and
	# what apt fetches is signed, so root fetches as root.
	cat >"$work/apt.conf" <<-END
		Dir::Etc::sourcelist "$list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::State::Lists "$work/lists";
		Dir::Cache "$work/cache";
		Acquire::Languages "none";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	END
	twice debian_package "$package" || return 1
	dpkg-deb --fsys-tarfile "$work/$package"_*.deb >"$work/files.tar" || return 1
	shift 2
	tar -xf "$work/files.tar" -C "$work/tools" --transform 's,.*/,,' "$@"
}

# --- Python wheels ----------------------------------------------------------

# wheels RELEASE PACKAGE==VERSION...: downloads into $work/wheels. Sets python.
wheels() {
	local release=$1
	shift
	for python in "${PYTHON:-}" python3 python ""; do
		if [ -n "$python" ] && "$python" -m pip --version >/dev/null 2>&1; then break; fi
	done
	if [ -z "$python" ]; then
		complain "no python3 with pip here: $release comes as Python wheels (Debian: packages python3 and python3-pip)"
		return 1
	fi
	mkdir -p "$work/tools"
	twice "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --no-cache-dir -d "$work/wheels" "$@"
}

# nvjitlink_wheel RELEASE: the library into $work/tools, and its version beside
# it: the library itself says the first two numbers alone.
nvjitlink_wheel() {
	local python='' package=nvidia-nvjitlink v=${jit[${1#*-}]}
	case $v in 12.*) package=nvidia-nvjitlink-cu12 ;; esac
	wheels "$1" "$package==$v" || return 1
	"$python" - "$work" "$v" <<'PY'
import pathlib, sys, zipfile

work, version = sys.argv[1:]
(wheel,) = pathlib.Path(work, "wheels").glob("*.whl")
with zipfile.ZipFile(wheel) as z:
    (name,) = [n for n in z.namelist() if "/lib/libnvJitLink.so." in n]
    pathlib.Path(work, "tools", name.rsplit("/", 1)[1]).write_bytes(z.read(name))
pathlib.Path(work, "tools", "version").write_text(version + "\n")
PY
}

# toolkit_wheel RELEASE: a toolkit's folders into $work/tools.
toolkit_wheel() {
	local python=
	wheels "$1" "${toolkit_wheels[@]}" || return 1
	"$python" - "$work" <<'PY'
import pathlib, sys, zipfile

(work,) = sys.argv[1:]
root = pathlib.Path(work, "tools").resolve()
for wheel in sorted(pathlib.Path(work, "wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as z:
        for info in z.infolist():
            if info.is_dir() or not info.filename.startswith("nvidia/cu13/"):
                continue
            out = (root / info.filename.removeprefix("nvidia/cu13/")).resolve()
            if root not in out.parents:
                sys.exit(f"{wheel.name}: {info.filename} lies outside")
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(z.read(info))
            out.chmod(0o755 if out.parent.name == "bin" else 0o644)
(root / "lib64").symlink_to("lib")
PY
}

# real_library NAME: a library of corpus/real into $work/tools.
real_library() {
	local python= lib=/usr/lib/x86_64-linux-gnu
	case $1 in
	real-cufft-*)
		debian_files "${1#real-cufft-}" nvidia-cuda-dev ".$lib/libcufft_static.a" ".$lib/libculibos.a"
		;;
	real-nvshmem-*)
		wheels "$1" nvidia-nvshmem-cu13==3.8.0 || return 1
		"$python" -m zipfile -e "$work"/wheels/*.whl "$work/unzipped" && mv "$work/unzipped/nvidia/nvshmem/lib/libnvshmem_device.a" "$work/tools/"
		;;
	esac
}

# from_wheels RELEASE: the tools and libcudadevrt.a into $work/tools.
from_wheels() {
	local v=${toolkit[$1]} r=${readers[$1]} python=
	wheels "$1" "nvidia-cuda-nvcc==$v" "nvidia-cuda-runtime==$v" "nvidia-cuda-cuobjdump==$r" "nvidia-cuda-nvdisasm==$r" || return 1
	"$python" - "$work" "${tools[@]}" <<'PY'
import pathlib, sys, zipfile

work, *tools = sys.argv[1:]
for wheel in sorted(pathlib.Path(work, "wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as z:
        for name in z.namelist():
            *_, folder, base = ("/" + name).split("/")
            if (folder == "bin" and base in tools) or (folder == "lib" and base == "libcudadevrt.a"):
                out = pathlib.Path(work, "tools", base)
                out.write_bytes(z.read(name))
                out.chmod(0o755 if folder == "bin" else 0o644)
PY
}

# --- one release ------------------------------------------------------------

fetch() {
	local release=$1 folder=$dest/$1 faults began=$SECONDS version
	version=${real_files[${release#real-}]:-}${toolkit[${release#toolkit-}]:-${jit[${release#*-}]:-}}
	faults=$(wrong "$release" "$folder")
	if [ -z "$faults" ]; then
		say "$release is there ($version)"
		return
	fi
	say "fetching $release ($version) into $folder"
	# Errors are returned by hand: bash has no -e inside the caller's "if".
	mkdir -p "$dest" && work=$(mktemp -d "$dest/.fetch.XXXXXX") || return 1
	case $release in
	nvjitlink-*) nvjitlink_wheel "$release" ;;
	toolkit-*) toolkit_wheel "$release" ;;
	real-*) real_library "$release" ;;
	13.*) from_wheels "$release" ;;
	*) from_debian "$release" ;;
	esac || return 1
	faults=$(wrong "$release" "$work/tools")
	if [ -n "$faults" ]; then
		complain "$release as fetched is not what it should be: ${faults//$'\n'/, }"
		return 1
	fi
	# One rename a file: a linker at work keeps the binary it has started.
	mkdir -p "$folder" && mv -f "$work/tools"/* "$folder/" || return 1
	say "$release is there ($version, $((SECONDS - began)) s)"
}

if [ "$(uname -s)" != Linux ]; then
	complain "the tools are fetched for Linux only"
	exit 1
fi
releases=("$@")
if [ $# = 0 ]; then releases=(11.8 12.4 13.0); fi
if [ "${1:-}" = all ]; then releases=(11.8 12.4 13.0 13.5 "${chosen[@]}"); fi
failed=()
for release in "${releases[@]}"; do
	case $release in
	nvjitlink-*) known=${jit[${release#*-}]:-} ;;
	toolkit-13.0) known=13.0 ;;
	real-*) known=${real_files[${release#real-}]:-} ;;
	*) known=${toolkit[$release]:-} ;;
	esac
	if [ -z "$known" ]; then
		complain "unknown release '$release'; known: 11.8 12.4 13.0 13.5, toolkit-13.0, real-cufft-11.8, real-cufft-12.4, real-nvshmem-13.0 and nvjitlink-N with N of $(printf '%s\n' "${!jit[@]}" | sort -V | tr '\n' ' ')"
		exit 2
	fi
done
for release in "${releases[@]}"; do
	if ! fetch "$release"; then
		failed+=("$release")
	fi
	cleanup
	work=
done
# The process that asks the libraries, beside them: so "go run ./cmd/twinlink" finds it.
if compgen -G "$dest/nvjitlink-*/libnvJitLink.so*" >/dev/null && command -v go >/dev/null; then
	(cd "$root" && go build -o "$dest/twinlink-nvjitlink" ./cmd/twinlink-nvjitlink) || complain "twinlink-nvjitlink was not built: nvJitLink can't be asked"
fi
if [ ${#failed[@]} -gt 0 ]; then
	complain "NOT INSTALLED: ${failed[*]}. Tests that need them will be skipped."
	exit 1
fi
