// Command pulumi-resource-kubernetes is Pulumi's Kubernetes provider. Its own main package embeds generated
// files that the published module leaves out; the Node SDK needs none of them, so a minimal schema serves it.
package main

import "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"

// version is set at link time; it must equal the version of @pulumi/kubernetes in package.json.
var version = "0.0.0"

func main() {
	schema := []byte(`{"name":"kubernetes","version":"` + version + `"}`)
	provider.Serve("kubernetes", version, schema, []byte(`{}`))
}
