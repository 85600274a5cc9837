#!/bin/sh
# The state of a Slurm job in Snakemake's words; a script for another scheduler prints the same words.
case "$(squeue --noheader --states=all --jobs="$1" --format=%T 2>/dev/null | head -n 1)" in
COMPLETED) echo success ;;
PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | PREEMPTED) echo running ;;
*) echo failed ;;
esac
