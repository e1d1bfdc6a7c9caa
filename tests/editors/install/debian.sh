# Programs of another Debian suite, unpacked beside the system: nothing is installed, no maintainer
# script runs, and the machine's own package state is neither read nor written. Sourced by `run`.

# The archive this machine already uses; the tests bring no address of their own.
debian_mirror() {
  grep -rhoE 'https?://[^ ]+/debian/?$|https?://[^ ]+/debian/? ' /etc/apt/ 2>/dev/null | head -n 1 | tr -d ' '
}

# debian_unpack FOLDER "SUITE..." PACKAGE...: the packages with all they depend on, into FOLDER. Each
# argument may say which suite it comes from (emacs-nox/bookworm-backports).
debian_unpack() {
  local folder=$1 suites=$2 mirror state suite
  shift 2
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || { echo "No Debian archive is configured on this machine." >&2; return 1; }
  state=$(mktemp -d)
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$folder"
  # An empty list of installed packages: every dependency is fetched, so the folder stands alone.
  : >"$state/status"
  for suite in $suites; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
  done >"$state/sources.list"
  local options=(
    -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State=$state" -o "Dir::State::status=$state/status"
    -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache"
    -o APT::Install-Recommends=false -o APT::Sandbox::User= -o Debug::NoLocking=1
    -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3
  )
  local failed=0
  { apt-get "${options[@]}" update -qq &&
    apt-get "${options[@]}" install -y --download-only "$@"; } >"$state/log" 2>&1 || failed=1
  if [ $failed = 0 ]; then
    local package
    for package in "$state"/cache/archives/*.deb; do dpkg -x "$package" "$folder" || failed=1; done
  else
    tail -n 20 "$state/log" >&2
  fi
  rm -rf "$state"
  # Since the merge of /usr these are links that a package's post-installation step would make.
  local name
  for name in bin lib lib64; do [ -e "$folder/$name" ] || ln -s "usr/$name" "$folder/$name"; done
  return $failed
}

# debian_stand_alone FOLDER PROGRAM NEW PATCHELF: a copy of FOLDER/PROGRAM at FOLDER/NEW that uses
# FOLDER's own loader and libraries, because the system's C library may be older than it needs.
debian_stand_alone() {
  local folder program=$2 new=$3 patchelf=$4 loader
  folder=$(readlink -f "$1")
  loader=$(find "$folder/" -name 'ld-linux-*.so.*' -print -quit)
  cp -f "$(readlink -f "$folder/$program")" "$folder/$new"
  local libraries
  libraries=$(find "$folder/usr/lib" "$folder/lib" -maxdepth 1 -type d -name '*-linux-gnu' | paste -sd:)
  "$patchelf" --force-rpath --set-rpath "$libraries" --set-interpreter "$loader" "$folder/$new"
}
