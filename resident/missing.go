package main

import (
	"io"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// onceOnly keeps the provider from retrying an apply whose prerequisite does not exist.
//
// An apply creates what is missing, so a 404 is about something else: the Role of a binding, a namespace, a kind.
// pulumi-kubernetes expects it to appear, and retries six times within 63 s, which nothing can interrupt. Here it does not
// appear: it existed when the run read it and was deleted since, so the run cannot succeed any more. The operator looks again
// a second later, and starts a run that creates both.
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
	const code = http.StatusUnprocessableEntity
	answer.StatusCode = code
	answer.Status = strconv.Itoa(code) + " " + http.StatusText(code)
	setBody(answer, edited(text, func(told *metav1.Status) {
		told.Code, told.Reason = code, metav1.StatusReasonInvalid
	}))
	return answer, nil
}
