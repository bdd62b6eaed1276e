package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

const deadline = 20 * time.Second

// testDirectory is where the engine works, set up as main does it.
var testDirectory string

func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "pulumi-resident-test-")
	if err != nil {
		panic(err)
	}
	if err := os.Chdir(directory); err != nil {
		panic(err)
	}
	if directory, err = settle(); err != nil {
		panic(err)
	}
	testDirectory = directory
	code := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(code)
}

// serveGRPC serves on a free port until the test ends.
func serveGRPC(t *testing.T, register func(*grpc.Server)) (address string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	register(server)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String(), server.Stop
}

func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// fakeProvider keeps nothing and agrees to everything.
type fakeProvider struct {
	pulumirpc.UnimplementedResourceProviderServer
	configured, cancelled, created, deleted atomic.Int32
	// create is called for each creation.
	create func(*pulumirpc.CreateRequest) error
	// configure is called for each configuration.
	configure func(*pulumirpc.ConfigureRequest) error
	// frozen blocks every call while it is open.
	frozen chan struct{}
	end    func()
	exited chan struct{}
}

func (f *fakeProvider) thaw() {
	if f.frozen != nil {
		<-f.frozen
	}
}

func (f *fakeProvider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	f.thaw()
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (f *fakeProvider) CheckConfig(
	_ context.Context, request *pulumirpc.CheckRequest,
) (*pulumirpc.CheckResponse, error) {
	f.thaw()
	return &pulumirpc.CheckResponse{Inputs: request.News}, nil
}

func (f *fakeProvider) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (f *fakeProvider) Configure(
	_ context.Context, request *pulumirpc.ConfigureRequest,
) (*pulumirpc.ConfigureResponse, error) {
	f.configured.Add(1)
	if f.configure != nil {
		if err := f.configure(request); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, SupportsPreview: true}, nil
}

func (f *fakeProvider) Check(_ context.Context, request *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: request.News}, nil
}

func (f *fakeProvider) Diff(_ context.Context, request *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if request.News.String() == request.OldInputs.String() {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
	}
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_SOME}, nil
}

func (f *fakeProvider) Create(
	_ context.Context, request *pulumirpc.CreateRequest,
) (*pulumirpc.CreateResponse, error) {
	if !request.Preview {
		f.created.Add(1)
		if f.create != nil {
			if err := f.create(request); err != nil {
				return nil, err
			}
		}
	}
	return &pulumirpc.CreateResponse{Id: "id", Properties: request.Properties}, nil
}

func (f *fakeProvider) Update(
	_ context.Context, request *pulumirpc.UpdateRequest,
) (*pulumirpc.UpdateResponse, error) {
	return &pulumirpc.UpdateResponse{Properties: request.News}, nil
}

func (f *fakeProvider) Read(_ context.Context, request *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{Id: request.Id, Properties: request.Properties, Inputs: request.Inputs}, nil
}

func (f *fakeProvider) Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	f.deleted.Add(1)
	return &emptypb.Empty{}, nil
}

func (f *fakeProvider) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	f.cancelled.Add(1)
	return &emptypb.Empty{}, nil
}

// fakePool is a pool whose processes are fakes in this process.
type fakePool struct {
	*pool
	mu      sync.Mutex
	started []*fakeProvider
	// prepare is called with each provider before it serves.
	prepare func(*fakeProvider)
	// patience, if set, has the processes watched: how long they may take to give a sign of life.
	patience time.Duration
}

func newFakePool(t *testing.T) *fakePool {
	t.Helper()
	real, err := newPool(nil, "")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakePool{pool: real}
	real.start = func(context.Context, string, string) (*process, error) { return f.begin(t), nil }
	t.Cleanup(real.close)
	return f
}

func (f *fakePool) begin(t *testing.T) *process {
	fake := &fakeProvider{exited: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.prepare != nil {
		f.prepare(fake)
	}
	address, stop := serveGRPC(t, func(s *grpc.Server) { pulumirpc.RegisterResourceProviderServer(s, fake) })
	fake.end = sync.OnceFunc(func() {
		stop()
		close(fake.exited)
	})
	p := &process{name: "fake", conn: dial(t, address), kill: fake.end, exited: fake.exited}
	if f.patience > 0 {
		go p.watch(10*time.Millisecond, f.patience)
	}
	f.started = append(f.started, fake)
	return p
}

func (f *fakePool) provider(i int) *fakeProvider {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started[i]
}

// awaitEnd waits until the provider has been ended.
func (f *fakeProvider) awaitEnd(t *testing.T) {
	t.Helper()
	select {
	case <-f.exited:
	case <-time.After(deadline):
		t.Fatal("the provider was not ended")
	}
}

func (f *fakePool) startedCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.started)
}

// fakeProgram is an inline program: a LanguageRuntime that registers resources.
type fakeProgram struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	body func(monitor *deploytest.ResourceMonitor, engine pulumirpc.EngineClient) error
}

func (p *fakeProgram) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	if len(request.Args) != 1 {
		return nil, errors.New("the program is not told where the engine is")
	}
	engine, err := grpc.NewClient(request.Args[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer func() { _ = engine.Close() }()
	runtime := deploytest.NewLanguageRuntime(func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
		return p.body(monitor, pulumirpc.NewEngineClient(engine))
	})
	problem, bail, err := runtime.Run(ctx, plugin.RunInfo{MonitorAddress: request.MonitorAddress})
	return &pulumirpc.RunResponse{Error: problem, Bail: bail}, err
}

// declare serves a program that registers a stack with one resource that has these inputs.
func declare(t *testing.T, stack string, inputs resource.PropertyMap) string {
	t.Helper()
	return serveProgram(t, func(monitor *deploytest.ResourceMonitor, _ pulumirpc.EngineClient) error {
		root, err := monitor.RegisterResource(resource.RootStackType, "databases-"+stack, false)
		if err != nil {
			return err
		}
		_, err = monitor.RegisterResource("pkg:m:Thing", "thing", true, deploytest.ResourceOptions{
			Parent: root.URN, Inputs: inputs, Version: "1.0.0",
		})
		return err
	})
}

func serveProgram(t *testing.T, body func(*deploytest.ResourceMonitor, pulumirpc.EngineClient) error) string {
	t.Helper()
	address, _ := serveGRPC(t, func(s *grpc.Server) {
		pulumirpc.RegisterLanguageRuntimeServer(s, &fakeProgram{body: body})
	})
	return address
}

// salt makes a salt with the stock code, once: it is slow on purpose.
var salt = sync.OnceValue(func() string {
	made, _, err := passphrase.NewPassphraseSecretsManager("secret")
	if err != nil {
		panic(err)
	}
	return made
})

// testKeys are everybody's: deriving a key is slow on purpose.
var testKeys = sync.OnceValue(func() *keyring { return newKeyring("secret") })

// fakeCaller is who talks to the server.
type fakeCaller struct {
	t      *testing.T
	server *server
	mu     sync.Mutex
	rest   bytes.Buffer
	lines  []received
	news   chan struct{}
}

// received is any line of standard output.
type received struct {
	ID    string          `json:"id"`
	Event json.RawMessage `json:"event"`
	Done  *struct {
		Result     result          `json:"result"`
		Message    string          `json:"message"`
		Checkpoint json.RawMessage `json:"checkpoint"`
		Changes    map[string]int  `json:"changes"`
	} `json:"done"`
	Pong   string `json:"pong"`
	Runs   int    `json:"runs"`
	Active int    `json:"active"`
}

func newCaller(t *testing.T, pool *pool) *fakeCaller {
	t.Helper()
	c := &fakeCaller{t: t, news: make(chan struct{}, 1)}
	c.server = newServer(&output{to: c}, "secret", pool, testDirectory)
	c.server.keys = testKeys()
	return c
}

func (c *fakeCaller) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest.Write(text)
	for {
		line, err := c.rest.ReadString('\n')
		if err != nil {
			c.rest.WriteString(line)
			break
		}
		var parsed received
		if err := json.Unmarshal([]byte(line), &parsed); err != nil {
			c.t.Errorf("not a line of JSON: %q", line)
		}
		c.lines = append(c.lines, parsed)
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
	return len(text), nil
}

// await returns the first line that is as wanted.
func (c *fakeCaller) await(wanted func(received) bool) received {
	c.t.Helper()
	timeout := time.After(deadline)
	for {
		c.mu.Lock()
		for _, line := range c.lines {
			if wanted(line) {
				c.mu.Unlock()
				return line
			}
		}
		c.mu.Unlock()
		select {
		case <-c.news:
		case <-timeout:
			c.t.Fatal("no such answer")
		}
	}
}

// forget drops what was received so far.
func (c *fakeCaller) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = nil
}

func (c *fakeCaller) send(message any) {
	c.t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.server.handle(line)
}

func (c *fakeCaller) start(id string, run runRequest) {
	c.t.Helper()
	run.Project = "databases"
	if run.Salt == "" {
		run.Salt = salt()
	}
	c.send(map[string]any{"id": id, "run": run})
}

func (c *fakeCaller) result(id string) received {
	c.t.Helper()
	return c.await(func(line received) bool { return line.ID == id && line.Done != nil })
}

// run runs to the end.
func (c *fakeCaller) run(id string, run runRequest) received {
	c.t.Helper()
	c.start(id, run)
	return c.result(id)
}

// succeed is a run that must succeed.
func (c *fakeCaller) succeed(id string, run runRequest) received {
	c.t.Helper()
	got := c.run(id, run)
	if got.Done.Result != resultSucceeded {
		c.t.Fatalf("%s: %s %s", run.Operation, got.Done.Result, got.Done.Message)
	}
	return got
}

// events are all that a run has told, as text.
func (c *fakeCaller) events(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, line := range c.lines {
		if line.ID == id && line.Event != nil {
			all = append(all, string(line.Event))
		}
	}
	return strings.Join(all, "\n")
}
