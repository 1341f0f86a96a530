import * as pulumi from "@pulumi/pulumi";
import { AutopilotCluster } from "pulumi-gke-tpu";

const cluster = new AutopilotCluster("dev", {
  project: new pulumi.Config("gcp").require("project"),
  location: new pulumi.Config().require("location"),
  slices: { notebook: { tpu: "v5e", topology: "2x2" } },
});

export const kubeconfig = cluster.kubeconfigCommand;
