#!/bin/sh
# Makes a disk image with the application and a link to the folder Applications.
#
#     make_dmg.sh [--dry-run] dist/Espalier.app dist/Espalier.dmg
#
# With ESPALIER_SIGN_IDENTITY the image is signed too.
set -eu
here=$(dirname "$0")
. "$here/common.sh"
[ "${1:-}" = --dry-run ] && { dry_run=yes; shift; }
[ $# = 2 ] || stop "usage: make_dmg.sh [--dry-run] Espalier.app Espalier.dmg"
app=${1%/}
image=$2
[ -d "$app/Contents" ] || stop "$app is not an application: it has no folder Contents."

if [ -n "$dry_run" ]; then
    folder=dmg
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

# ditto keeps links, execute bits and signatures; cp -R would not keep all of them.
run ditto "$app" "$folder/$(basename "$app")"
run ln -s /Applications "$folder/Applications"

# A busy virtual disk makes hdiutil fail now and then, for a moment.
create() {
    run hdiutil create -volname Espalier -srcfolder "$folder" -fs HFS+ -format UDZO -ov "$image"
}
create || { sleep "${ESPALIER_DMG_PAUSE:-5}" && create; } || { sleep "${ESPALIER_DMG_PAUSE:-5}" && create; } ||
    stop "hdiutil could not make $image."
run hdiutil verify "$image"
is_adhoc || run codesign --force --timestamp --sign "$identity" "$image"
