// The generators for Node.js and Go that `pulumi package gen-sdk` runs, without the plugins that the CLI starts for them:
//
//	sdks SCHEMA LANGUAGE FOLDER
package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/blang/semver"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var languages = map[string]schema.Language{"go": gogen.Importer, "nodejs": nodejs.Importer}

// gcp has the two resources of the gcp provider that the schema refers to.
type gcp struct{}

func (g gcp) LoadPackageV2(_ context.Context, wanted *schema.PackageDescriptor) (*schema.Package, error) {
	resource := schema.ResourceSpec{ObjectTypeSpec: schema.ObjectTypeSpec{Type: "object"}}
	spec := schema.PackageSpec{
		Name:    "gcp",
		Version: wanted.Version.String(),
		Meta:    &schema.MetadataSpec{ModuleFormat: "(.*)(?:/[^/]*)"},
		Resources: map[string]schema.ResourceSpec{
			"gcp:container/cluster:Cluster":   resource,
			"gcp:container/nodePool:NodePool": resource,
		},
		Language: map[string]schema.RawMessage{
			"go": schema.RawMessage(`{"importBasePath": "github.com/pulumi/pulumi-gcp/sdk/v10/go/gcp"}`),
		},
	}
	return schema.ImportSpec(spec, languages, g, schema.ValidationOptions{})
}

func (g gcp) LoadPackage(_ string, version *semver.Version) (*schema.Package, error) {
	return g.LoadPackageV2(context.Background(), &schema.PackageDescriptor{Version: version})
}

func (g gcp) LoadPackageReference(_ string, version *semver.Version) (schema.PackageReference, error) {
	return g.LoadPackageReferenceV2(context.Background(), &schema.PackageDescriptor{Version: version})
}

func (g gcp) LoadPackageReferenceV2(
	ctx context.Context, wanted *schema.PackageDescriptor,
) (schema.PackageReference, error) {
	pkg, err := g.LoadPackageV2(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return pkg.Reference(), nil
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	pkg, err := schema.ImportSpec(spec, languages, gcp{}, schema.ValidationOptions{})
	check(err)
	var files map[string][]byte
	if os.Args[2] == "nodejs" {
		files, err = nodejs.GeneratePackage("pulumi", pkg, nil, nil, false, nil)
	} else {
		files, err = gogen.GeneratePackage("pulumi", pkg, nil)
	}
	check(err)
	for name, content := range files {
		path := filepath.Join(os.Args[3], name)
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, content, 0o644))
	}
}
