// What every answer says to the browser: nothing from elsewhere, in no frame, kept nowhere.
import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

/** `isSecure`: whether it is served over TLS. */
export function protectiveHeaders(isSecure: boolean): MiddlewareHandler[] {
  const self = ["'self'"];
  return [
    secureHeaders({
      contentSecurityPolicy: {
        ...{ defaultSrc: ["'none'"], scriptSrc: self, styleSrc: self, imgSrc: self, connectSrc: self },
        ...{ formAction: self, baseUri: ["'none'"], frameAncestors: ["'none'"] },
      },
      crossOriginOpenerPolicy: "same-origin",
      crossOriginResourcePolicy: "same-origin",
      referrerPolicy: "no-referrer",
      xFrameOptions: "DENY",
      strictTransportSecurity: isSecure ? "max-age=31536000" : false,
      permissionsPolicy: { camera: [], microphone: [], geolocation: [], usb: [], payment: [] },
    }),
    async (c, next) => {
      await next();
      c.header("Cache-Control", "no-store");
    },
  ];
}
