gcloud container node-pools create slice --flags-file=pool.yaml --num-nodes=4
