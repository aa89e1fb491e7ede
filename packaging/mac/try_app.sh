#!/bin/sh
# Tries a finished application on a Mac, with nothing of the builder's environment: where it lies, from another place
# whose path has spaces and other letters than English ones, and from its disk image.
#
#     try_app.sh dist/Espalier.app dist/Espalier.dmg      on the CPU
#     try_app.sh --gpu dist/Espalier.app                  on the GPU, where it lies; machines for building may have none
set -eu
here=$(dirname "$0")
. "$here/common.sh"
device=--cpu
[ "${1:-}" = --gpu ] && { device=; shift; }
[ $# -ge 1 ] || stop "usage: try_app.sh [--gpu] Espalier.app [Espalier.dmg]"
app=${1%/}
image=${2:-}

folder=$(mktemp -d)
mounted=
leave() {
    [ -z "$mounted" ] || hdiutil detach -quiet "$mounted" || true
    rm -rf "$folder"
}
trap leave EXIT

try() {
    echo "$2: $1"
    mkdir -p "$folder/home" "$folder/tmp"
    (cd / && env -i HOME="$folder/home" TMPDIR="$folder/tmp" "$1/Contents/MacOS/Espalier" --self-test ${device:+"$device"}) ||
        stop "The self-test failed ($2)."
}

try "$(cd "$(dirname "$app")" && pwd)/$(basename "$app")" "where it was built"
[ -n "$image" ] || exit 0

elsewhere="$folder/Weiße Schränke 猫"
mkdir -p "$elsewhere"
ditto "$app" "$elsewhere/$(basename "$app")"
try "$elsewhere/$(basename "$app")" "from another place"

mkdir "$folder/image"
hdiutil attach -quiet -nobrowse -readonly -mountpoint "$folder/image" "$image"
mounted="$folder/image"
codesign --verify --deep --strict --verbose=2 "$mounted/$(basename "$app")"
try "$mounted/$(basename "$app")" "from the disk image"
