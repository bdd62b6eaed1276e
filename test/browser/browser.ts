// Debian's Chromium, without a window, and what a page in it does that it must not.
import { existsSync } from "node:fs";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const program = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** Why a test that needs it is skipped; false where it is there. */
export const withoutBrowser: string | false = existsSync(program)
  ? false
  : "there is no Chromium: apt-get install chromium";

export const startBrowser = (): Promise<Browser> =>
  puppeteer.launch({
    executablePath: program,
    // a container's root may not have a sandbox; the pages are our own
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"],
  });

/** What went wrong on a page, in the order in which it did: scripts that failed, and what its policy forbids. */
export async function troublesOf(page: Page): Promise<string[]> {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") troubles.push(message.text());
  });
  await page.exposeFunction("reportViolation", (text: string) => troubles.push(text));
  await page.evaluateOnNewDocument(`
    document.addEventListener("securitypolicyviolation", (event) =>
      window.reportViolation(event.violatedDirective + " " + event.blockedURI));
  `);
  return troubles;
}

/** What stands in the first element that a selector finds. */
export const textAt = async (page: Page, selector: string): Promise<string> =>
  String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));
