package main

import (
	"context"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/version"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// logMessage is what a program or provider logs through the engine.
type logMessage struct {
	severity diag.Severity
	urn      resource.URN
	text     string
	stream   int32
	// ephemeral messages are about progress.
	ephemeral bool
}

// engineServer is the engine's RPC interface for one program, or for all providers.
type engineServer struct {
	pulumirpc.UnimplementedEngineServer
	log     func(logMessage)
	root    atomic.Value
	address string
	server  *grpc.Server
}

func serveEngine(log func(logMessage)) (*engineServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &engineServer{log: log, address: listener.Addr().String(), server: grpc.NewServer()}
	e.root.Store("")
	pulumirpc.RegisterEngineServer(e.server, e)
	// providers end themselves when their engine is not healthy
	grpc_health_v1.RegisterHealthServer(e.server, health.NewServer())
	go func() { _ = e.server.Serve(listener) }()
	return e, nil
}

func (e *engineServer) close() { e.server.Stop() }

func (e *engineServer) Log(_ context.Context, request *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	severity := diag.Error
	switch request.Severity {
	case pulumirpc.LogSeverity_DEBUG:
		return &emptypb.Empty{}, nil
	case pulumirpc.LogSeverity_INFO:
		severity = diag.Info
	case pulumirpc.LogSeverity_WARNING:
		severity = diag.Warning
	case pulumirpc.LogSeverity_ERROR:
	}
	e.log(logMessage{severity, resource.URN(request.Urn), request.Message, request.StreamId, request.Ephemeral})
	return &emptypb.Empty{}, nil
}

func (e *engineServer) GetRootResource(
	context.Context, *pulumirpc.GetRootResourceRequest,
) (*pulumirpc.GetRootResourceResponse, error) {
	urn, _ := e.root.Load().(string)
	return &pulumirpc.GetRootResourceResponse{Urn: urn}, nil
}

func (e *engineServer) SetRootResource(
	_ context.Context, request *pulumirpc.SetRootResourceRequest,
) (*pulumirpc.SetRootResourceResponse, error) {
	e.root.Store(request.Urn)
	return &pulumirpc.SetRootResourceResponse{}, nil
}

func (e *engineServer) RequirePulumiVersion(
	_ context.Context, request *pulumirpc.RequirePulumiVersionRequest,
) (*pulumirpc.RequirePulumiVersionResponse, error) {
	err := plugin.ValidatePulumiVersionRange(request.PulumiVersionRange, version.Version)
	return &pulumirpc.RequirePulumiVersionResponse{}, err
}
