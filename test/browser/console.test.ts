// The console in a browser: what people see, with and without script, in both themes, wide and narrow. `UPDATE_PICTURES=1` writes those of the docs.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { Browser, Page } from "puppeteer-core";
import { z } from "zod";
import { ApiFailure, type Cluster } from "../../plugin/command/world";
import { personOf } from "../../plugin/console/access/open";
import { localApp } from "../../plugin/console/local/app";
import { LocalSession } from "../../plugin/console/local/session";
import { listen, type Listening } from "../../plugin/console/serve/listen";
import type { Stored } from "../fakes/plugin/cluster";
import { shown } from "../fakes/plugin/console";
import { reportOn } from "../fakes/plugin/previews";
import { approvedBilling, billing, plan } from "../fakes/plugin/waiting";
import { Watched } from "../fakes/plugin/watched";
import { now } from "../fakes/plugin/world";
import { eventually } from "../harness/eventually";
import { barriersOn } from "./accessibility";
import { startBrowser, textAt, troublesOf, withoutBrowser } from "./browser";

const Status = z.looseObject({ pendingChange: z.looseObject({ digest: z.string() }) });

const isUpdate = process.env["UPDATE_PICTURES"] === "1";
const pictures = join(__dirname, "../../docs/pictures");

const pages: Readonly<Record<string, string>> = {
  fleet: "/",
  billing: "/databases/shop/billing",
  ledger: "/databases/bank/ledger",
  why: "/databases/shop/orders/why",
  history: "/databases/shop/orders/history",
  revision: "/databases/shop/orders/history/40",
  compared: "/databases/shop/orders/history/39?with=41",
  edit: "/databases/shop/orders/edit",
  upgrade: "/upgrade",
  backups: "/databases/shop/orders/backups?name=again",
  missing: "/databases/shop/zebra",
};

suite("the console in a browser", { skip: withoutBrowser }, () => {
  let browser: Browser;
  let server: Listening;
  let watched: Watched;
  let objects: Stored[];
  let patches: unknown[];
  let isAway = false;
  let session: LocalSession;
  const stopping = new AbortController();
  const at = (path: string): string => `http://127.0.0.1:${server.port}${session.base}${path}`;

  /** In the place of the Database of this name. */
  const become = (name: string, object: Stored): void => {
    objects.splice(
      objects.findIndex(({ kind, metadata }) => kind === "Database" && metadata.name === name),
      1,
      object,
    );
    watched.happen("MODIFIED");
  };

  before(async () => {
    browser = await startBrowser();
    objects = [...shown];
    patches = [];
    const patched = (body: unknown): void => {
      patches.push(body);
      become("billing", approvedBilling);
    };
    watched = new Watched({ objects, preview: reportOn, patched });
    session = new LocalSession(() => now);
    const get: Cluster["get"] = (...asked) =>
      isAway ? Promise.reject(new ApiFailure(0, "", "it is away")) : watched.cluster.get(...asked);
    server = await listen({ host: "127.0.0.1", port: 0 }, (port) =>
      localApp({
        ...{ host: `127.0.0.1:${port}`, session, now: () => now, stopped: stopping.signal },
        open: () => Promise.resolve(personOf({ ...watched.cluster, get }, [], "jane")),
        onError: (path, error) => {
          if (!isAway) assert.fail(`${path}: ${String(error)}`);
        },
      }),
    );
    const first = await browser.newPage();
    await first.goto(session.linkAt(`http://127.0.0.1:${server.port}`));
    assert.equal(first.url(), at("/"));
    await first.close();
  });
  after(async () => {
    stopping.abort();
    await server.close();
    await browser.close();
  });

  interface Look {
    readonly theme?: "light" | "dark";
    readonly width?: number;
    readonly hasScript?: boolean;
  }

  async function looking(look: Look, work: (page: Page) => Promise<void>): Promise<void> {
    const { theme = "light", width = 1200, hasScript = true } = look;
    const page = await browser.newPage();
    try {
      const troubles = await troublesOf(page);
      await page.setJavaScriptEnabled(hasScript);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: theme }]);
      await page.setViewport({ width, height: 900 });
      await work(page);
      assert.deepEqual(
        // what the page about a missing Database is answered with, and one while the API server is away
        troubles.filter((text) => !/404 \(Not Found\)|502 \(Bad Gateway\)/.test(text)),
        [],
      );
    } finally {
      await page.close();
    }
  }

  for (const theme of ["light", "dark"] as const) {
    test(`axe finds nothing on any page, ${theme}, and nothing is cut off`, { timeout: 110_000 }, async () => {
      // how it is laid out does not depend on the theme
      for (const width of theme === "light" ? [1200, 320] : [1200])
        await looking({ theme, width }, async (page) => {
          for (const [name, path] of Object.entries(pages)) {
            await page.goto(at(path));
            assert.deepEqual(await barriersOn(page), [], `${name}, ${width} wide`);
            const room = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
            assert.ok(Number(room) <= 0, `${name} is ${String(room)} too wide for ${width}`);
          }
        });
    });

    test(`an edit is previewed without script, ${theme}`, { timeout: 60_000 }, async () => {
      await looking({ theme, hasScript: false }, async (page) => {
        await page.goto(at("/databases/shop/orders/edit"));
        await Promise.all([page.waitForNavigation(), page.click("main .primary")]);
        assert.match(await textAt(page, "main"), /What it would do.*max_connections/s);
      });
      if (isUpdate)
        await looking({ theme, width: 1000 }, async (page) => {
          for (const name of ["fleet", "billing"]) {
            await page.goto(at(pages[name] ?? "/"));
            await page.screenshot({ path: join(pictures, `console-${name}-${theme}.png`), fullPage: name === "fleet" });
          }
        });
    });
  }

  test("the first stop of the keyboard leads to the content", { timeout: 60_000 }, async () => {
    await looking({}, async (page) => {
      await page.goto(at("/"));
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      assert.equal(await page.evaluate("document.activeElement.id"), "main");
    });
  });

  test("a plan is approved without script: that very one, and the page says so", { timeout: 60_000 }, async () => {
    await looking({ hasScript: false }, async (page) => {
      await page.goto(at("/databases/shop/billing"));
      await Promise.all([page.waitForNavigation(), page.click('button[value="window"]')]);
      assert.equal(page.url(), at("/databases/shop/billing?done=approved"));
      assert.match(await textAt(page, ".notice"), /The approval is on record/);
      assert.match(JSON.stringify(patches), new RegExp(plan));
    });
    become("billing", billing);
  });

  test(
    "what changes is shown without loading the page again; a plan that moves is not put in its place",
    { timeout: 110_000 },
    async () => {
      await looking({}, async (page) => {
        const textOf = (selector: string): Promise<string> => textAt(page, selector);
        await page.goto(at("/"));
        await eventually(async () => {
          assert.equal(await textOf("#live-state"), "Up to date.");
        });
        const index = objects.findIndex(({ metadata }) => metadata.name === "cart");
        const [cart] = objects.splice(index, 1);
        watched.happen("DELETED");
        await eventually(async () => {
          assert.match(await textOf("#live"), /3 Databases; 2 need you/);
        });
        if (cart !== undefined) objects.push(cart);

        await page.goto(at("/databases/shop/billing"));
        await eventually(async () => {
          assert.equal(await textOf("#live-state"), "Up to date.");
        });
        const { pendingChange, ...status } = Status.parse(billing["status"]);
        const moved: Stored = {
          ...billing,
          status: { ...status, pendingChange: { ...pendingChange, digest: plan.replace("7f3c9a", "000000") } },
        };
        objects.splice(
          objects.findIndex(({ metadata }) => metadata.name === "billing"),
          1,
          moved,
        );
        watched.happen("MODIFIED");
        await eventually(async () => {
          assert.match(await textOf("#live-state"), /has moved/);
        });
        assert.match(await textOf("#live"), /7f3c9a51d0e2/);
        assert.equal(await page.evaluate('document.querySelector("button.primary").disabled'), true);
      });
    },
  );

  test("a page whose plan was approved follows what becomes of it", { timeout: 110_000 }, async () => {
    const status = Status.parse(billing["status"]);
    const approval = { state: "Accepted", by: "jane", message: "" };
    become("billing", { ...billing, status: { ...status, pendingChange: { ...status.pendingChange, approval } } });
    await looking({}, async (page) => {
      await page.goto(at("/databases/shop/billing"));
      await eventually(async () => {
        assert.match(await textAt(page, "main"), /Up to date\..*Take the approval back/s);
      });
      become("billing", { ...billing, status: { ...status, pendingChange: undefined } });
      await eventually(async () => {
        assert.doesNotMatch(await textAt(page, "#live"), /A change waits/);
      });
      assert.equal(await textAt(page, "#live-state"), "Up to date.");
    });
    become("billing", billing);
  });

  test(
    "what was seen stays while the API server is away, and is brought up to date after",
    { timeout: 110_000 },
    async () => {
      await looking({}, async (page) => {
        await page.goto(at("/databases/shop/billing"));
        await eventually(async () => {
          assert.equal(await textAt(page, "#live-state"), "Up to date.");
        });
        isAway = true;
        watched.happen("MODIFIED");
        await eventually(async () => {
          assert.match(await textAt(page, "#live-state"), /^No answer: what you see may have changed/);
        });
        assert.match(await textAt(page, "#live"), /A change waits/);
        isAway = false;
        await eventually(async () => {
          assert.equal(await textAt(page, "#live-state"), "Up to date.");
        });
      });
    },
  );
});
