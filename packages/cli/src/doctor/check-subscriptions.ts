import type { StatusAnswer } from "@wakeshift/bridge";
import type { Check } from "@wakeshift/programs/setup";

/** Says when nothing can come because no conversation has subscribed. That is no fault. */
export function checkSubscriptions(status: StatusAnswer | undefined, isAnythingSubscribed: boolean): readonly Check[] {
  const count = status?.subscriptions;
  if (count === undefined ? isAnythingSubscribed : count > 0) {
    const detail = count === undefined ? "conversations of this machine are subscribed" : `${String(count)} on this machine`;
    return [{ program: "conversations", check: "subscribed", ok: true, detail, fix: "" }];
  }
  const detail = "no conversation is subscribed yet, so none will be woken; have an agent call a tool that subscribes";
  return [{ program: "conversations", check: "subscribed", ok: true, detail, fix: "" }];
}
