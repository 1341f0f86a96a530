// What programs of the tests use of @pulumi/gcp, whose package has 100 MB: the classes, and how they come from references.
import * as pulumi from "@pulumi/pulumi";

const version = process.env.GCP_VERSION;

const resource = (module, type, outputs) => {
  const token = `gcp:${module}:${type}`;
  const made = class extends pulumi.CustomResource {
    constructor(name, args, opts) {
      super(token, name, { ...Object.fromEntries(outputs.map((output) => [output, undefined])), ...args }, { version, ...opts });
    }
  };
  const construct = (name, _type, urn) => new made(name, undefined, { urn });
  pulumi.runtime.registerResourceModule("gcp", module, { version, construct });
  return made;
};

export const container = {
  Cluster: resource("container/cluster", "Cluster", ["masterVersion"]),
  NodePool: resource("container/nodePool", "NodePool", ["version"]),
};
export const projects = { IAMMember: resource("projects/iAMMember", "IAMMember", []) };
