module github.com/pulumi/pulumi-gcp/sdk/v10

go 1.24
