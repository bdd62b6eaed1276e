package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

func metadata(op display.StepOp) engine.StepEventMetadata {
	return engine.StepEventMetadata{
		Op: op, URN: "urn:pulumi:s::p::t::n", Type: "t",
		New: &engine.StepEventStateMetadata{URN: "urn:pulumi:s::p::t::n", Inputs: resource.PropertyMap{
			"size": resource.NewProperty("large"),
		}},
	}
}

// told is the event as the caller gets it; empty where he gets none.
func told(t *testing.T, event engine.Event, details bool) string {
	t.Helper()
	converted, err := convertEvent(event, 3, details)
	if err != nil {
		t.Fatal(err)
	}
	if converted == nil {
		return ""
	}
	text, err := json.Marshal(converted)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDebugMessagesAreNeverSent(t *testing.T) {
	event := engine.NewEvent(engine.DiagEventPayload{Severity: diag.Debug, Message: "password=hunter2"})
	for _, details := range []bool{false, true} {
		if text := told(t, event, details); text != "" {
			t.Errorf("details=%v: %s", details, text)
		}
	}
}

func TestMessagesComeWithoutColours(t *testing.T) {
	event := engine.NewEvent(engine.DiagEventPayload{
		Severity: diag.Error, Prefix: colors.SpecError + "error: " + colors.Reset, Message: colors.SpecNote + "no\n",
	})
	text := told(t, event, false)
	if !strings.Contains(text, `"prefix":"error: ","message":"no\n","color":"never","severity":"error"`) {
		t.Errorf("got %s", text)
	}
}

func TestWithoutDetailsOnlyWhatIsCountedIsSent(t *testing.T) {
	pre := engine.NewEvent(engine.ResourcePreEventPayload{Metadata: metadata(deploy.OpUpdate)})
	text := told(t, pre, false)
	if !strings.Contains(text, `"op":"update"`) || !strings.Contains(text, `"urn":"urn:pulumi:s::p::t::n"`) {
		t.Errorf("got %s", text)
	}
	if strings.Contains(text, "large") {
		t.Errorf("properties are sent: %s", text)
	}
	if text := told(t, engine.NewEvent(engine.SummaryEventPayload{}), false); text == "" {
		t.Error("the summary is not sent")
	}
	for name, event := range map[string]engine.Event{
		"outputs":  engine.NewEvent(engine.ResourceOutputsEventPayload{Metadata: metadata(deploy.OpUpdate)}),
		"prelude":  engine.NewEvent(engine.PreludeEventPayload{}),
		"cancel":   engine.NewCancelEvent(),
		"progress": engine.NewEvent(engine.DiagEventPayload{Severity: diag.Info, Ephemeral: true}),
	} {
		if text := told(t, event, false); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestWithDetailsAStepThatChangesSomethingHasItsValues(t *testing.T) {
	pre := engine.NewEvent(engine.ResourcePreEventPayload{Metadata: metadata(deploy.OpUpdate), Planning: true})
	text := told(t, pre, true)
	for _, part := range []string{`"sequence":3`, `"size":"large"`, `"planning":true`} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing in %s", part, text)
		}
	}
	for _, op := range []display.StepOp{deploy.OpDelete, deploy.OpReplace, deploy.OpCreateReplacement} {
		if text := told(t, engine.NewEvent(engine.ResourcePreEventPayload{Metadata: metadata(op)}), true); !strings.Contains(text, "large") {
			t.Errorf("%s: %s", op, text)
		}
	}
}

func TestWithDetailsNothingIsSentThatNoPreviewShows(t *testing.T) {
	for _, op := range []display.StepOp{deploy.OpSame, deploy.OpCreate} {
		text := told(t, engine.NewEvent(engine.ResourcePreEventPayload{Metadata: metadata(op)}), true)
		if !strings.Contains(text, `"op":"`+string(op)+`"`) || strings.Contains(text, "large") {
			t.Errorf("%s: %s", op, text)
		}
	}
	outputs := engine.ResourceOutputsEventPayload{Metadata: metadata(deploy.OpUpdate)}
	for name, event := range map[string]engine.Event{
		"outputs": engine.NewEvent(outputs), "prelude": engine.NewEvent(engine.PreludeEventPayload{}),
	} {
		if text := told(t, event, true); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
}
