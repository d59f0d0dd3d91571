import { WakeshiftError } from "@wakeshift/protocol";
import { z } from "zod";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { AppCall } from "./app-call.ts";

/** Whom to forget. */
export interface ForgetRequest {
  readonly user: string;
}

export const forgetInput: InputReader<ForgetRequest> = inputReader(z.object({ user: z.string().max(1_024) }));

/** `POST /users/forget`: deletes what is kept for one of the app's users. */
export function forgetUser({ store, clock }: CoreServices): AppCall<ForgetRequest> {
  return async ({ user }, key): Promise<{ readonly forgotten: boolean }> => {
    if (user.trim() === "") throw new WakeshiftError("bad_request", "Say in `user` whom to forget; a blank one is nobody.");
    return { forgotten: await store.forgetUser(key.appId, user, clock.now()) };
  };
}
