// Where the objects are that members read and write.

/** A pod. */
export const podPath = (namespace: string, name: string): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

/** A list of one pod, or of none. */
export const podListPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/pods?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;

/** A ConfigMap. */
export const configMapPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/configmaps/${name}`;

/** The pods of a database's members, without those of its Jobs. */
export const memberPodsPath = (namespace: string, database: string): string => {
  const labels = `app=database,database=${database},app.kubernetes.io/component=database`;
  return `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(labels)}`;
};
