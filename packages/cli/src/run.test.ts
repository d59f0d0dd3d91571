import { expect, onTestFinished, test, vi } from "vitest";
import { run } from "./run.ts";

/** What a command line prints on stdout, in this process. */
async function printed(...args: readonly string[]): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  onTestFinished(() => write.mockRestore());
  expect(await run(["node", "wakeshift", ...args])).toBe(0);
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join("");
  write.mockRestore();
  return text;
}

const commandsIn = (help: string): readonly string[] => [...help.matchAll(/^ {2}([a-z]+) (?!\[command\])/gm)].map(([, name = ""]) => name);

test("every command's help says each argument and shows the command in use", async () => {
  const top = (await printed("--help")).split("Try it on")[0] ?? "";
  const groups = ["app", "key"];
  const commands = commandsIn(top)
    .filter((name) => !groups.includes(name))
    .map((name) => [name]);
  for (const group of groups) commands.push(...commandsIn(await printed(group, "--help")).map((name) => [group, name]));
  expect(commands).toContainEqual(["status"]);
  expect(commands).toContainEqual(["key", "revoke"]);
  expect(commands.length).toBe(18);
  for (const path of commands) {
    const help = await printed(...path, "--help");
    const example = help.split(/^Examples?(?:, .*)?:$/m)[1] ?? "";
    expect(example, path.join(" ")).toContain(`wakeshift ${path.join(" ")}`);
    const [, listed = ""] = /^Arguments:\n((?: .*\n)+)/m.exec(help) ?? [];
    for (const line of listed.split("\n").filter(Boolean)) expect(line, path.join(" ")).toMatch(/^ {2}\S+ {2,}\S|^ {4}/);
  }
});
