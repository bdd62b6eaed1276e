package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"k8s.io/apimachinery/pkg/types"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// programRuntime is the runtime of every project here. The engine knows the name "client" too, for which it opens a
// connection to the program by itself, but never closes it.
const programRuntime = "inline"

// sinks take a run's diagnostics.
type sinks struct{ diag, status diag.Sink }

func (s sinks) log(message logMessage) {
	// a provider may still speak when its run's events are closed, and nobody is concerned any more
	defer func() { _ = recover() }()
	sink := s.diag
	if message.ephemeral {
		sink = s.status
	}
	sink.Logf(message.severity, diag.StreamMessage(message.urn, message.text, message.stream))
}

// runHost is the plugin host of one run: its program, and its share of the providers.
type runHost struct {
	sinks
	stack   stackKey
	pool    *pool
	program string
	// existing is what creations may take over; nil: what they find.
	existing map[string]types.UID
	server   *engineServer

	mu      sync.Mutex
	closed  bool
	runtime plugin.LanguageRuntime
	conn    *grpc.ClientConn
	leases  []*lease
}

var _ plugin.Host = (*runHost)(nil)

// newRunHost makes a host for a run on a stack; `program` is the address of its program, empty where it has none.
func newRunHost(stack stackKey, program string, pool *pool, to sinks) (*runHost, error) {
	h := &runHost{sinks: to, stack: stack, pool: pool, program: program}
	if program != "" {
		server, err := serveEngine(to.log)
		if err != nil {
			return nil, err
		}
		h.server = server
	}
	pool.listen(h)
	return h, nil
}

func (h *runHost) ServerAddr() string {
	if h.server == nil {
		return ""
	}
	return h.server.address
}

func (h *runHost) Log(severity diag.Severity, urn resource.URN, text string, stream int32) {
	h.log(logMessage{severity, urn, text, stream, false})
}

func (h *runHost) LogStatus(severity diag.Severity, urn resource.URN, text string, stream int32) {
	h.log(logMessage{severity, urn, text, stream, true})
}

// Provider hands out a pooled provider. Each run has a client of its own, which is configured once and closed like any
// other; only the process behind it is shared.
func (h *runHost) Provider(
	ctx *plugin.Context, descriptor workspace.PluginDescriptor, _ env.Env,
) (plugin.Provider, error) {
	if descriptor.PluginDownloadURL != "" || descriptor.IsGitPlugin() {
		return nil, fmt.Errorf("provider %s: plugins are not downloaded here", descriptor.Name)
	}
	lease, err := h.pool.lease(ctx.Request(), packageKey(descriptor))
	if err != nil {
		return nil, err
	}
	lease.existing = h.existing
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		lease.release()
		return nil, errClosed
	}
	h.leases = append(h.leases, lease)
	h.mu.Unlock()

	client := pulumirpc.NewResourceProviderClient(lease)
	provider := plugin.NewProviderWithClient(ctx, client, ctx.DisableProviderPreview())
	_, err = provider.Handshake(ctx.Request(), plugin.ProviderHandshakeRequest{})
	if err != nil && status.Code(err) != codes.Unimplemented {
		return nil, fmt.Errorf("provider %s: %w", descriptor.Name, err)
	}
	return provider, nil
}

var errClosed = errors.New("the run is over")

func (h *runHost) LanguageRuntime(_ *plugin.Context, runtime string) (plugin.LanguageRuntime, error) {
	if runtime != programRuntime || h.program == "" {
		return nil, fmt.Errorf("there is no language runtime %q here", runtime)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.runtime == nil {
		transport := grpc.WithTransportCredentials(insecure.NewCredentials())
		conn, err := grpc.NewClient(h.program, transport, rpcutil.GrpcChannelOptions())
		if err != nil {
			return nil, fmt.Errorf("cannot reach the program: %w", err)
		}
		h.conn = conn
		client := plugin.NewLanguageRuntimeClient(programRuntime, pulumirpc.NewLanguageRuntimeClient(conn))
		h.runtime = inlineProgram{client, h.server.address}
	}
	return h.runtime, nil
}

// inlineProgram is a program that runs in the caller's process.
type inlineProgram struct {
	plugin.LanguageRuntime
	engine string
}

// GetRequiredPackages: an inline program tells none.
func (inlineProgram) GetRequiredPackages(
	context.Context, plugin.ProgramInfo,
) ([]workspace.PackageDescriptor, []workspace.PackageSpec, error) {
	return nil, nil, nil
}

// Run tells the program where the engine is, as the engine does for the runtime "client".
func (p inlineProgram) Run(ctx context.Context, info plugin.RunInfo) (string, bool, error) {
	info.Args = []string{p.engine}
	return p.LanguageRuntime.Run(ctx, info)
}

// Close ends the run's share: providers go on for others. The engine calls it when it likes, and so does the run.
func (h *runHost) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.closed = true
	h.pool.unlisten(h)
	for _, lease := range h.leases {
		lease.release()
	}
	h.leases = nil
	if h.conn != nil {
		_ = h.conn.Close()
	}
	if h.server != nil {
		h.server.close()
	}
	return nil
}

// SignalCancellation does not reach the providers: other runs work with them.
func (h *runHost) SignalCancellation() error { return nil }

// ReleaseContext has nothing to release before Close.
func (h *runHost) ReleaseContext(*plugin.Context) error { return nil }

func (h *runHost) ResolvePlugin(
	*plugin.Context, workspace.PluginDescriptor,
) (*workspace.PluginInfo, error) {
	return nil, errors.New("plugins are not resolved here")
}

func (h *runHost) PolicyAnalyzer(
	*plugin.Context, tokens.QName, string, *plugin.PolicyAnalyzerOptions,
) (plugin.Analyzer, error) {
	return nil, errors.New("policy packs are not supported here")
}

func (h *runHost) Loader(*plugin.Context) (*plugin.GrpcServer, error)   { return nil, nil }
func (h *runHost) Mapper(*plugin.Context) (*plugin.GrpcServer, error)   { return nil, nil }
func (h *runHost) Resolver(*plugin.Context) (*plugin.GrpcServer, error) { return nil, nil }

func (h *runHost) StartDebugging(plugin.DebuggingInfo) error {
	return errors.New("debugging is not supported here")
}
func (h *runHost) AttachDebugger(plugin.DebugSpec) bool { return false }
