import {
  WakeshiftError,
  connectionFailureCode,
  describeUnreachable,
  foreignResponse,
  isErrorCode,
  parseCoreUrl,
} from "@wakeshift/protocol";
import type { CoreAsker } from "@wakeshift/protocol";
import { z } from "zod";
import type { AppAdmin } from "./app-admin.ts";

const KeyAnswer = z.object({ key_id: z.string(), name: z.string(), key: z.string() });
const AppCreated = z.object({ id: z.string(), name: z.string(), key: KeyAnswer });
const AppsAnswer = z.object({
  apps: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      keys: z.array(z.object({ key_id: z.string(), name: z.string(), created_at: z.string(), revoked_at: z.string().nullable() })),
    }),
  ),
});
const Failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const TIMEOUT_MS = 15_000;
/** This command in a sentence about a core that can't be asked. */
const ASKER: CoreAsker = { setting: "--core", process: "this command" };

/**
 * Apps and keys through the admin API of a core that runs elsewhere.
 *
 * @throws WakeshiftError `unauthorized` without a token, `bad_request` for a URL that can't be used
 */
export function openRemoteAppAdmin(core: string, token: string | undefined): AppAdmin {
  if (token === undefined || token === "") {
    throw new WakeshiftError("unauthorized", "--core needs the core's WAKESHIFT_ADMIN_TOKEN in this environment.");
  }
  const base = new URL(parseCoreUrl(core, "--core").base);
  const send = createSend(base, token);
  return {
    place: { core: base.href.replace(/\/$/, "") },
    createApp: async (name) => {
      const { id, name: stored, key } = AppCreated.parse(await send("POST", "/apps", { name }));
      return { app: { id, name: stored }, key: { keyId: key.key_id, name: key.name, key: key.key } };
    },
    createKey: async (app, name) => {
      const key = KeyAnswer.parse(await send("POST", `/apps/${encodeURIComponent(app)}/keys`, name === undefined ? {} : { name }));
      return { keyId: key.key_id, name: key.name, key: key.key };
    },
    revokeKey: async (keyId) => {
      await send("DELETE", `/keys/${encodeURIComponent(keyId)}`, undefined);
      return true;
    },
    listApps: async () =>
      AppsAnswer.parse(await send("GET", "/apps", undefined)).apps.map((app) => ({
        id: app.id,
        name: app.name,
        keys: app.keys.map((key) => ({ id: key.key_id, name: key.name, created: key.created_at, revoked: key.revoked_at ?? undefined })),
      })),
    close: () => Promise.resolve(),
  };
}

type Send = (method: string, path: string, body: object | undefined) => Promise<unknown>;

function createSend(base: URL, token: string): Send {
  return async (method, path, body) => {
    let status: number;
    let text: string;
    try {
      const answer = await fetch(new URL(`${base.pathname.replace(/\/$/, "")}/api/admin/v1${path}`, base), {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = answer.status;
      text = await answer.text();
    } catch (error) {
      const sentence = describeUnreachable(base.origin, connectionFailureCode(error), ASKER);
      throw new WakeshiftError("unreachable", sentence, { cause: error });
    }
    return readAnswer(base, status, text);
  };
}

function readAnswer(base: URL, status: number, text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw foreignResponse(base.origin, status, ASKER);
  }
  if (status >= 200 && status < 300) return body;
  const failure = Failure.safeParse(body);
  if (!failure.success) throw foreignResponse(base.origin, status, ASKER);
  const { code, message } = failure.data.error;
  throw new WakeshiftError(isErrorCode(code) ? code : "bad_response", message, { status });
}
