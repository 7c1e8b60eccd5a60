#!/bin/sh
# Tidies go.mod and go.sum of every module, or with -check only says whether
# they are tidy. `go mod tidy` knows no workspace and would ask the network for
# the library, which is not published: so it works on a copy of go.mod that
# replaces the library, and what of it is a module of its own, by this folder,
# and the copy goes back without that.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
library=$(GOWORK=off go list -m)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
untidy=0
for dir in $(go list -m -f '{{.Dir}}'); do
	rm -f "$copy/go.mod" "$copy/go.sum"
	cp "$dir/go.mod" "$copy/go.mod"
	[ ! -f "$dir/go.sum" ] || cp "$dir/go.sum" "$copy/go.sum"
	if [ "$dir" != "$root" ]; then
		for module in "" /grpcgate; do
			go mod edit -replace "$library$module@v0.0.0=$root$module" "$copy/go.mod"
		done
	fi
	go -C "$dir" mod tidy -modfile "$copy/go.mod"
	for module in "" /grpcgate; do
		go mod edit -dropreplace "$library$module@v0.0.0" "$copy/go.mod"
	done
	for file in go.mod go.sum; do
		[ -f "$copy/$file" ] || [ -f "$dir/$file" ] || continue
		if [ "${1-}" != -check ]; then
			cp "$copy/$file" "$dir/$file"
		elif ! diff -u "$dir/$file" "$copy/$file"; then
			untidy=1
		fi
	done
done
if [ "${1-}" != -check ]; then
	rm -f go.work.sum # and write it anew: what the workspace needs beyond each go.sum
	go list -m all >/dev/null
	go list -deps -test work tool >/dev/null
elif [ "$untidy" = 1 ]; then
	echo "go.mod or go.sum is not tidy: run make tidy" >&2
	exit 1
fi
