#!/bin/bash
gcloud container node-pools create slice --flags-file=pool.yaml --quiet
