const UNSET = 'const SET_UP_HOME = "";';

/**
 * The plugin as it is written to the user's folder: the shipped text, which also names this set-up's home where that isn't
 * the platform's usual one, since opencode may be started without `WAKESHIFT_HOME` in its environment.
 *
 * @param home `$WAKESHIFT_HOME` of this set-up, `undefined` where it is the usual folder.
 */
export function pluginText(shipped: string, home: string | undefined): string {
  return home === undefined ? shipped : shipped.replace(UNSET, () => `const SET_UP_HOME = ${JSON.stringify(home)};`);
}

/** Whether a file among opencode's plugins is ours, of this or an earlier version. */
export function isOurPlugin(text: string): boolean {
  return text.startsWith("// Wakeshift's plugin for opencode") && text.includes('"ai.wakeshift/subscription"');
}
