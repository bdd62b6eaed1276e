package main

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// creations are what providers are about to make, for runs that say what they may take over.
//
// pulumi-kubernetes creates by server-side apply with force, which makes what is missing and overwrites what is there. Whoever
// asked before whether something is there may be late: so the request itself says that nothing is, or which object is.
type creations struct {
	mu    sync.Mutex
	known map[objectName]types.UID
}

// objectName names an object of the cluster.
type objectName struct{ apiVersion, kind, namespace, name string }

// enter notes that the object is about to be made, or taken over where it has the uid; an empty one is no object's. The
// caller calls the answer once that is over.
func (c *creations) enter(object objectName, uid types.UID) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[objectName]types.UID{}
	}
	c.known[object] = uid
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.known, object)
	}
}

func (c *creations) find(object objectName) (types.UID, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	uid, found := c.known[object]
	return uid, found
}

func (c *creations) any() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.known) > 0
}

// createdBy names the object that the properties of a resource describe; false for what is none.
func createdBy(properties *structpb.Struct) (objectName, bool) {
	text := func(of *structpb.Struct, field string) string { return of.GetFields()[field].GetStringValue() }
	metadata := properties.GetFields()["metadata"].GetStructValue()
	object := objectName{
		apiVersion: text(properties, "apiVersion"),
		kind:       text(properties, "kind"),
		namespace:  text(metadata, "namespace"),
		name:       text(metadata, "name"),
	}
	return object, object.kind != "" && object.name != ""
}

// createOnly sends what creates an object so that it overwrites no other one.
type createOnly struct {
	next      http.RoundTripper
	creations *creations
}

// neverVersion is the version of no object: etcd's first revision holds none. An apply that expects it makes what is missing, and
// conflicts with what is there, in one transaction.
const neverVersion = "1"

func (g createOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	sent, uid, found := g.creationIn(request)
	if !found {
		return g.next.RoundTrip(request)
	}
	answer, err := g.send(request, sent.expecting("resourceVersion", neverVersion))
	if err != nil || answer.StatusCode != http.StatusConflict {
		return answer, err
	}
	_ = answer.Body.Close()
	if uid != "" {
		answer, err = g.send(request, sent.expecting("uid", string(uid)))
		if err != nil || !isAnother(answer) {
			return answer, err
		}
	}
	return taken(request, sent.name), nil
}

// creationIn is the object that an apply makes, and what it may take over; false where that is not limited.
func (g createOnly) creationIn(request *http.Request) (appliedObject, types.UID, bool) {
	if !isApply(request) || !g.creations.any() || request.GetBody == nil {
		return appliedObject{}, "", false
	}
	body, err := request.GetBody()
	if err != nil {
		return appliedObject{}, "", false
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return appliedObject{}, "", false
	}
	object, err := appliedIn(text)
	if err != nil {
		return appliedObject{}, "", false
	}
	uid, found := g.creations.find(object.name)
	return object, uid, found
}

// isApply tells whether a request changes something by server-side apply.
func isApply(request *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	return request.Method == http.MethodPatch && kind == string(types.ApplyPatchType) && !request.URL.Query().Has("dryRun")
}

func (g createOnly) send(request *http.Request, body []byte) (*http.Response, error) {
	again := request.Clone(request.Context())
	again.ContentLength = int64(len(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	again.Body, _ = again.GetBody()
	return g.next.RoundTrip(again)
}

// appliedObject is what an apply sends, as JSON by field: values stay as they were written.
type appliedObject struct {
	name     objectName
	fields   map[string]json.RawMessage
	metadata map[string]json.RawMessage
}

func appliedIn(text []byte) (appliedObject, error) {
	var object appliedObject
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		return object, err
	}
	if err := json.Unmarshal(asJSON, &object.fields); err != nil {
		return object, err
	}
	if err := json.Unmarshal(object.fields["metadata"], &object.metadata); err != nil {
		return object, err
	}
	var named metav1.PartialObjectMetadata
	if err := json.Unmarshal(asJSON, &named); err != nil {
		return object, err
	}
	object.name = objectName{named.APIVersion, named.Kind, named.Namespace, named.Name}
	return object, nil
}

// expecting is the object with one more field in its metadata, by which the API server knows what must be there.
func (o appliedObject) expecting(field, value string) []byte {
	with := func(fields map[string]json.RawMessage, key string, value any) map[string]json.RawMessage {
		copied := make(map[string]json.RawMessage, len(fields)+1)
		for name, text := range fields {
			copied[name] = text
		}
		copied[key], _ = json.Marshal(value) // of strings and of JSON
		return copied
	}
	text, _ := json.Marshal(with(o.fields, "metadata", with(o.metadata, field, value)))
	return text
}

// isAnother tells whether the answer to an apply with a uid says that the object is another one, or none.
func isAnother(answer *http.Response) bool {
	if answer.StatusCode == http.StatusConflict {
		_ = answer.Body.Close()
		return true
	}
	if answer.StatusCode != http.StatusUnprocessableEntity {
		return false
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(text))
	var told metav1.Status
	if err != nil || json.Unmarshal(text, &told) != nil || told.Details == nil {
		return false
	}
	for _, cause := range told.Details.Causes {
		if cause.Field == "metadata.uid" {
			return true
		}
	}
	return false
}

// taken answers for the API server that the name is another object's.
func taken(request *http.Request, object objectName) *http.Response {
	text, _ := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Code:     http.StatusConflict,
		Reason:   metav1.StatusReasonAlreadyExists,
		Message:  object.kind + " " + object.name + " is there meanwhile, is not this stack's, and is left as it is",
	})
	return &http.Response{
		Status:        "409 " + http.StatusText(http.StatusConflict),
		StatusCode:    http.StatusConflict,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": []string{"application/json"}},
		Body:          io.NopCloser(strings.NewReader(string(text))),
		ContentLength: int64(len(text)),
		Request:       request,
	}
}
