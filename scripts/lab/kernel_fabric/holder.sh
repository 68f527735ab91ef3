# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# The processes around a lab. Outside: this script and `unshare`, the keeper; inside: this script once
# more as process 1 of a private pid, mount and network namespace. When the keeper dies, process 1
# is killed, and with it every process of the lab; the kernel then drops namespaces and links.

# Where a lab keeps its state, inside: a tmpfs of its own.
readonly lab_folder=/run/weft-lab
readonly grace_seconds=10

# ---- What this machine can do

# Root needs no user namespace, and without one keeps its hand on other users' files.
choose_unshare_flags() {
  unshare_flags=(--net --mount --pid --fork --kill-child --mount-proc)
  ((EUID == 0)) && unshare "${unshare_flags[@]}" true 2>/dev/null && return
  unshare_flags+=(--user --map-root-user)
  unshare_problem=$(unshare "${unshare_flags[@]}" true 2>&1)
}

check_machine() {
  local tool missing=()
  for tool in ip tc nft jq unshare nsenter setpriv setsid flock; do
    type -P "$tool" >/dev/null || missing+=("$tool")
  done
  ((${#missing[@]} == 0)) ||
    die 1 "not found: ${missing[*]} (Debian: iproute2, nftables, jq, util-linux)"
  type -P weft-topo >/dev/null ||
    die 1 'weft-topo: not found in WEFT_BIN, build/release/bin or PATH (has it been built?)'
  choose_unshare_flags || die 1 "this machine gives no private namespaces: $unshare_problem"
}

# ---- Signals

# Whether the terminal itself sends Ctrl-C to all of us.
in_foreground() {
  local stat group terminal foreground
  read -r stat </proc/self/stat
  read -r _ _ group _ terminal foreground _ <<<"${stat##*) }"
  ((terminal != 0 && foreground == group))
}

child_of() {  # PID
  local status
  status=$(grep -ls "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status | head -n 1)
  [[ -n $status ]] && basename -- "${status%/status}"
}

# Whether a parent of one child is past it: the child is ending (it has no root folder any more), or has
# ended and been waited for (the parent's account then shows page faults of children).
is_over() {  # PARENT CHILD-IF-ANY
  local stat faults
  if [[ -n $2 ]]; then
    ! readlink "/proc/$2/root" >/dev/null 2>&1
  elif read -r stat 2>/dev/null <"/proc/$1/stat"; then
    read -r _ _ _ _ _ _ _ _ faults _ <<<"${stat##*) }"
    ((faults > 0))
  fi
}

# Passes a signal on to process 1. Until that listens it would ignore it, and nothing is lost by ending
# it. After that Ctrl-C is for the lab's command alone, and its exit code is the lab's even where it
# ends before we have looked.
tell_lab() {  # SIGNAL RECORDER
  local keeper first=''
  keeper=$(child_of "$2") || true
  [[ -z $keeper ]] || first=$(child_of "$keeper") || true
  if [[ -z $first || ! -e /proc/$first/root$lab_folder/listening ]]; then
    ended=$((128 + $(kill -l "$1")))
    is_over "${keeper:-$2}" "$first" && return 0
    kill -KILL "${keeper:-$2}" 2>/dev/null || true
  elif [[ $1 == TERM ]] || ! in_foreground; then
    kill -s "${1/INT/USR1}" "$first" 2>/dev/null || true
  fi
}

tell_entered() {  # SIGNAL RECORDER
  [[ $1 == INT ]] && in_foreground && return
  local entrance command=''
  entrance=$(child_of "$2") || true
  [[ -z $entrance ]] || command=$(child_of "$entrance") || true
  if [[ -n $command ]]; then
    kill -s "$1" "$command" 2>/dev/null || true
  elif ! is_over "${entrance:-$2}" ''; then
    ended=$((128 + $(kill -l "$1")))
    kill -KILL "$2" 2>/dev/null || true
  fi
}

# ---- A command whose exit code is sure

# Bash's `wait` loses the exit code of a child that ends just as a trapped signal comes. So between us
# and the command stands a recorder, which only waits and then writes the code into the pipe on
# descriptor 8.
start_recorded() {  # CMD...: the recorder's process number is then in `recorder`
  exec 8<> <(:)
  # Bash makes background commands ignore SIGINT, which env undoes.
  env --default-signal=INT,QUIT setpriv --pdeathsig KILL \
    "$here/kernel_fabric/recorder" $$ "$@" <&0 &
  recorder=$!
}

# Waits through any number of trapped signals; the command's exit code, or 137 if it was killed with
# its recorder, is then in `status`.
await_recorded() {
  signalled=1
  while ((signalled)); do
    signalled=0
    wait "$recorder" 2>/dev/null || true
  done
  read -r -t 0.01 status <&8 || status=137
  exec 8>&-
}

# From here on passes signals to the command, once there is one, by calling TELL SIGNAL RECORDER.
listen() {  # TELL
  tell=$1 recorder='' ended=0
  trap 'signalled=1; hear INT' INT
  trap 'signalled=1; hear TERM' TERM HUP QUIT
}

hear() {  # SIGNAL
  [[ -n $recorder ]] || exit "$((128 + $(kill -l "$1")))"
  "$tell" "$1" "$recorder"
}

# Runs a command that dies with this process, and exits as it does.
supervise() {  # CMD...
  local status=0
  start_recorded "$@"
  exec 9<&-
  await_recorded
  exit "$((ended && status == 137 ? ended : status))"
}

# ---- Inside

# Process 1. The fabric comes on descriptor 9; `hold` says on descriptor 3 that the lab stands.
inside() {  # run|hold LAB-OPTION... [CMD...]
  local mode=$1
  hash_seed=$2 hash_flow_label=$3 icmp_limits=$4 mtu=$5 per_packet=$6
  shift 6
  mount -t tmpfs -o mode=755 tmpfs /run
  export WEFT_LAB=$lab_folder
  mkdir "$WEFT_LAB"
  build_lab
  if [[ $mode == hold ]]; then
    echo ready >&3
    exec 3>&-
    while :; do sleep infinity || true; done
  fi
  run_command "$@"
}

# Of the terminal's Ctrl-C process 1 wants to know nothing; the script around the lab sends USR1.
run_command() {  # CMD...
  local told=0 status=0
  trap '' INT
  start_recorded "$@"
  trap 'signalled=1; tell_everyone INT' USR1
  trap 'signalled=1; tell_everyone TERM' TERM
  : >"$WEFT_LAB/listening"
  await_recorded
  exit "$status"
}

tell_everyone() {  # SIGNAL
  ((told++ == 0)) || exit 137
  kill -s "$1" -- -1 || true
  (sleep "$grace_seconds" && kill -KILL "$recorder") &
}

# ---- The commands

open_fabric() {  # FILE: on descriptor 9
  [[ $1 == - ]] && exec 9<&0 && return
  [[ -r $1 && ! -d $1 ]] || die 3 "fabric $1: no such file that can be read"
  exec 9<"$1"
}

run_lab() {
  ((${#arguments[@]})) || usage_error 'run: expected a fabric file'
  local fabric=${arguments[0]} words=("${arguments[@]:1}")
  [[ ${words[0]-} != -- ]] || words=("${words[@]:1}")
  ((${#words[@]})) || usage_error 'run: expected a command after the fabric file'
  [[ -z $name ]] || usage_error '--name: a lab that run builds has no name'
  listen tell_lab
  check_machine
  open_fabric "$fabric"
  supervise unshare "${unshare_flags[@]}" "$self" _inside run \
    "${lab_options[@]}" "${words[@]}"
}

state_folder() { echo "${XDG_RUNTIME_DIR:-/tmp}/weft-lab-${name:-default}"; }

start_time() {  # PID: nothing for one that has ended, waited for or not
  local stat
  read -r stat 2>/dev/null <"/proc/$1/stat" || return
  [[ ${stat##*) } != [ZX]* ]] && cut -d ' ' -f 20 <<<"${stat##*) }"
}

# Finds the keeper of a lab in the background; a number that another process now has is not it.
find_keeper() {
  local state started
  state=$(state_folder)
  [[ -O $state && -f $state/keeper ]] && read -r keeper started <"$state/keeper" &&
    [[ $(start_time "$keeper") == "$started" ]]
}

start_lab() {
  ((${#arguments[@]} == 1)) || usage_error 'up: expected one fabric file'
  local state answer='' keeper
  state=$(state_folder)
  check_machine
  open_fabric "${arguments[0]}"
  find_keeper && die 1 "lab \"${name:-default}\" is already up (kernel-fabric down ends it)"
  [[ ! -O $state ]] || rm -rf -- "$state"
  mkdir -m 700 -- "$state" 2>/dev/null || die 1 "$state: cannot be made"
  keeper=''
  trap 'abandon_start; exit 130' INT TERM HUP
  mkfifo "$state/ready"
  setsid unshare "${unshare_flags[@]}" "$self" _inside hold "${lab_options[@]}" \
    3>"$state/ready" </dev/null >"$state/log" 2>&1 &
  keeper=$!
  echo "$keeper $(start_time "$keeper")" >"$state/keeper"
  read -r answer <"$state/ready" || true
  cat "$state/log" >&2
  rm -f "$state/ready"
  [[ $answer == ready ]] && return
  local status=0
  wait "$keeper" || status=$?
  rm -rf -- "$state"
  exit "$((status ? status : 1))"
}

abandon_start() {
  [[ -z $keeper ]] || kill -KILL "$keeper" || true
  rm -rf -- "$state"
}

stop_lab() {
  ((${#arguments[@]} == 0)) || usage_error "down: unexpected \"${arguments[0]}\""
  local state keeper first
  state=$(state_folder)
  if find_keeper; then
    first=$(child_of "$keeper") || true
    kill -KILL "$keeper"
    while start_time "$keeper" || start_time "${first:-$keeper}"; do sleep 0.02; done >/dev/null
    rm -rf -- "$state"
  else
    [[ -O $state ]] && rm -rf -- "$state"
    die 3 "no lab \"${name:-default}\" is up"
  fi
}

# Runs a command of the lab: here if we are in it, or in the one in the background.
in_lab() {  # COMMAND ARG...
  if [[ -n ${WEFT_LAB-} && -z $name && -f $WEFT_LAB/ends ]]; then
    "lab_$1" "${@:2}"
    return
  fi
  local keeper first flags=(--mount --net --pid)
  listen tell_entered
  if ! find_keeper || ! first=$(child_of "$keeper"); then
    die 3 "no lab \"${name:-default}\" is up, and this is not inside of one"
  fi
  if [[ $(readlink /proc/self/ns/user) != "$(readlink "/proc/$first/ns/user")" ]]; then
    flags+=(--user --preserve-credentials)
  fi
  # A terminal's Ctrl-C is for the command, not for what waits for it.
  supervise env --ignore-signal=INT,QUIT nsenter --target "$first" "${flags[@]}" \
    env --default-signal=INT,QUIT setpriv --pdeathsig KILL "$self" _enter "$PWD" "$@"
}

entered() {  # FOLDER COMMAND ARG...
  cd -- "$1" 2>/dev/null || true
  export WEFT_LAB=$lab_folder
  "lab_$2" "${@:3}"
}

lab_exec() {  # NODE CMD...
  (($# > 1)) || usage_error 'exec: expected a node and a command'
  require_node "$1"
  local node=$1
  shift
  [[ $1 == -- ]] && shift
  exec ip netns exec "$node" "$@"
}
