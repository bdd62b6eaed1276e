import assert from "node:assert/strict";
import test from "node:test";
import { RegisterResourceRequest, RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { leanSdk } from "./lean-sdk";

test("an answer of the engine comes without outputs, and with everything else", () => {
  leanSdk();
  const sent = new RegisterResourceResponse();
  sent.setUrn("urn:pulumi:team.shop::databases::kubernetes:core/v1:Service::shop");
  sent.setId("team/shop");
  sent.setObject(Struct.fromJavaScript({ metadata: { uid: "1", labels: { a: "b" } }, list: [1, { c: null }] }));
  sent.setStable(true);
  sent.setStablesList(["metadata"]);
  const dependencies = new RegisterResourceResponse.PropertyDependencies();
  dependencies.setUrnsList(["urn:a", "urn:b"]);
  sent.getPropertydependenciesMap().set("spec", dependencies);
  const expected = { ...sent.toObject(), object: new Struct().toObject() };
  assert.deepEqual(RegisterResourceResponse.deserializeBinary(sent.serializeBinary()).toObject(), expected);
});

test("what a program sends is complete", () => {
  leanSdk();
  const sent = new RegisterResourceRequest();
  sent.setName("shop");
  sent.setObject(Struct.fromJavaScript({ metadata: { name: "shop" } }));
  const received = RegisterResourceRequest.deserializeBinary(sent.serializeBinary());
  assert.deepEqual(received.getObject()?.toJavaScript(), { metadata: { name: "shop" } });
});
