package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	discovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const tokenOfTest = "the operator's token"

// apiServer answers over TLS, under a path of its own, and only those who have the token.
func apiServer(t *testing.T, handle http.HandlerFunc) (environ []string, server *httptest.Server) {
	t.Helper()
	server = httptest.NewTLSServer(http.StripPrefix("/cluster", http.HandlerFunc(
		func(to http.ResponseWriter, request *http.Request) {
			if request.Header.Get("Authorization") != "Bearer "+tokenOfTest {
				http.Error(to, "who are you?", http.StatusUnauthorized)
				return
			}
			handle(to, request)
		})))
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{Server: server.URL + "/cluster", InsecureSkipTLSVerify: true}
	config.AuthInfos["me"] = &clientcmdapi.AuthInfo{Token: tokenOfTest}
	config.Contexts["here"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "me", Namespace: "shop"}
	config.CurrentContext = "here"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return []string{"OTHER=1", "KUBECONFIG=" + path}, server
}

// through opens a gateway and returns what its provider would read of it.
func through(t *testing.T, environ []string) (*gateway, *rest.Config, string) {
	t.Helper()
	return throughFence(t, environ, &fence{})
}

func throughFence(t *testing.T, environ []string, writes *fence) (*gateway, *rest.Config, string) {
	t.Helper()
	g, err := openGateway(surroundings{environ, t.TempDir(), writes, &creations{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	config, namespace, err := clusterOf(g.environ)
	if err != nil {
		t.Fatal(err)
	}
	return g, config, namespace
}

func mustGet(t *testing.T, url string) *http.Response {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func TestGatewayPassesRequestsOnWithTheOperatorsCredentials(t *testing.T) {
	environ, _ := apiServer(t, func(to http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		to.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(to, "%s %s %s by %s", request.Method, request.URL, body, request.UserAgent())
	})
	_, config, namespace := through(t, environ)
	request, err := http.NewRequest(http.MethodPatch, config.Host+"/api/v1/namespaces/shop/secrets/a?force=true",
		strings.NewReader("the object"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "the provider")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(response.Body)
	const want = "PATCH /api/v1/namespaces/shop/secrets/a?force=true the object by the provider"
	if response.StatusCode != http.StatusCreated || string(answer) != want || namespace != "shop" {
		t.Errorf("%s %q, namespace %s", response.Status, answer, namespace)
	}
}

func TestGatewayKeepsStrangersOut(t *testing.T) {
	environ, _ := apiServer(t, func(http.ResponseWriter, *http.Request) { t.Error("a stranger came through") })
	g, config, _ := through(t, environ)
	address := config.Host[:strings.LastIndex(config.Host, "/")]
	for _, path := range []string{"/api", "/", "/cluster/api", "/AAAAAAAAAAAAAAAAAAAAAAAAAA/api"} {
		if response := mustGet(t, address+path); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
	info, err := os.Stat(g.kubeconfig)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig may be read by others: %v, %v", info, err)
	}
	g.close()
	if _, err := os.Stat(g.kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig stays: %v", err)
	}
}

// describes answers discovery as an API server does that knows pods and events.
func describes(aggregated bool) http.HandlerFunc {
	kinds := []struct{ plural, kind string }{{"pods", "Pod"}, {"events", "Event"}}
	resourceList := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: "v1"}
	groups := discovery.APIGroupDiscoveryList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList"}}
	version := discovery.APIVersionDiscovery{Version: "v1"}
	for _, known := range kinds {
		resourceList.APIResources = append(resourceList.APIResources, metav1.APIResource{
			Name: known.plural, Kind: known.kind, Namespaced: true, Verbs: metav1.Verbs{"list"},
		})
		version.Resources = append(version.Resources, discovery.APIResourceDiscovery{
			Resource: known.plural, ResponseKind: &metav1.GroupVersionKind{Version: "v1", Kind: known.kind},
			Scope: discovery.ScopeNamespace, Verbs: []string{"list"},
		})
	}
	groups.Items = []discovery.APIGroupDiscovery{{Versions: []discovery.APIVersionDiscovery{version}}}
	none := discovery.APIGroupDiscoveryList{TypeMeta: groups.TypeMeta}
	return func(to http.ResponseWriter, request *http.Request) {
		answers := map[string]any{
			"/api":    metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
			"/apis":   metav1.APIGroupList{},
			"/api/v1": resourceList,
		}
		contentType := "application/json"
		if aggregated {
			answers = map[string]any{"/api": groups, "/apis": none}
			contentType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
		}
		answer, found := answers[request.URL.Path]
		if !found {
			http.NotFound(to, request)
			return
		}
		to.Header().Set("Content-Type", contentType)
		_ = json.NewEncoder(to).Encode(answer)
	}
}

func TestGatewayTellsOfAllKindsButEvents(t *testing.T) {
	for _, aggregated := range []bool{true, false} {
		environ, _ := apiServer(t, describes(aggregated))
		direct, _, err := clusterOf(environ)
		if err != nil {
			t.Fatal(err)
		}
		_, config, _ := through(t, environ)
		knows := func(config *rest.Config, kind string) bool {
			client := clientdiscovery.NewDiscoveryClientForConfigOrDie(config)
			mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client))
			_, err := mapper.RESTMapping(schema.GroupKind{Kind: kind}, "v1")
			return err == nil
		}
		if !knows(direct, "Pod") || !knows(direct, "Event") {
			t.Fatal("the server of this test describes too little")
		}
		if !knows(config, "Pod") || knows(config, "Event") {
			t.Errorf("aggregated %v: pods %v, events %v", aggregated, knows(config, "Pod"), knows(config, "Event"))
		}
	}
}

func TestGatewayDoesNotTouchWhatItDoesNotKnow(t *testing.T) {
	const strange = `{"kind":"APIGroupDiscoveryList","items":"of another kind"}`
	environ, _ := apiServer(t, func(to http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(to, strange) })
	_, config, _ := through(t, environ)
	if answer, _ := io.ReadAll(mustGet(t, config.Host+"/api").Body); string(answer) != strange {
		t.Errorf("%s", answer)
	}
}

func TestGatewayPassesWatchesOnAsTheyCome(t *testing.T) {
	more := make(chan string)
	environ, _ := apiServer(t, func(to http.ResponseWriter, request *http.Request) {
		for line := range more {
			_, _ = fmt.Fprintln(to, line)
			_ = http.NewResponseController(to).Flush()
		}
	})
	_, config, _ := through(t, environ)
	go func() { more <- "first" }()
	lines := bufio.NewReader(mustGet(t, config.Host+"/api/v1/pods?watch=true").Body)
	for _, want := range []string{"first", "second"} {
		line, err := lines.ReadString('\n')
		if err != nil || line != want+"\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if want == "first" {
			more <- "second"
		}
	}
	close(more)
}

func TestGatewaySaysWhyTheAPIServerIsOutOfReach(t *testing.T) {
	environ, server := apiServer(t, func(http.ResponseWriter, *http.Request) {})
	_, config, _ := through(t, environ)
	server.Close()
	response := mustGet(t, config.Host+"/api/v1/namespaces")
	var told metav1.Status
	if err := json.NewDecoder(response.Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusServiceUnavailable || told.Reason != metav1.StatusReasonServiceUnavailable ||
		!strings.Contains(told.Message, "cannot reach the API server") || !strings.Contains(told.Message, "refused") {
		t.Errorf("%s %+v", response.Status, told)
	}
}

func TestGatewayPassesNothingOnThroughAClosedFence(t *testing.T) {
	var arrived int
	environ, _ := apiServer(t, func(http.ResponseWriter, *http.Request) { arrived++ })
	writes := &fence{}
	_, config, _ := throughFence(t, environ, writes)
	methods := []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodGet}
	expect := func(when string, wanted int) {
		t.Helper()
		for _, method := range methods {
			if got := mustAsk(t, method, secretIn(config), strings.NewReader("{}")); got != wanted {
				t.Errorf("%s, %s: %d", when, method, got)
			}
		}
	}
	expect("nothing is told", http.StatusOK)
	writes.set(time.Now().Add(time.Hour))
	expect("for an hour", http.StatusOK)
	if arrived != 2*len(methods) {
		t.Fatalf("%d requests arrived", arrived)
	}
	writes.set(time.Now())
	expect("from now on", http.StatusForbidden)
	if arrived != 2*len(methods) {
		t.Errorf("%d requests came through the closed fence", arrived-2*len(methods))
	}
}

func TestWhatIsOnItsWayWhenTheFenceClosesIsNotSent(t *testing.T) {
	for name, connected := range map[string]bool{"over a connection that is there": true, "over a new one": false} {
		t.Run(name, func(t *testing.T) {
			var written int
			environ, _ := apiServer(t, func(_ http.ResponseWriter, request *http.Request) {
				if request.Method != http.MethodGet {
					written++
				}
			})
			writes := &fence{}
			_, config, _ := throughFence(t, environ, writes)
			if connected {
				mustAsk(t, http.MethodGet, secretIn(config), nil)
			}
			closing := readerFunc(func(into []byte) (int, error) {
				writes.set(time.Now())
				return copy(into, "{}"), io.EOF
			})
			request, err := http.NewRequest(http.MethodPatch, secretIn(config), closing)
			if err != nil {
				t.Fatal(err)
			}
			// the body is asked for once the request has passed the guard
			request.Header.Set("Expect", "100-continue")
			client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode < 400 {
				t.Errorf("answered with %d", response.StatusCode)
			}
			if written > 0 {
				t.Error("it was sent")
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }

func secretIn(config *rest.Config) string { return config.Host + "/api/v1/namespaces/shop/secrets/a" }

func mustAsk(t *testing.T, method, url string, body io.Reader) (status int) {
	t.Helper()
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestGatewayNeedsACluster(t *testing.T) {
	if _, err := openGateway(surroundings{environ: []string{"KUBECONFIG=/no/such/file"}}); err == nil {
		t.Error("there is no cluster, and no error")
	}
}

func TestMessagesDoNotTellTheGatewaysAddress(t *testing.T) {
	environ, _ := apiServer(t, func(http.ResponseWriter, *http.Request) {})
	_, config, _ := through(t, environ)
	said := status.Error(codes.Unknown, `Get "`+config.Host+`/api/v1/pods": EOF`)
	if got := reworded(said); status.Code(got) != codes.Unknown || got.Error() != `rpc error: code = Unknown desc = Get "API server:/api/v1/pods": EOF` {
		t.Error(got)
	}
	other := errors.New("as it is")
	if reworded(other) != other || reworded(nil) != nil {
		t.Error("another error is changed")
	}
}
