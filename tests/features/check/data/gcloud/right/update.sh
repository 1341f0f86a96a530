gcloud container node-pools update tpu --cluster=c --location=us-east5 --max-pods-per-node=16 --node-labels=team=a
gcloud container clusters update c --location=us-east5 --enable-autoprovisioning --max-cpu=100 --max-memory=100
gcloud container clusters update c --location=us-east5 --node-pool=tpu --enable-autoscaling --min-nodes=0 --max-nodes=4
gcloud container clusters upgrade c --location=us-east5 --master --cluster-version=1.33
gcloud container clusters resize c --node-pool tpu --num-nodes 0 --location us-east5 --quiet
