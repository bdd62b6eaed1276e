// Puts the webhooks together: the server, the certificates that it is served with, and what the API server learns of them.
import type { Logger } from "pino";
import { certificatesName, createCertificateStore, watchCertificates } from "../kube/certificate-store";
import type { KubeClient } from "../kube/client";
import { WebhookRegistrations } from "../kube/webhook-registrations";
import { bundleOf } from "../certificates/certificate-set";
import { CertificateKeeper } from "../certificates/keeper";
import { webhookTerms } from "../certificates/rotation";
import { answerAuthor } from "../admission/author";
import { answerConversion } from "../admission/convert";
import { serveReviews, type WebhookServer } from "../admission/server";
import { readsForStrangers } from "../admission/strangers";
import { answerAdmission } from "../admission/validate";
import { webhookService } from "../../contract/platform";
import type { AdmissionReads } from "../admission/verdict";
import type { ServedPreviews } from "./serve-previews";

/**
 * Of reviews: a list of Databases is converted as a whole; a change has the object before and after, neither of which the API server takes
 * with more than 3 MiB.
 */
const maxBytes = { list: 32 * 1024 ** 2, object: 7 * 1024 ** 2 };

export interface WebhooksOptions {
  /** 0: none are served. */
  readonly port: number;
  /** The authority, in PEM, of those who may ask for a change to be judged. Default: all may. */
  readonly clientAuthority?: string | undefined;
  /** The operator's namespace. */
  readonly namespace: string;
  /** For what every operator does. */
  readonly common: KubeClient;
  /** For what the one that leads does. */
  readonly client: KubeClient;
  readonly isLeading: () => boolean;
  readonly reads: AdmissionReads;
  /** Served at the same port. Default: none are. */
  readonly previews?: ServedPreviews | undefined;
  readonly log: Logger;
}

export interface Webhooks {
  /** Why they cannot be served; undefined when they can. */
  notReady(): string | undefined;
  /** To be called when the operator begins to lead. */
  lead(): void;
  close(): Promise<void>;
}

/** Between two looks at the certificates, where nothing happens: the longest, and after one that failed. In milliseconds. */
const longestPauseMs = 3_600_000;
const retryMs = 2000;

/** Serves the webhooks, and keeps them known to the API server. Rejects where the port is taken. */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { port, clientAuthority, reads, previews, log } = options;
  if (port === 0) {
    log.info("no webhooks: v1 alone is served, and changes are judged by the reconcile only");
    return { notReady: () => undefined, lead: () => undefined, close: () => Promise.resolve() };
  }
  const known = clientAuthority === undefined ? readsForStrangers(reads) : reads;
  const judge = (text: string): ReturnType<typeof answerAdmission> => answerAdmission(text, known);
  const server = await serveReviews({
    port,
    clientAuthority,
    api: previews?.api,
    doors: {
      [webhookService.conversionPath]: { handle: answerConversion, maxBytes: maxBytes.list },
      [webhookService.authorPath]: { handle: answerAuthor, maxBytes: maxBytes.object },
      [webhookService.validationPath]: { handle: judge, maxBytes: maxBytes.object, forClients: true },
    },
    onError: (path, error) => {
      log.warn({ path, err: error }, "review not answered");
    },
  });
  log.info({ webhooks: server.port }, "webhooks listening");
  previews?.start((bundle) => {
    server.trust(bundle);
  });
  return keepKnown(server, options);
}

function keepKnown(server: WebhookServer, options: WebhooksOptions): Webhooks {
  const { log, namespace, isLeading } = options;
  const onProblem = (err: unknown): void => {
    log.warn({ err }, "webhooks cannot be registered with the API server");
  };
  const registrations = new WebhookRegistrations({
    ...options,
    servesPreviews: options.previews !== undefined,
    onWritten: (object) => {
      log.info({ object }, "authorities of the webhooks written");
    },
    onProblem,
  });
  const keeper = new CertificateKeeper({
    store: createCertificateStore(options),
    hosts: [`${webhookService.name}.${namespace}.svc`],
    terms: webhookTerms,
    now: () => new Date(),
    isLeading,
    onChange: (set) => {
      server.use(set.serving);
      registrations.publish(bundleOf(set));
    },
    onRenewal: (step) => {
      log.info({ step, secret: certificatesName }, "webhook certificates renewed");
    },
  });
  const checks = new Checks(() => keeper.check(), onProblem);
  const secret = watchCertificates(options, { onChange: checks.soon, onProblem });
  checks.soon();
  // no caller waits for them: an operator that may not read one of them reconciles all the same
  void registrations.start();
  void secret.start();
  return {
    notReady: () => (keeper.held === undefined ? "the webhooks have no certificate yet" : undefined),
    lead() {
      checks.soon();
      registrations.writeSoon();
    },
    async close() {
      await Promise.all([checks.stop(), secret.stop(), registrations.stop(), options.previews?.stop()]);
      await server.close();
    },
  };
}

/** Looks at the certificates when asked to and when it is time, one look after the other. */
class Checks {
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    private readonly check: () => Promise<Date | undefined>,
    private readonly onProblem: (cause: unknown) => void,
  ) {}

  readonly soon = (): void => {
    this.#work = this.#work.then(async () => {
      clearTimeout(this.#timer);
      if (this.#isStopped) return;
      const pauseMs = await this.#look();
      this.#timer = setTimeout(this.soon, pauseMs);
    });
  };

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#work;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<number> {
    try {
      const due = await this.check();
      return Math.min(longestPauseMs, due === undefined ? longestPauseMs : Math.max(due.getTime() - Date.now(), 0));
    } catch (error) {
      this.onProblem(error);
      return retryMs;
    }
  }
}
