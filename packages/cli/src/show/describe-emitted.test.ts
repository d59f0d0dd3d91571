import { expect, test } from "vitest";
import { describeEmitted } from "./describe-emitted.ts";

const emitted = { id: "evt_1", duplicate: false };

test.each([
  [{ matched: 0, connected: 0 }, "0 conversations are subscribed. Subscriptions are matched by --args", "npx wakeshift list"],
  [{ matched: 1, connected: 1 }, "1 conversation is subscribed and connected.", "npx wakeshift status"],
  [{ matched: 1, connected: 0 }, "1 conversation is subscribed, but not connected: no bridge holds its ticket.", "npx wakeshift doctor"],
  [{ matched: 3, connected: 0 }, "3 conversations are subscribed, none of them connected", "npx wakeshift doctor"],
  [{ matched: 3, connected: 2 }, "3 conversations are subscribed, only 2 of them connected", "npx wakeshift doctor"],
  [{ matched: 1 }, "1 conversation is subscribed.", "npx wakeshift status"],
])("%j is told with the command that shows the rest", (reach, said, command) => {
  const text = describeEmitted({ ...emitted, ...reach });
  expect(text).toContain(`Emitted: evt_1, ${said}`);
  expect(text).toContain(command);
});
