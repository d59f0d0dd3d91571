/** A verified token, as the MCP SDKs hand it to a server's handlers. */
export interface AuthInfo {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
  readonly resource?: URL | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}
