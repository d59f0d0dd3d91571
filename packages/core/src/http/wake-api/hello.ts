import { createHmac } from "node:crypto";
import { coreProofText } from "@wakeshift/protocol";
import type { HelloAnswer, HelloRequest } from "@wakeshift/protocol";
import { z } from "zod";
import type { CoreServices } from "../core-services.ts";
import { inputReader } from "../request/parse-input.ts";
import type { InputReader } from "../request/parse-input.ts";
import type { CoreContext } from "../request/send.ts";
import { sendJson } from "../request/send.ts";

const ADDRESS_CHARACTERS = 300;

export const helloInput: InputReader<HelloRequest> = inputReader(
  z.object({ nonce: z.string().regex(/^[A-Za-z0-9_-]{43,128}$/), address: z.string().max(ADDRESS_CHARACTERS) }),
);

/**
 * `POST /hello`: which core this is, to whoever asks. It proves that only for the exact addresses it was noted by: a listener
 * elsewhere that passes the question on gets no proof for its own address.
 */
export function hello(services: CoreServices): (input: HelloRequest, context: CoreContext) => Promise<Response> {
  const { readers, proofSecret, notedAddresses } = services;
  return (input, context) => {
    const text = coreProofText(input, readers.core.id);
    const answer: HelloAnswer = notedAddresses.includes(input.address)
      ? { core: readers.core, proof: createHmac("sha256", proofSecret).update(text).digest("base64url") }
      : { core: readers.core };
    return Promise.resolve(sendJson(context, JSON.stringify(answer)));
  };
}
