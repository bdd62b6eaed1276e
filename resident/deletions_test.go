package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/structpb"
)

const urnOfService = "urn:pulumi:team.shop::databases::databases:index:Database$kubernetes:core/v1:Service::shop"

// deletionOf is a deletion of the Service `shop` as the engine asks for it.
func deletionOf(t *testing.T, urn, id string, annotations map[string]any) *pulumirpc.DeleteRequest {
	t.Helper()
	object := func(annotations map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "Service",
			"metadata": map[string]any{"name": "shop", "namespace": "team", "annotations": annotations},
		}
	}
	properties := object(map[string]any{"of": "the cluster"})
	if metadata, isMap := properties["metadata"].(map[string]any); isMap {
		metadata["uid"] = string(shopDeletion.uid)
	}
	properties["__inputs"] = object(annotations)
	made, err := structpb.NewStruct(properties)
	if err != nil {
		t.Fatal(err)
	}
	return &pulumirpc.DeleteRequest{Urn: urn, Id: id, Properties: made}
}

var shopDeletion = deletion{shopService, "1"}

var inBackground = map[string]any{"pulumi.com/deletionPropagationPolicy": "background"}

func TestADeletionInTheBackgroundIsKnownByWhatWasDeclared(t *testing.T) {
	if object, isOne := deletedBy(deletionOf(t, urnOfService, "team/shop", inBackground)); !isOne || object != shopDeletion {
		t.Errorf("%v %v", object, isOne)
	}
	patch := strings.Replace(urnOfService, "Service", "ServicePatch", 1)
	for name, request := range map[string]*pulumirpc.DeleteRequest{
		"in the foreground":             deletionOf(t, urnOfService, "team/shop", nil),
		"of an orphan's owner":          deletionOf(t, urnOfService, "team/shop", map[string]any{"pulumi.com/deletionPropagationPolicy": "orphan"}),
		"of a part of another's object": deletionOf(t, patch, "team/shop", inBackground),
		"of what the id does not name":  deletionOf(t, urnOfService, "team/other", inBackground),
		"of what has no properties":     {Urn: urnOfService, Id: "team/shop"},
	} {
		if _, isOne := deletedBy(request); isOne {
			t.Errorf("a deletion %s", name)
		}
	}
}

func TestObjectsAreWhereTheAPIServerHasThem(t *testing.T) {
	for object, want := range map[objectName]string{
		{"v1", "Service", "team", "shop"}:                           "/api/v1/namespaces/team/services/shop",
		{"v1", "PersistentVolumeClaim", "team", "a"}:                "/api/v1/namespaces/team/persistentvolumeclaims/a",
		{"apps/v1", "StatefulSet", "team", "a"}:                     "/apis/apps/v1/namespaces/team/statefulsets/a",
		{"batch/v1", "CronJob", "team", "a"}:                        "/apis/batch/v1/namespaces/team/cronjobs/a",
		{"networking.k8s.io/v1", "NetworkPolicy", "team", "a"}:      "/apis/networking.k8s.io/v1/namespaces/team/networkpolicies/a",
		{"policy/v1", "PodDisruptionBudget", "team", "a"}:           "/apis/policy/v1/namespaces/team/poddisruptionbudgets/a",
		{"rbac.authorization.k8s.io/v1", "Role", "team", "a"}:       "/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/a",
		{"monitoring.coreos.com/v1", "ServiceMonitor", "team", "a"}: "/apis/monitoring.coreos.com/v1/namespaces/team/servicemonitors/a",
		{"v1", "ConfigMap", "team", ".."}:                           "",
		{"v1", "ConfigMap", "team", "a/b"}:                          "",
		{"of/too/many", "ConfigMap", "team", "a"}:                   "",
	} {
		if path, isOne := pathOf(object); path != want || isOne != (want != "") {
			t.Errorf("%v: %q %v", object, path, isOne)
		}
	}
}

// removing has a gateway delete the Service from an API server, and returns whether it is gone, and what was asked.
func removing(t *testing.T, writes *fence, handle http.HandlerFunc) (isGone bool, asked []string) {
	t.Helper()
	return removingOne(t, shopDeletion, writes, handle)
}

func removingOne(t *testing.T, one deletion, writes *fence, handle http.HandlerFunc) (isGone bool, asked []string) {
	t.Helper()
	environ, _ := apiServer(t, func(to http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		asked = append(asked, fmt.Sprintf("%s %s %s", request.Method, request.URL, body))
		handle(to, request)
	})
	g, _, _ := throughFence(t, environ, writes)
	return g.remove(t.Context(), one), asked
}

func answering(code int, text string) http.HandlerFunc {
	return func(to http.ResponseWriter, _ *http.Request) {
		to.Header().Set("Content-Type", "application/json")
		to.WriteHeader(code)
		_, _ = io.WriteString(to, text)
	}
}

func TestWhatIsGoneAtOnceTakesOneRequest(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"deleted":            answering(200, `{"kind":"Status","apiVersion":"v1","status":"Success","details":{"name":"shop"}}`),
		"deleted, and shown": answering(200, `{"kind":"Service","metadata":{"name":"shop"},"status":{"loadBalancer":{}}}`),
		"deleted before":     answering(404, `{"kind":"Status","status":"Failure","reason":"NotFound","details":{"name":"shop","kind":"services"}}`),
		"another one's name": answering(409, `{"kind":"Status","status":"Failure","reason":"Conflict","details":{"name":"shop","kind":"services"},`+
			`"message":"Operation cannot be fulfilled on services \"shop\": Precondition failed: UID in precondition: 1, UID in object meta: 2"}`),
	} {
		isGone, asked := removing(t, &fence{}, answer)
		const want = `DELETE /api/v1/namespaces/team/services/shop ` +
			`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"1"},"propagationPolicy":"Background"}`
		if !isGone || len(asked) != 1 || asked[0] != want {
			t.Errorf("%s: %v %q", name, isGone, asked)
		}
	}
}

func TestAClaimThatPodsStillNameIsNotWaitedFor(t *testing.T) {
	marked := `{"kind":"PersistentVolumeClaim","metadata":{"name":"staging","deletionTimestamp":"2026-01-01T00:00:00Z"}}`
	one := deletion{objectName{"v1", "PersistentVolumeClaim", "team", "staging"}, "1"}
	if isGone, asked := removingOne(t, one, &fence{}, answering(200, marked)); !isGone || len(asked) != 1 {
		t.Errorf("%v %q", isGone, asked)
	}
}

func TestWhatIsOfUnknownUidIsDeletedByItsName(t *testing.T) {
	const want = `DELETE /api/v1/namespaces/team/services/shop {"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`
	_, asked := removingOne(t, deletion{shopService, ""}, &fence{}, answering(200, `{"kind":"Status"}`))
	if len(asked) != 1 || asked[0] != want {
		t.Errorf("%q", asked)
	}
}

func TestWhatStaysIsLeftToTheProvider(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"kept by a finalizer": answering(200, `{"kind":"Service","metadata":{"name":"shop","deletionTimestamp":"2026-01-01T00:00:00Z"}}`),
		"no such kind":        answering(404, `{"kind":"Status","status":"Failure","reason":"NotFound","details":{}}`),
		"no such path":        answering(404, "404 page not found"),
		"another namespace's": answering(404, `{"kind":"Status","reason":"NotFound","details":{"name":"team","kind":"namespaces"}}`),
		"forbidden":           answering(403, `{"kind":"Status","status":"Failure","reason":"Forbidden","details":{"name":"shop"}}`),
		"another conflict":    answering(409, `{"kind":"Status","status":"Failure","reason":"Conflict","details":{"name":"shop"},"message":"busy"}`),
		"too many requests":   answering(429, `{"kind":"Status","status":"Failure","reason":"TooManyRequests"}`),
		"nonsense":            answering(200, "done"),
	} {
		if isGone, asked := removing(t, &fence{}, answer); isGone || len(asked) != 1 {
			t.Errorf("%s: %v %q", name, isGone, asked)
		}
	}
}

func TestNothingIsDeletedThroughAClosedFence(t *testing.T) {
	closed := &fence{}
	closed.set(time.Now().Add(-time.Second))
	if isGone, asked := removing(t, closed, answering(200, "{}")); isGone || len(asked) > 0 {
		t.Errorf("%v %q", isGone, asked)
	}
}

func TestAProviderIsAskedForTheDeletionsThatAreItsOwn(t *testing.T) {
	pool := newFakePool(t)
	lease := pool.mustBorrow(t, "same")
	using, fake := lease.provider().process, pool.provider(0)
	remove := func(annotations map[string]any) {
		t.Helper()
		request := deletionOf(t, urnOfService, "team/shop", annotations)
		if _, err := pulumirpc.NewResourceProviderClient(lease).Delete(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	var removed []deletion
	isGone := true
	using.remove = func(_ context.Context, object deletion) bool {
		removed = append(removed, object)
		return isGone
	}
	remove(inBackground)
	if len(removed) != 1 || removed[0] != shopDeletion || fake.deleted.Load() != 0 || using.deletions.Load() != 0 {
		t.Errorf("%v, the provider %d times", removed, fake.deleted.Load())
	}
	isGone = false
	remove(inBackground)
	if len(removed) != 2 || fake.deleted.Load() != 1 {
		t.Errorf("of what stays: %v, the provider %d times", removed, fake.deleted.Load())
	}
	remove(nil)
	if len(removed) != 2 || fake.deleted.Load() != 2 {
		t.Errorf("of what it judges itself: %v, the provider %d times", removed, fake.deleted.Load())
	}
	using.remove = nil
	remove(inBackground)
	if fake.deleted.Load() != 3 {
		t.Errorf("of another cluster: the provider %d times", fake.deleted.Load())
	}
}
