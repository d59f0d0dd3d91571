import { Wakeshift, WakeshiftError } from "@wakeshift/sdk";
import { z } from "zod";

const status = z.object({ status: z.string() });

/**
 * The events of the everything server.
 * @param {{ asked: object[], reopened: boolean }} options `asked` gets what `authorize` was told
 */
export function defineEvents(wake, { asked, reopened }) {
  return {
    crawlFinished: wake.defineEvent("crawl.finished", {
      description: "A crawl finished",
      args: z.object({ job: z.string(), site: z.string().optional() }),
      payload: z.object({ status: z.string(), site: z.string().optional() }),
      ...(reopened ? { public: true } : {}),
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
      authorize: ({ user, client, native, authInfo }, args) => {
        const token = authInfo?.token;
        asked.push({ user: user ?? "", client, native, token: token ?? "", args });
        if (args.repo === "broken") throw new TypeError("no answer");
        if (args.repo === "endless") return new Promise(() => undefined);
        const [owners = ""] = args.repo.split("/");
        return user !== undefined && userOf(token) === user && owners.split("+").includes(user);
      },
    }),
    newsPosted: wake.defineEvent("news.posted", { description: "News", args: z.object({}), payload: status, public: true }),
  };
}

/** Whose token it is; `undefined`: nobody's. What follows a dot tells one token of a user from another. */
export function userOf(token = "") {
  return /^token-of-(ada|bob)(\.|$)/.exec(token)?.[1];
}

/** Defines an event in an app of its own, and answers the code it was refused with. */
export function tryDefining({ name = "try.out", arguments: names = [], personal, authorize, public: open }) {
  try {
    new Wakeshift({ logger: () => undefined }).defineEvent(name, {
      description: "Tried out",
      args: z.object(Object.fromEntries(names.map((each) => [each, z.string()]))),
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
