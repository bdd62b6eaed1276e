package main

import (
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend/display"
	ops "github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
)

// convertEvent makes of an engine's event what the CLI's event log (without colors) has of it. It returns nil for
// events that are not for the caller: steps, messages and the summary are. It converts the properties of a step only where
// details are asked for and the step changes something that is there: that costs the most, here and where they are read.
func convertEvent(event engine.Event, sequence int, details bool) (*apitype.EngineEvent, error) {
	switch payload := event.Payload().(type) {
	case engine.DiagEventPayload:
		// SDKs log the resources' properties at debug level, secrets in clear; ephemeral messages are about progress
		if payload.Severity == diag.Debug || (payload.Ephemeral && !details) {
			return nil, nil
		}
	case engine.SummaryEventPayload:
	case engine.ResourcePreEventPayload:
		if !details || saysAll(payload.Metadata.Op) {
			return stamped(preEvent(payload), sequence), nil
		}
	default:
		return nil, nil
	}

	converted, err := display.ConvertEngineEvent(event, false /* showSecrets */)
	if err != nil {
		return nil, err
	}
	if diagnostic := converted.DiagnosticEvent; diagnostic != nil {
		diagnostic.Message = colors.Never.Colorize(diagnostic.Message)
		diagnostic.Prefix = colors.Never.Colorize(diagnostic.Prefix)
		diagnostic.Color = string(colors.Never)
	}
	return stamped(converted, sequence), nil
}

// saysAll tells whether the kind of a step says all that is told of it: there is nothing that its values could be compared with.
func saysAll(op ops.StepOp) bool { return op == deploy.OpSame || op == deploy.OpCreate }

func preEvent(payload engine.ResourcePreEventPayload) apitype.EngineEvent {
	return apitype.EngineEvent{ResourcePreEvent: &apitype.ResourcePreEvent{
		Metadata: apitype.StepEventMetadata{
			Op:       apitype.OpType(payload.Metadata.Op),
			URN:      string(payload.Metadata.URN),
			Type:     string(payload.Metadata.Type),
			Logical:  payload.Metadata.Logical,
			Provider: payload.Metadata.Provider,
		},
		Planning: payload.Planning,
	}}
}

func stamped(event apitype.EngineEvent, sequence int) *apitype.EngineEvent {
	event.Sequence = sequence
	event.Timestamp = int(time.Now().Unix())
	return &event
}
