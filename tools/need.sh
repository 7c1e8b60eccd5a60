#!/bin/sh
# Gets a program or an npm package that tests play against, and prints where it
# is:
#
#	tools/need.sh promtool          the path of the program
#	tools/need.sh npm ws@8.18.0     a folder for NODE_PATH
#
# What is present is used as it is, at once. Else Debian packages are fetched
# with apt-get, npm packages with npm. Daemons are unpacked into a cache and not
# installed: an installation would start them. If something cannot be had, one
# line says why, and the exit status is 1: tests skip then.
#
# The cache is $PLIMSOLL_CACHE, or plimsoll below the user's own.
set -eu

cache=${PLIMSOLL_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/plimsoll}
mkdir -p "$cache"

refuse() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# apt calls apt-get, which waits for its turn and not for a network that is not
# there; and once more with new lists, if the old ones are out of date.
apt() {
	command -v apt-get >/dev/null || refuse "no apt-get here: install $program by hand"
	set -- -qq -y -o DPkg::Lock::Timeout=120 -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"
	env DEBIAN_FRONTEND=noninteractive apt-get "$@" >"$cache/apt.log" 2>&1 && return
	apt-get -qq -o DPkg::Lock::Timeout=120 -o Acquire::http::Timeout=20 update >>"$cache/apt.log" 2>&1 || :
	env DEBIAN_FRONTEND=noninteractive apt-get "$@" >>"$cache/apt.log" 2>&1 ||
		refuse "$program: apt-get: $(grep -m 1 '^E:' "$cache/apt.log" || echo "see $cache/apt.log")"
}

# install [OPTION..] PACKAGE..
install() {
	[ "$(id -u)" = 0 ] || refuse "$program: only root may install: apt-get install $*"
	apt install --no-install-recommends "$@"
}

# installed PACKAGE: for programs that do nothing by themselves.
installed() {
	install "$1"
	command -v "$program" || refuse "$program: not in the package $1"
}

# unpacked PACKAGE PATH: the program at a path inside a package, alone.
unpacked() {
	if [ ! -x "$cache/bin/$program" ]; then
		work=$(mktemp -d "$cache/$1.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		cd "$work"
		apt download "$1"
		dpkg-deb -x "$1"_*.deb .
		[ -x "$2" ] || refuse "$program: not in the package $1"
		mkdir -p "$cache/bin"
		mv "$2" "$cache/bin/$program"
	fi
	if lacks; then
		# shellcheck disable=SC2046 # one word for each
		install --no-upgrade $(apt-cache depends "$1" | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p')
		! lacks || refuse "$program: $(ldd "$cache/bin/$program" | grep -m 1 'not found')"
	fi
	echo "$cache/bin/$program"
}

# lacks: whether a library that the unpacked program is linked with is not here.
# Those may be installed: they start nothing.
lacks() { ldd "$cache/bin/$program" 2>/dev/null | grep -q 'not found'; }

# npm NAME@VERSION: a folder of its own for each, without any script of theirs.
npm() {
	command -v npm >/dev/null || refuse "$1: no npm here"
	dir=$cache/npm/$(echo "$1" | tr / _)
	if [ ! -d "$dir/node_modules" ]; then
		work=$(mktemp -d "$cache/npm.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		command npm install --prefix "$work" --ignore-scripts --no-audit --no-fund --no-save "$1" >"$cache/npm.log" 2>&1 ||
			refuse "$1: npm: $(grep -m 1 -i 'err' "$cache/npm.log" || echo "see $cache/npm.log")"
		mkdir -p "$cache/npm"
		rm -rf "$dir"
		mv "$work" "$dir"
	fi
	echo "$dir/node_modules"
}

[ $# -ge 1 ] || refuse "name a program, or: npm NAME@VERSION"
program=$1
# One at a time: tests of several packages ask at once.
if command -v flock >/dev/null; then
	exec 9>"$cache/lock"
	flock -w 300 9 || refuse "$program: another waits for the network for minutes"
fi
case $program in
npm)
	[ $# = 2 ] || refuse "npm NAME@VERSION"
	npm "$2"
	exit
	;;
esac
if command -v "$program"; then
	exit
fi
case $program in
promtool) unpacked prometheus usr/bin/promtool ;;
haproxy) unpacked haproxy usr/sbin/haproxy ;;
nginx) unpacked nginx usr/sbin/nginx ;;
nghttp | h2load) installed nghttp2-client ;;
openssl) installed openssl ;;
curl) installed curl ;;
node) installed nodejs ;;
python3) installed python3 ;;
*) refuse "$program: not known here; say in tools/need.sh which package has it" ;;
esac
