package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const roleIsMissing = `roles.rbac.authorization.k8s.io "shop" not found`

func withoutRole(to http.ResponseWriter, _ *http.Request) {
	refuse(to, http.StatusNotFound, metav1.StatusReasonNotFound, roleIsMissing)
}

func TestAnApplyWhosePrerequisiteIsMissingIsNotRetried(t *testing.T) {
	code, answer := apply(t, withoutRole, &creations{}, "")
	var told metav1.Status
	if err := json.Unmarshal([]byte(answer), &told); err != nil {
		t.Fatalf("%d %q: %v", code, answer, err)
	}
	// what the provider asks of the answer
	if err := errors.FromObject(&told); code == http.StatusNotFound || errors.IsNotFound(err) {
		t.Errorf("the provider retries it: %d %s", code, answer)
	}
	if told.Message != roleIsMissing {
		t.Errorf("it does not say what is missing: %s", answer)
	}
}

func TestWhatAPreviewNeedsIsStillMissing(t *testing.T) {
	if code, answer := apply(t, withoutRole, &creations{}, "&dryRun=All"); code != http.StatusNotFound {
		t.Errorf("%d %s", code, answer)
	}
}

func TestOtherRequestsAreAnsweredAsTheyAre(t *testing.T) {
	environ, _ := apiServer(t, withoutRole)
	_, config, _ := through(t, environ)
	response := mustGet(t, config.Host+"/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles/shop")
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("a read: %s", response.Status)
	}
}
