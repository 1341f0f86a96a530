package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// settings are the arguments of the provider block, as the half of the provider that needs no list of services has them.
func settings(framework tfprotov5.ProviderServer) (map[string]*schema.Schema, error) {
	answer, err := framework.GetProviderSchema(context.Background(), &tfprotov5.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	return arguments(answer.Provider.Block)
}

func arguments(block *tfprotov5.SchemaBlock) (map[string]*schema.Schema, error) {
	result := map[string]*schema.Schema{}
	for _, attribute := range block.Attributes {
		argument := &schema.Schema{Optional: attribute.Optional, Required: attribute.Required, Description: attribute.Description}
		switch text := (&schema.Schema{Type: schema.TypeString}); {
		case attribute.Type.Is(tftypes.String):
			argument.Type = schema.TypeString
		case attribute.Type.Is(tftypes.Bool):
			argument.Type = schema.TypeBool
		case attribute.Type.Is(tftypes.List{ElementType: tftypes.String}):
			argument.Type, argument.Elem = schema.TypeList, text
		case attribute.Type.Is(tftypes.Map{ElementType: tftypes.String}):
			argument.Type, argument.Elem = schema.TypeMap, text
		default:
			return nil, fmt.Errorf("the argument %s has the type %s", attribute.Name, attribute.Type)
		}
		result[attribute.Name] = argument
	}
	for _, nested := range block.BlockTypes {
		inner, err := arguments(nested.Block)
		if err != nil {
			return nil, err
		}
		result[nested.TypeName] = &schema.Schema{Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: inner}}
	}
	return result, nil
}
