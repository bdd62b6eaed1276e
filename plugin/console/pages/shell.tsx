// The document around a page: head, who is signed in, and what a script may bring up to date.
import type { JSX } from "hono/jsx/jsx-runtime";
import { createHash } from "node:crypto";
import type { Frame } from "./frame";

/** A page without what is around it. */
export interface Page {
  readonly title: string;
  /** Where changes of it are told; undefined: it stays as it is. */
  readonly changes?: string;
  /** What stays, such as a form that a person is filling in. */
  readonly above?: JSX.Element;
  /** What a change replaces. */
  readonly body: JSX.Element;
}

/** Another one where anything of it is. */
export const versionOf = (body: JSX.Element): string =>
  createHash("sha256").update(htmlOf(body)).digest("base64url").slice(0, 22);

/** As HTML. No page waits for anything while it is written. */
export function htmlOf(element: JSX.Element): string {
  if (element instanceof Promise) throw new Error("a part of a page is a promise");
  return element.toString();
}

/** The whole document. */
export function documentOf(page: Page, frame: Frame | Pick<Frame, "links">): string {
  return `<!doctype html>${htmlOf(<Shell page={page} frame={frame} />)}`;
}

function Shell({ page, frame }: { readonly page: Page; readonly frame: Frame | Pick<Frame, "links"> }): JSX.Element {
  const { title, changes, above, body } = page;
  const { links } = frame;
  const [user, context] = "user" in frame ? [frame.user, frame.context] : [];
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Databases`}</title>
        <link rel="stylesheet" href={links.style} />
        <link rel="icon" type="image/svg+xml" href={links.icon} />
        {changes !== undefined && <script src={links.script} defer></script>}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="top">
          <a class="home" href={links.fleet}>
            Databases
          </a>
          <Signed user={user} context={context} />
        </header>
        <main id="main" tabindex={-1}>
          {above}
          {changes === undefined ? <>{body}</> : <Live changes={changes}>{body}</Live>}
        </main>
      </body>
    </html>
  );
}

function Signed({ user, context }: Partial<Pick<Frame, "user" | "context">>): JSX.Element {
  const as = user !== undefined && (
    <>
      Signed in as <bdi>{user}</bdi>
    </>
  );
  if (context === undefined) return as ? <p class="user">{as}</p> : <></>;
  return (
    <p class="user">
      {as}
      {as ? ", context " : "Context "}
      <bdi>{context}</bdi>
    </p>
  );
}

function Live({ changes, children }: { readonly changes: string; readonly children: JSX.Element }): JSX.Element {
  return (
    <>
      <p class="live-state" id="live-state" role="status"></p>
      <div id="live" data-changes={changes} data-version={versionOf(children)}>
        {children}
      </div>
    </>
  );
}
