import assert from "node:assert/strict";

export async function definingRefusesPublicAndPersonal(world) {
  await answers(world, { public: true, personal: true }, "bad_openness");
}

export async function definingRefusesPublicAndAuthorize(world) {
  await answers(world, { public: true, authorize: true }, "bad_openness");
}

export async function definingTakesPersonalAndAuthorize(world) {
  await answers(world, { personal: true, authorize: true }, "");
}

async function answers(world, options, code) {
  const agent = await world.client();
  const { session_key: added } = (await agent.tools()).get("start_crawl").inputSchema.properties;
  assert.ok(added !== undefined, "the server is attached");
  assert.deepEqual(await agent.ask("define", options), { code });
}

export async function namesAreWordsJoinedByDots(world) {
  for (const name of ["order.changed", "order", "a.b.c"]) await answers(world, { name }, "");
  for (const name of ["", ".", "order.", ".order", "order..changed", "order changed"]) await answers(world, { name }, "bad_event");
}

export async function voucherArgumentIsReserved(world) {
  await answers(world, { arguments: ["order", "voucher"] }, "");
  await answers(world, { arguments: ["order", "wakeshift_voucher"] }, "reserved_argument");
}
