package main

import (
	"encoding/json"
	"net/http"
	"testing"
)

const rbacOfTeam = "/apis/rbac.authorization.k8s.io/v1/namespaces/team/"

func TestAPreviewShowsABindingWhoseRoleTheRunWouldMake(t *testing.T) {
	code, answer := applyTo(t, withoutRole, &creations{}, rbacOfTeam+"rolebindings/shop?force=true&dryRun=All")
	var shown struct {
		Kind     string
		Metadata struct{ Name string }
	}
	if err := json.Unmarshal([]byte(answer), &shown); err != nil || code != http.StatusOK {
		t.Fatalf("%d %q: %v", code, answer, err)
	}
	// what was sent
	if shown.Kind != "Service" || shown.Metadata.Name != "shop" {
		t.Errorf("got %s", answer)
	}
}

func TestNothingElseIsPresumed(t *testing.T) {
	for name, one := range map[string]struct {
		path string
		code int
	}{
		"of a run":       {rbacOfTeam + "rolebindings/shop?force=true", http.StatusUnprocessableEntity},
		"of a role":      {rbacOfTeam + "roles/shop?dryRun=All", http.StatusNotFound},
		"below":          {rbacOfTeam + "rolebindings/shop/status?dryRun=All", http.StatusNotFound},
		"of other kinds": {"/apis/example.com/v1/namespaces/team/rolebindings/shop?dryRun=All", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if code, answer := applyTo(t, withoutRole, &creations{}, one.path); code != one.code {
				t.Errorf("%d %s", code, answer)
			}
		})
	}
	refused := func(to http.ResponseWriter, _ *http.Request) {
		refuse(to, http.StatusForbidden, "Forbidden", "it gives more than its author has")
	}
	if code, answer := applyTo(t, refused, &creations{}, rbacOfTeam+"rolebindings/shop?dryRun=All"); code != http.StatusForbidden {
		t.Errorf("%d %s", code, answer)
	}
}
