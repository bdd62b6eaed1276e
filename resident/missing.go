package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// onceOnly answers an apply that needs what is not there so that the provider does not repeat it.
//
// An apply makes what is missing; a 404 is about something else: the Role of a binding, a namespace, a kind. pulumi-kubernetes
// expects it to come while it waits, and asks six times within 63 s, which nothing can cut short. Here it does not come: the
// run has read it, and whoever deleted it since has ended what this run is good for. The operator looks again a second later,
// and begins a run that makes both.
type onceOnly struct{ next http.RoundTripper }

func (o onceOnly) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := o.next.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusNotFound || !isApply(request) {
		return answer, err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		return nil, err
	}
	return answerWith(answer, http.StatusUnprocessableEntity, final(text)), nil
}

// final is a Status that says the same and is no reason to ask again; what is no Status is returned as it is.
func final(text []byte) []byte {
	var told metav1.Status
	if json.Unmarshal(text, &told) != nil || told.Kind != "Status" {
		return text
	}
	told.Code, told.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
	again, err := json.Marshal(told)
	if err != nil {
		return text
	}
	return again
}

// answerWith puts another code and text into an answer whose body was read.
func answerWith(answer *http.Response, code int, text []byte) *http.Response {
	answer.StatusCode = code
	answer.Status = strconv.Itoa(code) + " " + http.StatusText(code)
	answer.Body = io.NopCloser(bytes.NewReader(text))
	answer.ContentLength = int64(len(text))
	answer.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return answer
}
