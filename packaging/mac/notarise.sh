#!/bin/sh
# Has Apple notarise a signed application or disk image, and staples the ticket to it.
#
#     notarise.sh [--dry-run] dist/Espalier.app | dist/Espalier.dmg
#
# Credentials come from the environment, and only names of them reach a command line: ESPALIER_NOTARY_PROFILE is a
# profile that `xcrun notarytool store-credentials` has put into the keychain; or ESPALIER_NOTARY_KEY is the path of an
# App Store Connect key (.p8), with ESPALIER_NOTARY_KEY_ID and ESPALIER_NOTARY_ISSUER.
set -eu
here=$(dirname "$0")
. "$here/common.sh"
[ "${1:-}" = --dry-run ] && { dry_run=yes; shift; }
[ $# = 1 ] || stop "usage: notarise.sh [--dry-run] Espalier.app or Espalier.dmg"
what=${1%/}
[ -e "$what" ] || stop "There is no $what."
is_adhoc && stop "Apple notarises only what is signed with an identity of its own: set ESPALIER_SIGN_IDENTITY and sign first."

if [ -n "${ESPALIER_NOTARY_PROFILE:-}" ]; then
    set -- --keychain-profile "$ESPALIER_NOTARY_PROFILE"
elif [ -n "${ESPALIER_NOTARY_KEY:-}" ] && [ -n "${ESPALIER_NOTARY_KEY_ID:-}" ] && [ -n "${ESPALIER_NOTARY_ISSUER:-}" ]; then
    set -- --key "$ESPALIER_NOTARY_KEY" --key-id "$ESPALIER_NOTARY_KEY_ID" --issuer "$ESPALIER_NOTARY_ISSUER"
else
    stop "No credentials for notarising: set ESPALIER_NOTARY_PROFILE, or ESPALIER_NOTARY_KEY with its _KEY_ID and _ISSUER."
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $what in
*.app)
    upload="$folder/$(basename "$what").zip"
    [ -z "$dry_run" ] || upload="$(basename "$what").zip"
    kind=execute
    run ditto -c -k --keepParent "$what" "$upload"
    ;;
*)
    upload=$what
    kind=open
    ;;
esac

# notarytool may end with 0 although Apple said no, so that its answer is read.
if [ -n "$dry_run" ]; then
    run xcrun notarytool submit "$upload" "$@" --wait --timeout 30m
else
    status=0
    xcrun notarytool submit "$upload" "$@" --wait --timeout 30m >"$folder/answer" 2>&1 || status=$?
    cat "$folder/answer"
    if [ "$status" != 0 ] || ! grep -q 'status: Accepted' "$folder/answer"; then
        id=$(sed -n 's/^ *id: *//p' "$folder/answer" | head -n 1)
        [ -z "$id" ] || xcrun notarytool log "$id" "$@" || true
        stop "Apple did not notarise $what."
    fi
fi
run xcrun stapler staple "$what"
run xcrun stapler validate "$what"
if [ "$kind" = open ]; then
    run spctl --assess --type open --context context:primary-signature --verbose=2 "$what"
else
    run spctl --assess --type execute --verbose=2 "$what"
fi
