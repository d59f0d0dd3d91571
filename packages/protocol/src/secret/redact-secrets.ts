// Looser than the formats on purpose: a cut, mistyped or glued-on secret must go too.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/(wst|wsk|wkt|wsv)_[A-Za-z0-9_-]{6,}/g, "$1_…"],
  [/whsec_[A-Za-z0-9+/=_-]{6,}/g, "whsec_…"],
  [/eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g, "eyJ…"],
  [/\/p\/[A-Za-z0-9_-]{43}/g, "/p/…"],
];

/**
 * Replaces whatever looks like one of Wakeshift's secrets by its prefix and `…`: app keys, session keys, tickets,
 * vouchers, webhook secrets, assertions (compact JWS) and publish URLs. For logs and error messages.
 */
export function redactSecrets(text: string): string {
  let redacted = text;
  for (const [pattern, replacement] of SECRETS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}
