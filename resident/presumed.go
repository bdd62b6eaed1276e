package main

import (
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// presumed lets a preview show a binding whose role the same run would make.
//
// The API server looks at the role to see whether its rights may be given, but for clients that may give any. In a preview the
// role is not there, and the dry run gets a 404, which pulumi-kubernetes retries for 63 s, as onceOnly tells. What was to be
// applied stands in for the answer. In a run the role is made first.
type presumed struct{ next http.RoundTripper }

// bindings are the paths of those that need a role of their namespace, or of the cluster.
var bindings = regexp.MustCompile(`/apis/rbac\.authorization\.k8s\.io/[^/]+/(namespaces/[^/]+/rolebindings|clusterrolebindings)/[^/]+$`)

func (p presumed) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := p.next.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusNotFound || !isDryApply(request) ||
		!bindings.MatchString(request.URL.Path) || request.GetBody == nil {
		return answer, err
	}
	sent, err := request.GetBody()
	if err != nil {
		return answer, nil
	}
	text, err := io.ReadAll(sent)
	if err != nil {
		return answer, nil
	}
	object, err := yaml.YAMLToJSON(text)
	if err != nil {
		return answer, nil
	}
	_ = answer.Body.Close()
	const code = http.StatusOK
	answer.StatusCode = code
	answer.Status = strconv.Itoa(code) + " " + http.StatusText(code)
	setBody(answer, object)
	return answer, nil
}

// isDryApply tells whether a request shows what a server-side apply would change.
func isDryApply(request *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	return request.Method == http.MethodPatch && kind == string(types.ApplyPatchType) && request.URL.Query().Has("dryRun")
}
