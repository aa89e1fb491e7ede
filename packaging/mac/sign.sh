#!/bin/sh
# Signs Espalier.app from the inside out, and has the signature checked.
#
#     sign.sh [--dry-run] dist/Espalier.app
#
# ESPALIER_SIGN_IDENTITY names the identity in the keychain ("Developer ID Application: ..."). Without it the signature is
# ad hoc: the program runs on the Mac that made it, and elsewhere once the person allows it.
set -eu
here=$(dirname "$0")
. "$here/common.sh"
[ "${1:-}" = --dry-run ] && { dry_run=yes; shift; }
[ $# = 1 ] || stop "usage: sign.sh [--dry-run] Espalier.app"
app=${1%/}
[ -d "$app/Contents" ] || stop "$app is not an application: it has no folder Contents."

entitlements="$here/entitlements.plist"
program="$app/Contents/MacOS/Espalier"

# The hardened runtime and a timestamp are Apple's conditions for notarising. An ad-hoc signature has no team, so that
# the hardened runtime would refuse the program its own libraries.
sign() {
    if is_adhoc; then
        run codesign --force --timestamp=none --sign - "$@"
    else
        run codesign --force --timestamp --options runtime --sign "$identity" "$@"
    fi
}

is_code() {
    case $(od -An -tx1 -N4 "$1" | tr -d ' \n') in
    cffaedfe | cefaedfe | cafebabe | cafebabf) return 0 ;;
    *) return 1 ;;
    esac
}

# 1. Every library and every other program, those in frameworks with their framework below.
find "$app/Contents" -type f ! -path '*.framework/*' ! -path "$program" | LC_ALL=C sort | while IFS= read -r file; do
    if is_code "$file"; then sign "$file"; fi
done

# 2. Frameworks, the innermost first.
find "$app/Contents" -depth -type d -name '*.framework' | while IFS= read -r framework; do
    sign "$framework"
done

# 3. The program, then the bundle around it: only they carry entitlements.
sign --entitlements "$entitlements" "$program"
sign --entitlements "$entitlements" "$app"

run codesign --verify --deep --strict --verbose=2 "$app"
