// The only script: it brings a page up to date when the console says that something has changed. Without it everything else works.
const js = String.raw;

/**
 * What is told is only that something has changed; what it is, the page itself says, which the person may read or not. A plan that is shown with
 * its button never becomes another one under the person's hand.
 */
export const liveScript = js`
  (() => {
    const region = document.getElementById("live");
    const state = document.getElementById("live-state");
    const path = region && region.dataset.changes;
    if (!path || !state || !window.EventSource) return;
    const changes = new EventSource(path);
    let asking = false;
    let again = false;
    let later;

    const say = (text) => {
      if (state.textContent !== text) state.textContent = text;
    };
    const planIn = (part) => {
      const shown = part.querySelector("[data-plan]");
      return shown ? shown.dataset.plan : undefined;
    };
    const stop = (text) => {
      changes.close();
      clearTimeout(later);
      say(text);
    };
    const become = (next) => {
      const plan = planIn(region);
      if (plan !== undefined && plan !== planIn(next)) {
        for (const button of region.querySelectorAll("form[method=post] button")) button.disabled = true;
        return stop("The plan that you see has moved. Load the page again to see what waits now.");
      }
      const focused = document.activeElement;
      const holder = focused && region.contains(focused) ? focused.getAttribute("href") || focused.name : "";
      region.replaceChildren(...next.childNodes);
      region.dataset.version = next.dataset.version;
      if (holder) {
        const same = [...region.querySelectorAll("a, button")];
        const found = same.find((one) => (one.getAttribute("href") || one.name) === holder);
        if (found) found.focus({ preventScroll: true });
      }
      say("Up to date.");
    };
    const look = async () => {
      const known = '"' + region.dataset.version + '"';
      const answer = await fetch(location.href, { headers: { "If-None-Match": known }, cache: "no-store" });
      if (answer.status === 304) return say("Up to date.");
      // what was seen is better than nothing while there is no answer
      if (answer.status >= 500) throw new Error();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("live");
      // what there is instead is said by the page itself
      if (!next) return location.reload();
      become(next);
    };
    const unanswered = () => {
      if (changes.readyState === EventSource.CLOSED) return;
      say("No answer: what you see may have changed. Trying again.");
      clearTimeout(later);
      later = setTimeout(refresh, 10000);
    };
    const refresh = async () => {
      again = true;
      if (asking) return;
      asking = true;
      try {
        while (again) {
          again = false;
          await look();
        }
      } catch {
        unanswered();
      } finally {
        asking = false;
      }
    };

    changes.addEventListener("changed", refresh);
    changes.addEventListener("over", () => stop("This page does not follow changes any more. Load it again."));
    changes.addEventListener("error", () => {
      if (changes.readyState === EventSource.CLOSED) stop("This page does not follow changes. Load it again to see them.");
      else say("No answer: what you see may have changed. Trying again.");
    });
  })();
`;
