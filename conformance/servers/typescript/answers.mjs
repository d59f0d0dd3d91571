import { WakeshiftError } from "@wakeshift/sdk";

export const text = (sentence) => ({ content: [{ type: "text", text: sentence }] });
export const structured = (value) => ({ ...text(JSON.stringify(value)), structuredContent: value });

/** The code of the refusal, or "". */
export async function codeOf(work) {
  try {
    await work();
    return "";
  } catch (error) {
    if (!WakeshiftError.isInstance(error)) throw error;
    return error.code;
  }
}
