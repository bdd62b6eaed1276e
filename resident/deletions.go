package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// A deletion takes one request, whose answer says whether the object is gone with that. pulumi-kubernetes asks three more times
// whatever the answer was, and begins to hear of all objects of the kind in the namespace, which it never stops: so deletions
// get slower with their number. It is called only where that answer leaves something to be done: an object that is kept by a
// finalizer, or an error, which it tells as ever.

// deletionTimeout bounds the one request; what takes longer is left to the provider.
const deletionTimeout = 30 * time.Second

// deletion is of one object: of what is in the state, and of no other one that has taken its name since. An empty uid is any's.
type deletion struct {
	objectName
	uid types.UID
}

// deletedBy says which object a request deletes in the background; false for what a provider must judge itself.
func deletedBy(request *pulumirpc.DeleteRequest) (deletion, bool) {
	name, isOne := createdBy(request.GetProperties())
	uid := fieldOf(request.GetProperties(), "metadata").GetFields()["uid"].GetStringValue()
	object := deletion{name, types.UID(uid)}
	if !isOne || object.namespace == "" || request.GetId() != object.namespace+"/"+object.name {
		return object, false
	}
	// a resource that is a part of another one's object is not deleted with it
	if resource.URN(request.GetUrn()).Type().Name().String() != object.kind {
		return object, false
	}
	// the provider goes by what was declared
	declared := fieldOf(fieldOf(fieldOf(request.GetProperties(), "__inputs"), "metadata"), "annotations")
	propagation := declared.GetFields()["pulumi.com/deletionPropagationPolicy"].GetStringValue()
	return object, strings.EqualFold(propagation, string(metav1.DeletePropagationBackground))
}

func fieldOf(of *structpb.Struct, name string) *structpb.Struct {
	return of.GetFields()[name].GetStructValue()
}

// pathOf is where the API server has an object of a namespace; false for what names none. Where a kind's plural is out of the
// ordinary, nothing is there: the answer shows that.
func pathOf(object objectName) (string, bool) {
	version, err := schema.ParseGroupVersion(object.apiVersion)
	if err != nil {
		return "", false
	}
	plural, _ := meta.UnsafeGuessKindToResource(version.WithKind(object.kind))
	prefix := "/apis/"
	if version.Group == "" {
		prefix = "/api/"
	}
	for _, segment := range []string{object.namespace, object.name, plural.Resource} {
		if len(path.IsValidPathSegmentName(segment)) > 0 {
			return "", false
		}
	}
	return prefix + version.String() + "/namespaces/" + object.namespace + "/" + plural.Resource + "/" + object.name, true
}

// remove deletes an object, and tells whether it is gone with that. It never fails: a provider that tries again says why.
func (g *gateway) remove(ctx context.Context, object deletion) bool {
	at, isOne := pathOf(object.objectName)
	if !isOne || !g.writes.isOpen() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, deletionTimeout)
	defer cancel()
	policy := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}, PropagationPolicy: &policy,
	}
	if object.uid != "" {
		options.Preconditions = &metav1.Preconditions{UID: &object.uid}
	}
	body, err := json.Marshal(options)
	if err != nil {
		return false
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, g.api.JoinPath(at).String(), bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "pulumi-resident")
	answer, err := g.transport.RoundTrip(request)
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return err == nil && isGone(answer.StatusCode, text, object.objectName)
}

// claim is what stays for as long as any pod names it, ended ones too: nothing is gained by a wait.
const claim = "PersistentVolumeClaim"

// isGone tells whether the answer to a deletion says that nothing is left of the object: of one that is gone at once the API server
// sends a Status, or the object without a mark. A claim that is marked counts as gone, and one that had another uid is long gone.
func isGone(code int, text []byte, object objectName) bool {
	var told struct {
		Message  string `json:"message"`
		Metadata struct {
			DeletionTimestamp *string `json:"deletionTimestamp"`
		} `json:"metadata"`
		Details struct {
			Name string `json:"name"`
		} `json:"details"`
	}
	if json.Unmarshal(text, &told) != nil {
		return false
	}
	switch code {
	case http.StatusOK:
		return told.Metadata.DeletionTimestamp == nil || object.kind == claim
	case http.StatusNotFound:
		// of a path that there is not, the API server names no object
		return told.Details.Name == object.name
	case http.StatusConflict:
		return told.Details.Name == object.name && strings.Contains(told.Message, "UID in precondition")
	default:
		return false
	}
}
