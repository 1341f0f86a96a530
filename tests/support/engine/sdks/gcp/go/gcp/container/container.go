// Package container has the types of the SDK of the gcp provider that outputs of components have.
package container

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

type Cluster struct{ pulumi.CustomResourceState }

type NodePool struct{ pulumi.CustomResourceState }

type ClusterOutput struct{ *pulumi.OutputState }

type NodePoolMapOutput struct{ *pulumi.OutputState }

func (ClusterOutput) ElementType() reflect.Type { return reflect.TypeOf((**Cluster)(nil)).Elem() }

func (NodePoolMapOutput) ElementType() reflect.Type {
	return reflect.TypeOf((*map[string]*NodePool)(nil)).Elem()
}
