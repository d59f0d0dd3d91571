import { isLoopbackHost } from "@wakeshift/protocol";

/** The addresses under which a core answers. Whatever else a request names is not meant for it. */
export interface OwnAddresses {
  /** Values of `Host`, lowercase, with the port unless it is the scheme's default. */
  readonly hosts: ReadonlySet<string>;
  /** Values of `Origin`. */
  readonly origins: ReadonlySet<string>;
  /** Values of an assertion's `aud`. */
  readonly audiences: ReadonlySet<string>;
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/**
 * A core's own addresses: the spellings of loopback with the port it listens on, and its public URL.
 *
 * @param listenHost - an address of 127.0.0.0/8 that it listens on counts too; any other is reached by the public URL.
 */
export function ownAddresses(port: number, listenHost: string, publicUrl: URL | undefined): OwnAddresses {
  const names = isLoopbackHost(listenHost) && listenHost !== "::1" ? [...LOOPBACK_NAMES, listenHost] : LOOPBACK_NAMES;
  const bases = names.map((name) => new URL(`http://${name}:${port}`));
  const hosts = new Set(bases.flatMap(hostSpellings));
  const origins = new Set(bases.map((base) => base.origin));
  const audiences = new Set(names.map((name) => `http://${name}:${port}/api/apps`));
  for (const base of bases) audiences.add(`${base.origin}/api/apps`);
  if (publicUrl !== undefined) {
    for (const host of hostSpellings(publicUrl)) hosts.add(host);
    origins.add(publicUrl.origin);
    audiences.add(`${withoutSlash(publicUrl.href)}/api/apps`);
  }
  return { hosts, origins, audiences };
}

/** A URL as it is joined with paths: without a slash at its end. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function hostSpellings(url: URL): readonly string[] {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return url.port === "" ? [url.host, `${url.hostname}:${port}`] : [url.host];
}
