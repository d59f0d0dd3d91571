import { Wakeshift, WakeshiftError } from "@wakeshift/sdk";
import { z } from "zod";

const status = z.object({ status: z.string() });

/** The events of the everything server. */
export function defineEvents(wake) {
  return {
    crawlFinished: wake.defineEvent("crawl.finished", {
      description: "A crawl finished",
      args: z.object({ job: z.string(), site: z.string().optional() }),
      payload: z.object({ status: z.string(), site: z.string().optional() }),
    }),
    crawlFailed: wake.defineEvent("crawl.failed", { description: "A crawl failed", args: z.object({ job: z.string() }), payload: status }),
    gameTurn: wake.defineEvent("game.turn", {
      description: "It's your move",
      args: z.object({ table: z.string() }),
      payload: status,
      personal: true,
    }),
    ciFinished: wake.defineEvent("ci.finished", {
      description: "CI finished",
      args: z.object({ repo: z.string() }),
      payload: status,
      authorize: async ({ user, authInfo }, { repo }) => {
        if (repo === "broken") throw new TypeError("no answer");
        return user !== undefined && authInfo?.token === `token-of-${user}` && repo.startsWith(`${user}/`);
      },
    }),
    newsPosted: wake.defineEvent("news.posted", { description: "News", args: z.object({}), payload: status, public: true }),
  };
}

/** Defines an event with this openness, in an app of its own, and answers the code it was refused with. */
export function defineOpenness({ personal, authorize, public: open }) {
  try {
    new Wakeshift({ logger: () => undefined }).defineEvent("try.out", {
      description: "Tried out",
      args: z.object({}),
      payload: status,
      ...(personal ? { personal: true } : {}),
      ...(authorize ? { authorize: () => true } : {}),
      ...(open ? { public: true } : {}),
    });
    return "";
  } catch (error) {
    if (!WakeshiftError.isInstance(error)) throw error;
    return error.code;
  }
}
