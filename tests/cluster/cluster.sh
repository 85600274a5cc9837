#!/usr/bin/env bash
# A real Slurm cluster in a folder: one machine, virtual nodes n1, n2, … on loopback, gone when it is stopped.
#
#   cluster.sh install                            install Slurm and munge (Debian, as root)
#   cluster.sh start FOLDER [NODES CPUS MEM_MB]   start it; FOLDER/environment says what to export; it forgets a job
#                                                 MIN_JOB_AGE seconds after its end
#   cluster.sh crash FOLDER NODE                  let a node go down, as by a power cut
#   cluster.sh stop FOLDER                        stop what `start` started, by its process ids
set -euo pipefail

install() {
    command -v sbatch slurmctld slurmd munged >/dev/null && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "Slurm is not installed, and only root on Debian can be helped: install slurm-wlm and munge." >&2
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null &&
        apt-get install -y -qq --no-install-recommends slurm-wlm slurmctld slurmd slurm-client munge >/dev/null
}

free_ports() { # so that two clusters on one machine do not meet
    python3 - "$1" <<'PYTHON'
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in sockets))
PYTHON
}

start() {
    local base nodes=${2:-2} cpus=${3:-2} memory=${4:-4000} host me ports
    mkdir -p "$1"
    base=$(cd "$1" && pwd)
    host=$(hostname -s)
    me=$(id -un)
    mkdir -p "$base"/{bin,run/munge,log,state,spool,munge}
    chmod 0755 "$base" "$base/run" "$base/run/munge"
    chmod 0700 "$base/munge"
    head -c 1024 /dev/urandom >"$base/munge/key"
    chmod 0400 "$base/munge/key"
    read -ra ports <<<"$(free_ports $((nodes + 1)))"

    # No cgroups and no systemd: memory is watched by polling each second. Without slurmdbd a finished
    # job is known for MinJobAge seconds.
    cat >"$base/slurm.conf" <<CONF
ClusterName=fairpairs
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$base/run/munge/munge.sock
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPidFile=$base/run/slurmctld.pid
SlurmdPidFile=$base/run/slurmd.%n.pid
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool/%n
SlurmctldLogFile=$base/log/slurmctld.log
SlurmdLogFile=$base/log/slurmd.%n.log
MailProg=/bin/true
MpiDefault=none
SwitchType=switch/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill,NoShared
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=100000,sched_interval=2,bf_interval=2,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=${MIN_JOB_AGE:-3600}
KillWait=2
CompleteWait=0
PropagateResourceLimits=NONE
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc=$base/log/jobs.txt
CONF
    local node
    for node in $(seq 1 "$nodes"); do
        mkdir -p "$base/spool/n$node"
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[$node]} CPUs=$cpus RealMemory=$memory" >>"$base/slurm.conf"
    done
    echo "PartitionName=main Nodes=ALL Default=YES MaxTime=1-00:00:00 DefaultTime=00:10:00 DefMemPerCPU=1000 State=UP" >>"$base/slurm.conf"
    : >"$base/cgroup.conf"
    local command
    for command in srun scontrol; do # Snakemake's executor drops SLURM_CONF within a job
        printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$base/slurm.conf" "$(command -v $command)" >"$base/bin/$command"
        chmod +x "$base/bin/$command"
    done
    printf 'SLURM_CONF=%s\nPATH=%s:%s\n' "$base/slurm.conf" "$base/bin" "$PATH" >"$base/environment"

    export SLURM_CONF=$base/slurm.conf
    munged --force --key-file="$base/munge/key" --socket="$base/run/munge/munge.sock" --pid-file="$base/run/munged.pid" \
        --log-file="$base/munge/munged.log" --seed-file="$base/munge/seed" --num-threads=2 2>"$base/log/munged.err"
    slurmctld -i
    for node in $(seq 1 "$nodes"); do slurmd -N "n$node"; done
    for _ in $(seq 1 150); do
        [ "$(sinfo -h -N -o %t 2>/dev/null | grep -c '^idle$')" = "$nodes" ] && return
        sleep 0.2
    done
    echo "The nodes did not come up; see $base/log/." >&2
    return 1
}

crash() {
    local base=$1 node=$2 job jobs process
    export SLURM_CONF=$base/slurm.conf
    jobs=$(squeue -h -w "$node" -o %A)
    kill -9 "$(cat "$base/run/slurmd.$node.pid")"
    for job in $jobs; do # and all that ran there
        for process in /proc/[0-9]*; do
            if tr '\0' '\n' <"$process/cmdline" 2>/dev/null | grep -q "^slurmstepd: \[$job\." ||
                tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -q "^SLURM_JOB_ID=$job$"; then
                kill -9 "${process#/proc/}" 2>/dev/null || true
            fi
        done
    done
    scontrol update "NodeName=$node" State=DOWN Reason="a power cut"
    for job in $jobs; do # Slurm queues them again, and would hold them for two minutes
        for _ in $(seq 1 300); do # a busy machine takes its time
            [ "$(squeue -h -j "$job" -o %T)" = PENDING ] && break
            sleep 0.2
        done
        scontrol update "JobId=$job" StartTime=now
    done
}

stop() {
    local base=$1 file process
    export SLURM_CONF=$base/slurm.conf
    scancel --user="$(id -un)" 2>/dev/null || true
    local processes=()
    for file in "$base"/run/slurmd.*.pid "$base/run/slurmctld.pid" "$base/run/munged.pid"; do
        [ -s "$file" ] && processes+=("$(cat "$file")")
    done
    for process in "${processes[@]}"; do
        kill "$process" 2>/dev/null || true # a crashed node is gone already
    done
    for _ in $(seq 1 50); do
        kill -0 "${processes[@]}" 2>/dev/null || return 0 # not one is left
        sleep 0.2
    done
    for process in "${processes[@]}"; do
        kill -9 "$process" 2>/dev/null || true
    done
}

"${1:?install, start, crash or stop}" "${@:2}"
