import { expect, test } from "vitest";
import { bridgeHome } from "./home.ts";
import { cleanEnvironment } from "./spawn-process.ts";

const HOME = bridgeHome("/home/u/wakeshift");

test.each(["NODE_OPTIONS", "WAKESHIFT_NODE_OPTIONS"])(
  "PC-60 of what a program sets for its Node in %s only the choice of CAs reaches the bridge",
  (variable) => {
    const options = "--require /nowhere/bootloader.js --use-openssl-ca --inspect=9229 --no-such-option";
    const clean = cleanEnvironment({ [variable]: options, SSL_CERT_FILE: "/etc/company.pem", NODE_CHANNEL_FD: "3" }, HOME);
    expect(clean).toMatchObject({ NODE_OPTIONS: "--use-openssl-ca", SSL_CERT_FILE: "/etc/company.pem", WAKESHIFT_HOME: HOME.folder });
    expect(clean).not.toHaveProperty("NODE_CHANNEL_FD");
    expect(clean).not.toHaveProperty("WAKESHIFT_NODE_OPTIONS");
  },
);

test("PC-60 without a choice of CAs, and with one that this Node doesn't know, the bridge gets no option", () => {
  const isKnown = process.allowedNodeEnvironmentFlags.has("--use-system-ca");
  expect(cleanEnvironment({ NODE_OPTIONS: "--require x" }, HOME)).not.toHaveProperty("NODE_OPTIONS");
  expect(cleanEnvironment({ NODE_OPTIONS: "--use-system-ca" }, HOME)["NODE_OPTIONS"]).toBe(isKnown ? "--use-system-ca" : undefined);
});
