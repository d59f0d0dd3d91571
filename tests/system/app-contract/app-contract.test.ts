import { describe, test } from "vitest";
import { ContractApp } from "./contract-app.ts";
import { openRealCore, openTestingCore } from "./contract-world.ts";
import { exerciseEmitting } from "./exercise-emitting.ts";
import { exerciseEnding } from "./exercise-ending.ts";
import { exercisePublishing } from "./exercise-publishing.ts";
import { exerciseSubscribing } from "./exercise-subscribing.ts";

/** The app API's promises, the same for every core: whatever one of them does otherwise fails here. */
describe.each([
  ["the core", openRealCore],
  ["the core for authors' tests", openTestingCore],
] as const)("the app API of %s", (_name, open) => {
  for (const exercise of [exercisePublishing, exerciseSubscribing, exerciseEmitting, exerciseEnding])
    exercise((title, body) => {
      test(title, async () => {
        const core = await open();
        try {
          await body(new ContractApp(core));
        } finally {
          await core.close();
        }
      });
    });
});
