// What the API says of itself: the group, its version, and the one kind that can only be created.
import { previewResource, previewVersion } from "../../contract/resources";

const { group, kind, plural } = previewResource;
const groupVersion = `${group}/${previewVersion}`;
const version = { groupVersion, version: previewVersion };

/** Everything of the API is below this path. */
export const previewRoot = `/apis/${group}`;

const ofGroup = { apiVersion: "v1", kind: "APIGroup", name: group, versions: [version], preferredVersion: version };

const ofVersion = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion,
  resources: [{ name: plural, singularName: kind.toLowerCase(), namespaced: true, kind, verbs: ["create"] }],
};

/** By path. Clients and the API server ask for them before anything else, and for nothing about a person. */
export const discovery: Readonly<Record<string, unknown>> = {
  [previewRoot]: ofGroup,
  [`${previewRoot}/${previewVersion}`]: ofVersion,
};
