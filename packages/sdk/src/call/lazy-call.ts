import type { AnyEvent } from "../event/event.ts";
import type { Call, SubscribeOptions, Subscription } from "./call.ts";
import type { ToolCall } from "./tool-call.ts";

/** A call of a tool that may subscribe. What that takes is made when the call is first asked for something: most never are. */
export class LazyCall implements Call {
  readonly #make: () => ToolCall;
  #made: ToolCall | undefined;
  #end: "closed" | "undone" | undefined;

  constructor(make: () => ToolCall) {
    this.#make = make;
  }

  subscribe(event: AnyEvent, args: unknown, options?: SubscribeOptions): Promise<Subscription> {
    return this.#call().subscribe(event, args, options);
  }

  unsubscribe(event: AnyEvent, args: unknown): Promise<boolean> {
    return this.#call().unsubscribe(event, args);
  }

  /** `undefined`: nothing was asked of this call. */
  get made(): ToolCall | undefined {
    return this.#made;
  }

  /** The result is handed on: what is asked from now on is refused. */
  close(): void {
    this.#end ??= "closed";
    this.#made?.close();
  }

  /** The call failed, or was canceled: ends what it subscribed. */
  async undo(): Promise<void> {
    this.#end ??= "undone";
    await this.#made?.undo();
  }

  #call(): ToolCall {
    if (this.#made !== undefined) return this.#made;
    this.#made = this.#make();
    if (this.#end === "closed") this.#made.close();
    if (this.#end === "undone") void this.#made.undo();
    return this.#made;
  }
}
