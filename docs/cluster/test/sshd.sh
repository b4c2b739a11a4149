# shellcheck shell=bash
# An sshd on this machine for a test, to be sourced behind checks.sh: its own port, keys and configuration
# below $work. The hosts `one', `two' and `three' of ssh_config are all this machine. Where there is an
# executable file $work/NAME-is-lost, it gets the commands for that host.
# shellcheck disable=SC2154 # work: of checks.sh

daemons=()
stop_sshd() {
    local pid
    for pid in ${daemons[@]+"${daemons[@]}"}; do kill "$pid" 2>/dev/null; done
    for pid in ${daemons[@]+"${daemons[@]}"}; do wait "$pid" 2>/dev/null; done
    cd /
    rm -rf "$work"
}

start_sshd() {
    local sshd port host
    need perl ssh ssh-keygen
    sshd=$(PATH=$PATH:/usr/sbin:/sbin type -P sshd) || { echo 'sshd is missing: nothing is checked without it' >&2; exit 1; }
    trap stop_sshd EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd # sshd wants it
    mkdir home
    ssh-keygen -q -t ed25519 -N '' -f host_key || exit 1
    port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport')
    for host in one two three; do
        ssh-keygen -q -t ed25519 -N '' -f "$host" || exit 1
        # shellcheck disable=SC2016 # of the shell that sshd starts
        # by its key sshd knows by which name it was called
        printf 'command="export HOME=%s; cd; if [ -x %s ]; then exec %s; fi; exec /bin/bash -c \\"$SSH_ORIGINAL_COMMAND\\"" %s\n' \
            "$work/home" "$work/$host-is-lost" "$work/$host-is-lost" "$(cat "$host.pub")" >>authorized_keys
        printf 'Host %s\n    HostName 127.0.0.1\n    Port %s\n    IdentityFile %s\n    IdentitiesOnly yes\n' \
            "$host" "$port" "$work/$host" >>ssh_config
    done
    printf 'Host *\n    User %s\n    UserKnownHostsFile %s\n    StrictHostKeyChecking accept-new\n    BatchMode yes\n    GSSAPIAuthentication no\n    LogLevel ERROR\n    ServerAliveInterval 5\n' \
        "$(id -un)" "$work/known_hosts" >>ssh_config
    # a bash that has a level is not taken for a login, and reads no ~/.bashrc
    printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $work/host_key" "AuthorizedKeysFile $work/authorized_keys" \
        "PidFile $work/sshd.pid" 'StrictModes no' 'UsePAM no' 'UseDNS no' 'SetEnv SHLVL=2' 'PasswordAuthentication no' 'PermitRootLogin yes' \
        'MaxStartups 100' 'LogLevel VERBOSE' >sshd_config
    "$sshd" -D -e -f "$work/sshd_config" 2>sshd.log &
    daemons+=($!)
    for _ in $(seq 100); do
        ssh -F ssh_config one true 2>ssh.log && return
        sleep 0.1
    done
    cat sshd.log ssh.log >&2
    exit 1
}
