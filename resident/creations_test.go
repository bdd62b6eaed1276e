package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const serviceOfTest = `apiVersion: v1
kind: Service
metadata:
  name: shop
  namespace: team
spec:
  clusterIP: None
  ports:
  - port: 5432
`

var shopService = objectName{"v1", "Service", "team", "shop"}

// oneService answers applies as an API server does that has this Service; an empty uid is none.
func oneService(t *testing.T, uid types.UID, applied *[]string) http.HandlerFunc {
	return func(to http.ResponseWriter, request *http.Request) {
		text, _ := io.ReadAll(request.Body)
		*applied = append(*applied, string(text))
		var sent metav1.PartialObjectMetadata
		if request.Header.Get("Content-Type") == string(types.ApplyPatchType) && strings.HasPrefix(string(text), "{") {
			if err := json.Unmarshal(text, &sent); err != nil {
				t.Error(err)
			}
		}
		switch {
		case uid != "" && sent.ResourceVersion != "" || uid == "" && sent.UID != "":
			refuse(to, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
		case uid != "" && sent.UID != "" && sent.UID != uid:
			to.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(to, `{"kind":"Status","details":{"causes":[{"field":"metadata.uid"}]}}`)
		case uid == "":
			to.WriteHeader(http.StatusCreated)
		}
	}
}

// apply sends the Service as pulumi-kubernetes does, through a gateway that knows of these creations.
func apply(t *testing.T, handle http.HandlerFunc, known *creations, query string) (int, string) {
	t.Helper()
	return applyTo(t, handle, known, "/api/v1/namespaces/team/services/shop?force=true"+query)
}

func applyTo(t *testing.T, handle http.HandlerFunc, known *creations, path string) (int, string) {
	t.Helper()
	environ, _ := apiServer(t, handle)
	g, err := openGateway(surroundings{environ, t.TempDir(), &fence{}, known})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	config, _, err := clusterOf(g.environ)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPatch,
		config.Host+path, strings.NewReader(serviceOfTest))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", string(types.ApplyPatchType))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(answer)
}

func TestACreationOverwritesNothingThatItDoesNotExpect(t *testing.T) {
	for name, one := range map[string]struct {
		there, expected types.UID
		code, requests  int
	}{
		"nothing is there":                         {"", "", http.StatusCreated, 1},
		"nothing is there any more":                {"", "mine", http.StatusCreated, 1},
		"what is expected is there":                {"mine", "mine", http.StatusOK, 2},
		"something else is there":                  {"theirs", "", http.StatusConflict, 1},
		"something else is there in place of ours": {"theirs", "mine", http.StatusConflict, 2},
	} {
		t.Run(name, func(t *testing.T) {
			known := &creations{}
			leave := known.enter(shopService, one.expected)
			var applied []string
			code, answer := apply(t, oneService(t, one.there, &applied), known, "")
			if code != one.code || len(applied) != one.requests {
				t.Errorf("%d after %q: %s", code, applied, answer)
			}
			if !strings.Contains(applied[0], `"spec":{"clusterIP":"None","ports":[{"port":5432}]}`) {
				t.Errorf("the object is another one: %s", applied[0])
			}
			var told metav1.Status
			if code == http.StatusConflict && (json.Unmarshal([]byte(answer), &told) != nil ||
				told.Reason != metav1.StatusReasonAlreadyExists || !strings.Contains(told.Message, "Service shop")) {
				t.Errorf("not told: %s", answer)
			}
			leave()
			if code, _ := apply(t, oneService(t, one.there, &applied), known, ""); code == http.StatusConflict {
				t.Error("a creation that is over still limits what others apply")
			}
		})
	}
}

func TestOtherAppliesGoThroughAsTheyAre(t *testing.T) {
	known := &creations{}
	defer known.enter(objectName{"v1", "Service", "team", "other"}, "")()
	var applied []string
	handle := oneService(t, "theirs", &applied)
	if code, _ := apply(t, handle, known, ""); code != http.StatusOK {
		t.Errorf("of another object: %d", code)
	}
	defer known.enter(shopService, "")()
	if code, _ := apply(t, handle, known, "&dryRun=All"); code != http.StatusOK {
		t.Errorf("of a preview: %d", code)
	}
	for _, text := range applied {
		if text != serviceOfTest {
			t.Errorf("changed: %s", text)
		}
	}
}

func TestAResourceIsKnownByWhatItsPropertiesSay(t *testing.T) {
	properties, err := structpb.NewStruct(map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "shop", "namespace": "team"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if object, isOne := createdBy(properties); !isOne || object != shopService {
		t.Errorf("%v %v", object, isOne)
	}
	if _, isOne := createdBy(&structpb.Struct{}); isOne {
		t.Error("no object is taken for one")
	}
}
