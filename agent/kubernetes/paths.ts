// Where the objects are that members read and write.

/** A pod. */
export const podPath = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

/** A ConfigMap. */
export const configMapPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/configmaps/${name}`;
