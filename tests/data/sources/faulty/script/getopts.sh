#!/bin/bash
machine=ct5lp-hightpu-2t
pool=serve
while getopts "m:p:h" opt; do
  case $opt in
    m) machine=$OPTARG ;;
    p) pool=$OPTARG ;;
    h) echo "usage: $0 [-m machine] [-p pool]"; exit 0 ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
gcloud container node-pools create "$pool" --cluster c1 --zone us-west4-a --machine-type "$machine" --num-nodes 1
