// Serves the parts of hashicorp/google that TPU clusters need (see services.go) over the provider protocol: schemas, plans
// and requests are those of the release. It needs no credentials, and reaches nothing but the API that GOOGLE_APIS names on
// this computer.
package main

import (
	"context"
	"log"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-provider-google/google/fwprovider"
	"github.com/hashicorp/terraform-provider-google/google/registry"
	"github.com/hashicorp/terraform-provider-google/google/transport"
	"github.com/hashicorp/terraform-provider-google/version"
	"golang.org/x/oauth2"
)

func main() {
	primary := &schema.Provider{
		ResourcesMap: registry.ResourceMap(), DataSourcesMap: registry.DatasourceMap(),
		ProviderMetaSchema: map[string]*schema.Schema{"module_name": {Type: schema.TypeString, Optional: true}},
	}
	primary.ConfigureContextFunc = func(ctx context.Context, data *schema.ResourceData) (any, diag.Diagnostics) {
		return configure(ctx, data, primary.UserAgent("terraform-provider-google", version.ProviderVersion))
	}
	framework := providerserver.NewProtocol5(fwprovider.New(primary))
	var err error
	if primary.Schema, err = settings(framework()); err != nil {
		log.Fatal(err)
	}
	both, err := tf5muxserver.NewMuxServer(context.Background(), primary.GRPCProvider, framework)
	if err != nil {
		log.Fatal(err)
	}
	if err := tf5server.Serve("registry.opentofu.org/hashicorp/google", both.ProviderServer); err != nil {
		log.Fatal(err)
	}
}

// What LoadAndValidate of the release does, except that it asks Google who the caller is.
func configure(ctx context.Context, data *schema.ResourceData, agent string) (any, diag.Diagnostics) {
	if err := transport.HandleSDKDefaults(data); err != nil {
		return nil, diag.FromErr(err)
	}
	if stop, ok := schema.StopContext(ctx); ok {
		ctx = stop
	}
	batching, err := transport.ExpandProviderBatchingConfig(data.Get("batching"))
	if err != nil {
		return nil, diag.FromErr(err)
	}
	batching.SendAfter = 50 * time.Millisecond
	config := &transport.Config{
		Project: data.Get("project").(string), Region: transport.GetRegionFromRegionSelfLink(data.Get("region").(string)),
		Zone: data.Get("zone").(string), UniverseDomain: "googleapis.com", UserAgent: agent, Context: ctx,
		PollInterval: 50 * time.Millisecond, RequestTimeout: 30 * time.Second, BatchingConfig: batching,
		DeletionPolicy: data.Get("deletion_policy").(string), DefaultLabels: map[string]string{},
		AddTerraformAttributionLabel: true, TerraformAttributionLabelAdditionStrategy: transport.CreateOnlyAttributionStrategy,
		CustomEndpoints: map[string]string{}, RPCClients: map[string]*transport.RPCClient{},
		TokenSource:                oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "no-credentials"}),
		RequestBatcherIam:          transport.NewRequestBatcher("IAM", ctx, batching),
		RequestBatcherServiceUsage: transport.NewRequestBatcher("Service Usage", ctx, batching),
	}
	for name, value := range data.Get("default_labels").(map[string]any) {
		config.DefaultLabels[name] = value.(string)
	}
	// Like the release: the label is added unless a configuration says no.
	if given, ok := data.GetOkExists("add_terraform_attribution_label"); ok {
		config.AddTerraformAttributionLabel = given.(bool)
	}
	if given, ok := data.GetOk("terraform_attribution_label_addition_strategy"); ok {
		config.TerraformAttributionLabelAdditionStrategy = given.(string)
	}
	config.Client, err = client(config.RequestTimeout)
	return config, diag.FromErr(err)
}
