package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/status"
	discovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// gateway is what a provider takes for the API server: a server on the loopback that passes its requests on, and does not
// tell of events.
//
// pulumi-kubernetes hears all events of a namespace anew for each object that it makes there, also where it waits for
// nothing, and never lets go of what it listens with (await.NewEventAggregator, which is stopped before it starts). For one
// run that is little; in a process that stays it grows with the square of the objects. It goes without where the cluster
// has no such kind.
//
// It also passes nothing on once the fence is closed, lets no object be overwritten that a run did not expect, keeps the
// provider from retrying an apply whose prerequisite does not exist, and deletes what needs no provider.
type gateway struct {
	// environ is the provider's, with the way to the gateway.
	environ []string
	// kubeconfig is the file that says where the gateway is, with the secret that lets its provider in.
	kubeconfig string
	server     *http.Server
	// api is where the API server is, transport how it is reached.
	api       *url.URL
	transport http.RoundTripper
	writes    *fence
}

// openGateway serves the cluster of the kubeconfig that the environment names, or of the pod.
func openGateway(around surroundings) (*gateway, error) {
	config, namespace, err := clusterOf(around.environ)
	if err != nil {
		return nil, err
	}
	api, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	config.Dial = around.writes.fenced((&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext)
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	transport = presumed{onceOnly{createOnly{transport, around.creations}}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	// client-go sends credentials over TLS only, but any path
	secret := "/" + rand.Text()
	g := &gateway{
		kubeconfig: filepath.Join(around.directory, "kubeconfig-"+rand.Text()),
		api:        api,
		transport:  transport,
		writes:     around.writes,
		server: &http.Server{
			Handler:  http.StripPrefix(secret, around.writes.guard(passOn(api, transport))),
			ErrorLog: complain,
		},
	}
	if err := writeKubeconfig(g.kubeconfig, "http://"+listener.Addr().String()+secret, namespace); err != nil {
		_ = listener.Close()
		return nil, err
	}
	g.environ = append(without(around.environ, clientcmd.RecommendedConfigPathEnvVar),
		clientcmd.RecommendedConfigPathEnvVar+"="+g.kubeconfig)
	go func() { _ = g.server.Serve(listener) }()
	return g, nil
}

func (g *gateway) close() {
	_ = g.server.Close()
	_ = os.Remove(g.kubeconfig)
}

// clusterOf reads what client-go would take for the current cluster and namespace.
func clusterOf(environ []string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	for _, variable := range environ {
		if paths, found := strings.CutPrefix(variable, clientcmd.RecommendedConfigPathEnvVar+"="); found {
			rules.Precedence = filepath.SplitList(paths)
		}
	}
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil)
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, "", err
	}
	namespace, _, err := loaded.Namespace()
	return config, namespace, err
}

func writeKubeconfig(path, address, namespace string) error {
	const name = "gateway"
	config := clientcmdapi.NewConfig()
	// with a name for TLS, which is not spoken here, client-go keeps as many connections as it uses; else it keeps two
	config.Clusters[name] = &clientcmdapi.Cluster{Server: address, TLSServerName: name, DisableCompression: true}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, Namespace: namespace}
	config.CurrentContext = name
	return clientcmd.WriteToFile(*config, path)
}

func without(environ []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		return strings.HasPrefix(variable, name+"=")
	})
}

func passOn(api *url.URL, transport http.RoundTripper) http.Handler {
	return &httputil.ReverseProxy{
		Transport: transport,
		// watches
		FlushInterval: -1,
		ErrorLog:      complain,
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(api)
			if tellsOfCore(request.In.URL.Path) {
				request.Out.Header.Del("Accept-Encoding")
			}
			request.Out.Body = repeatable(request.Out)
		},
		ModifyResponse: func(response *http.Response) error {
			// the server may be under a path of its own
			path := strings.TrimPrefix(response.Request.URL.Path, strings.TrimSuffix(api.Path, "/"))
			if response.StatusCode != http.StatusOK || !tellsOfCore(path) {
				return nil
			}
			return hideEvents(response)
		},
		ErrorHandler: func(to http.ResponseWriter, _ *http.Request, err error) {
			refuse(to, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
				"cannot reach the API server: "+err.Error())
		},
	}
}

// refuse answers as the API server would.
func refuse(to http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	to.Header().Set("Content-Type", "application/json")
	to.WriteHeader(int(code))
	_ = json.NewEncoder(to).Encode(metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Code:     code,
		Reason:   reason,
		Message:  message,
	})
}

// repeatable makes a request one that the transport can send again over another connection, as client-go's are.
func repeatable(request *http.Request) io.ReadCloser {
	if request.Body == nil || request.Body == http.NoBody {
		return request.Body
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return io.NopCloser(failing{err})
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	request.GetBody = again
	copied, _ := again()
	return copied
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// tellsOfCore tells whether the API server describes the core group there, in either of its ways.
func tellsOfCore(path string) bool { return path == "/api" || path == "/api/v1" }

// hideEvents takes events out of a description of the core group. One of another form stays as it is: a provider with events
// works, too.
func hideEvents(response *http.Response) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	var kind metav1.TypeMeta
	if json.Unmarshal(body, &kind) == nil {
		switch kind.Kind {
		case "APIGroupDiscoveryList":
			body = edited(body, func(list *discovery.APIGroupDiscoveryList) {
				for _, group := range list.Items {
					for i, version := range group.Versions {
						group.Versions[i].Resources = slices.DeleteFunc(version.Resources, func(resource discovery.APIResourceDiscovery) bool {
							return resource.Resource == "events"
						})
					}
				}
			})
		case "APIResourceList":
			body = edited(body, func(list *metav1.APIResourceList) {
				list.APIResources = slices.DeleteFunc(list.APIResources, func(resource metav1.APIResource) bool {
					return resource.Name == "events"
				})
			})
		}
	}
	setBody(response, body)
	return nil
}

// setBody gives a response whose body was read another one.
func setBody(response *http.Response, body []byte) {
	response.Body = io.NopCloser(bytes.NewReader(body))
	response.ContentLength = int64(len(body))
	response.Header.Set("Content-Length", strconv.Itoa(len(body)))
}

// edited returns the JSON as it was where it is not what is expected.
func edited[T any](body []byte, edit func(*T)) []byte {
	value := new(T)
	if json.Unmarshal(body, value) != nil {
		return body
	}
	edit(value)
	changed, err := json.Marshal(value)
	if err != nil {
		return body
	}
	return changed
}

var gatewayAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[A-Z2-7]{26}`)

// reword takes the address of a gateway, which is a secret, out of a message.
func reword(text string) string { return gatewayAddress.ReplaceAllLiteralString(text, "API server:") }

// reworded does so with what a provider answered.
func reworded(err error) error {
	if err == nil || !gatewayAddress.MatchString(err.Error()) {
		return err
	}
	told := status.Convert(err).Proto()
	told.Message = reword(told.Message)
	return status.FromProto(told).Err()
}
