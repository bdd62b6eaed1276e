// Where the API server learns of the webhooks: in the custom resource's conversion, in the configurations of webhooks, and of the
// API of previews in its APIService. The platform creates them; the operator that leads writes into them by which authorities the webhooks are known, and again
// where that has been removed.
import { z } from "zod";
import { operatorName } from "../../contract/platform";
import { encode } from "./operator-secrets";
import { databaseResource, previewApiService } from "../../contract/resources";
import type { KubeClient } from "./client";
import { collection, resources, type Resource } from "./paths";
import { Reflector } from "./reflector";

/** The configurations of webhooks that the platform creates, by their kind. */
const configurations = {
  MutatingWebhookConfiguration: resources.mutatingWebhookConfigurations,
  ValidatingWebhookConfiguration: resources.validatingWebhookConfigurations,
} as const satisfies Readonly<Record<string, Resource>>;

const crdName = `${databaseResource.plural}.${databaseResource.group}`;

/** After a write that failed. */
const retryMs = 5000;

const ClientConfig = z.object({
  caBundle: z.string().default(""),
  service: z.object({ namespace: z.string() }).optional(),
});
type ClientConfig = z.infer<typeof ClientConfig>;

const Crd = z.object({
  spec: z.object({
    conversion: z
      .object({ strategy: z.string(), webhook: z.object({ clientConfig: ClientConfig }).optional() })
      .optional(),
  }),
});
const Configuration = z.object({
  webhooks: z.array(z.object({ name: z.string(), clientConfig: ClientConfig })).default([]),
});

interface FoundWebhooks {
  readonly kind: string;
  readonly resource: Resource;
  readonly found: z.infer<typeof Configuration>["webhooks"];
}

const ApiService = z.object({ spec: ClientConfig });

/** A part of an object, as server-side apply takes it. */
interface ObjectPart {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [part: string]: unknown;
}

export interface RegistrationsOptions {
  readonly common: KubeClient;
  /** Writes. */
  readonly client: KubeClient;
  /** The operator's namespace: webhooks of another are not its own. */
  readonly namespace: string;
  /** Whether there is an APIService of previews to look after. */
  readonly servesPreviews: boolean;
  readonly isLeading: () => boolean;
  /** Notified of every object that now names the authorities. */
  readonly onWritten: (object: string) => void;
  readonly onProblem: (cause: unknown) => void;
}

export class WebhookRegistrations {
  readonly #crd: Reflector<ClientConfig>;
  readonly #configurations: readonly (readonly [
    string,
    Resource,
    Reflector<z.infer<typeof Configuration>["webhooks"]>,
  ])[];
  readonly #apiService: Reflector<ClientConfig> | undefined;
  #bundle: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  constructor(private readonly options: RegistrationsOptions) {
    this.#crd = this.#reflect(resources.customResourceDefinitions, crdName, (object) => {
      const { conversion } = Crd.parse(object).spec;
      return conversion?.strategy === "Webhook" ? conversion.webhook?.clientConfig : undefined;
    });
    this.#configurations = Object.entries(configurations).map(([kind, resource]) => [
      kind,
      resource,
      this.#reflect(resource, operatorName, (object) => Configuration.parse(object).webhooks),
    ]);
    this.#apiService = options.servesPreviews
      ? this.#reflect(resources.apiServices, previewApiService, (object) => ApiService.parse(object).spec)
      : undefined;
  }

  /** Resolves when all have been looked at. */
  async start(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.start()));
  }

  async stop(): Promise<void> {
    clearTimeout(this.#retry);
    await Promise.all(this.#all.map((one) => one.stop()));
    await this.#work;
    // the last attempt may have asked for another
    clearTimeout(this.#retry);
  }

  /** From now on the webhooks are known by these authorities, as PEM. */
  publish(bundle: string): void {
    this.#bundle = encode(bundle);
    this.writeSoon();
  }

  /** Writes what is not as it should be; to be called when the operator begins to lead. Never rejects. */
  writeSoon(): void {
    clearTimeout(this.#retry);
    this.#work = this.#work
      .then(() => this.#write())
      .catch((error: unknown) => {
        this.options.onProblem(error);
        this.#retry = setTimeout(() => {
          this.writeSoon();
        }, retryMs);
      });
  }

  async #write(): Promise<void> {
    const bundle = this.#bundle;
    if (bundle === undefined || !this.options.isLeading()) return;
    await this.#writeConversion(bundle);
    for (const [kind, resource, reflector] of this.#configurations)
      await this.#writeWebhooks(bundle, { kind, resource, found: reflector.get(operatorName) ?? [] });
    await this.#writeApiService(bundle);
  }

  async #writeConversion(bundle: string): Promise<void> {
    const crd = this.#crd.get(crdName);
    if (crd !== undefined && this.#needs(crd, bundle)) {
      const clientConfig = { caBundle: bundle };
      await this.#apply(resources.customResourceDefinitions, {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: crdName },
        spec: { conversion: { webhook: { clientConfig } } },
      });
    }
  }

  get #all(): readonly Pick<Reflector<unknown>, "start" | "stop">[] {
    const others = this.#apiService === undefined ? [] : [this.#apiService];
    return [this.#crd, ...this.#configurations.map(([, , reflector]) => reflector), ...others];
  }

  async #writeWebhooks(bundle: string, { kind, resource, found }: FoundWebhooks): Promise<void> {
    const webhooks = found.filter(({ clientConfig }) => this.#isOwn(clientConfig));
    if (webhooks.some(({ clientConfig }) => this.#needs(clientConfig, bundle))) {
      await this.#apply(resource, {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind,
        metadata: { name: operatorName },
        webhooks: webhooks.map(({ name }) => ({ name, clientConfig: { caBundle: bundle } })),
      });
    }
  }

  async #writeApiService(bundle: string): Promise<void> {
    const found = this.#apiService?.get(previewApiService);
    if (found === undefined || !this.#needs(found, bundle)) return;
    await this.#apply(resources.apiServices, {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: previewApiService },
      spec: { caBundle: bundle },
    });
  }

  #isOwn({ service }: ClientConfig): boolean {
    return service === undefined || service.namespace === this.options.namespace;
  }

  #needs(clientConfig: ClientConfig, bundle: string): boolean {
    return this.#isOwn(clientConfig) && clientConfig.caBundle !== bundle;
  }

  /** Applies that part alone: everything else in the object stays whose it is. */
  async #apply(resource: Resource, body: ObjectPart): Promise<void> {
    await this.options.client.apply(`${collection(resource)}/${body.metadata.name}`, body);
    this.options.onWritten(`${body.kind} ${body.metadata.name}`);
  }

  #reflect<T>(resource: Resource, name: string, parse: (object: unknown) => T | undefined): Reflector<T> {
    const { common, onProblem } = this.options;
    return new Reflector<T>({
      client: common,
      path: collection(resource),
      fieldSelector: `metadata.name=${name}`,
      parse,
      onChange: () => {
        this.writeSoon();
      },
      onProblem,
    });
  }
}
