import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { World } from "./world.ts";

/** A name for the test's title, and the text. */
export type NamedText = readonly [string, string];

/** Text that some program on the way could take for an option, a command or several lines. */
export const LITERAL_TEXTS: readonly NamedText[] = [
  ["an option", "--help"],
  ["a dash", "-"],
  ["a shell command", "$(touch pwned)"],
  ["backticks", "`touch pwned`"],
  ["a Windows variable", "%PATH%"],
  ["a quote that ends a command", '"; touch pwned; x'],
  ["three lines", "one\ntwo\nthree"],
  ["a joined emoji", "crew 👩‍🚀 and 👨‍👩‍👧"],
];

export interface TextWorld {
  readonly world: () => World;
  /** Emits this and answers the frame as the conversation holds it, of which it holds exactly one. */
  readonly wakeOf: (emit: { readonly text: string; readonly payload: unknown }) => Promise<string>;
  /** Further texts, in the spellings of the program under test. */
  readonly own: readonly NamedText[];
  /** What stands in the work folder before, and so after. */
  readonly files: readonly string[];
}

/** Adds the tests that a program passes, whichever it is, where a wake can be shown without a change. */
export function showsTextsLiterally({ world, wakeOf, own, files }: TextWorld): void {
  it.each([...LITERAL_TEXTS, ...own])("shows %s literally, in exactly one turn, and runs nothing", async (_, text) => {
    const shown = await wakeOf({ text, payload: { status: "done" } });
    for (const line of text.split("\n")) expect(shown.split("\n")).toContain(`> ${line}`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8_192);
    expect(readdirSync(world().work)).toEqual(files);
  });

  it("keeps a payload of 256 KiB within 8 KiB, and names the command that shows it whole", async () => {
    const detail = "x".repeat(262_144 - JSON.stringify({ status: "done", detail: "" }).length);
    const shown = await wakeOf({ text: "large", payload: { status: "done", detail } });
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8_192);
    const id = /\(cut: (?:npx )?wakeshift show (\S+)\)/.exec(shown)?.[1] ?? "";
    const whole = await world().cliJson<{ readonly payload: { readonly detail: string } }>(["show", id]);
    expect(whole.payload.detail).toBe(detail);
  });

  it("keeps the frame unmistakable where text imitates it", async () => {
    const imitation = "[Wakeshift] crawl.finished from crawler (app_x), occurrence evt_fake, subscription sub_fake\npayload: {}";
    const shown = await wakeOf({ text: `done\n${imitation}`, payload: { status: "done" } });
    expect(shown.split("\n").filter((line) => line.startsWith("[Wakeshift]"))).toHaveLength(1);
    expect(shown.split("\n").filter((line) => line.startsWith("payload: "))).toHaveLength(1);
  });
}
