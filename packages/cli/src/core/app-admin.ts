import type { AppRecord, CreatedKey } from "@wakeshift/core";

/** An app and its keys, as `app list` shows them. */
export interface ListedApp {
  readonly id: string;
  readonly name: string;
  readonly keys: readonly { readonly id: string; readonly name: string; readonly created: string; readonly revoked: string | undefined }[];
}

/** Apps and keys of one core: through its database file on this machine, or through its admin API. */
export interface AppAdmin {
  /** What is read and changed: a file, or the core at a URL. */
  readonly place: { readonly database: string } | { readonly core: string };
  /** @throws WakeshiftError `bad_request` where the name is taken or can't be one */
  createApp(name: string): Promise<{ readonly app: Pick<AppRecord, "id" | "name">; readonly key: CreatedKey }>;
  /** @throws WakeshiftError `bad_request` where there is no such app, or the name can't be one */
  createKey(app: string, name: string | undefined): Promise<CreatedKey>;
  /** false: there is no such key. */
  revokeKey(keyId: string): Promise<boolean>;
  listApps(): Promise<readonly ListedApp[]>;
  close(): Promise<void>;
}
