import assert from "node:assert/strict";

const ADDED = ["session_key", "harness", "conversation_id"];
const own = (tool) => Object.keys(tool.inputSchema.properties ?? {});

async function listed(world) {
  const agent = await world.client();
  const tools = await agent.tools();
  const tool = (name) => tools.get(name) ?? assert.fail(`${name} isn't listed`);
  return { agent, tools, tool };
}

export async function sessionKeyIsAdded(world) {
  const { tool } = await listed(world);
  for (const name of ["start_crawl", "start_text", "no_events"]) assert.ok(own(tool(name)).includes("session_key"), name);
  assert.ok(!(tool("start_crawl").inputSchema.required ?? []).includes("session_key"));
  assert.ok(!own(tool("untouched")).includes("session_key"));
}

export async function harnessIsAddedWithEvents(world) {
  await isAddedWithEvents(world, "harness");
}

export async function conversationIdIsAddedWithEvents(world) {
  await isAddedWithEvents(world, "conversation_id");
}

async function isAddedWithEvents(world, name) {
  const { tool } = await listed(world);
  for (const wrapped of ["start_crawl", "start_text"]) assert.equal(tool(wrapped).inputSchema.properties[name]?.type, "string", wrapped);
  assert.ok(own(tool("no_events")).includes("session_key"));
  for (const other of ["no_events", "untouched"]) assert.ok(!own(tool(other)).includes(name), other);
}

export async function descriptionSaysHow(world) {
  const { tool } = await listed(world);
  assert.match(tool("start_crawl").description, /^Start a crawl\b.*notif.*crawl\.finished.*crawl\.failed|crawl\.failed.*crawl\.finished/s);
  assert.match(tool("start_text").description, /^Start a crawl, answered in text\. [A-Z].*crawl\.finished/s);
  assert.equal(tool("untouched").description, "Isn't wrapped");
}

export async function periodIsAdded(world) {
  const { tool } = await listed(world);
  assert.match(tool("start_crawl").description, /^Start a crawl\. [A-Z]/);
}

export async function outputGetsTheField(world) {
  const { tool } = await listed(world);
  const { outputSchema } = tool("start_crawl");
  assert.ok(Object.hasOwn(outputSchema.properties, "wakeshift"));
  assert.ok(!(outputSchema.required ?? []).includes("wakeshift"));
  assert.equal(tool("start_text").outputSchema, undefined);
}

export const ownSessionKeyStays = (world) => ownNameStays(world, "session_key");
export const ownHarnessStays = (world) => ownNameStays(world, "harness");
export const ownConversationIdStays = (world) => ownNameStays(world, "conversation_id");

async function ownNameStays(world, name) {
  const { agent, tool } = await listed(world);
  assert.deepEqual(own(tool(`own_${name}`)), [name]);
  assert.equal(tool(`own_${name}`).description, "Has one of the names.");
  const others = Object.fromEntries(ADDED.filter((each) => each !== name).map((each) => [each, "x"]));
  // What isn't wrapped still gets none of the other names.
  assert.deepEqual(await agent.ask(`own_${name}`, { [name]: "mine", ...others }), { got: "mine", code: "no_call" });
}

export async function ownOutputStays(world) {
  const { agent, tools, tool } = await listed(world);
  assert.ok(own(tools.get("start_crawl")).includes("session_key"), "others are wrapped");
  assert.deepEqual(own(tool("own_output")), []);
  assert.equal(tool("own_output").outputSchema.properties.wakeshift.type, "string");
  assert.deepEqual(await agent.ask("own_output"), { wakeshift: "the author's" });
}

async function logged(world, code) {
  const { agent } = await listed(world);
  const { entries } = await agent.ask("log");
  return entries.filter((entry) => entry.code === code);
}

export async function conflictsAreLogged(world) {
  const entries = await logged(world, "wrap_arg_conflict");
  assert.deepEqual(
    entries.map((entry) => entry.level),
    ["error", "error", "error", "error"],
  );
  for (const name of [...ADDED, "output"])
    assert.ok(
      entries.some(({ message }) => message.includes(`own_${name}`)),
      name,
    );
}

export async function unknownToolIsLogged(world) {
  const [entry, ...others] = await logged(world, "wrap_unknown_tool");
  assert.match(entry?.message ?? "", /never_listed/);
  assert.deepEqual(others, []);
}
