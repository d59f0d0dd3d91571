import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, freshId } from "../world.mjs";

const VECTORS = join(import.meta.dirname, "..", "..", "vectors", "recognition", "valid");
const INFO = "io.modelcontextprotocol/clientInfo";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const NATIVE = { extensions: { "io.modelcontextprotocol/events": {} } };
const named = (name) => ({ name, version: "1.0.0" });
const CLAUDE = { "claudecode/toolUseId": "toolu_1" };
const CODEX = { threadId: "thread-1" };
const MODERN = new Set(["modern", "stdio-modern"]);

/**
 * What the core takes for the agent of a program that calls so: its harness, and which fact told it. Without `initialize` some MCP
 * SDKs give a request's client info in its place, so the two are told apart only where there is one.
 */
async function agentOf(way, { meta, args = {}, ...program }) {
  const result = await called(await way.wire(program), args, { meta });
  assert.equal(entriesOf(result).length, 1);
  const { harness, via } = way.world.agentOf(result);
  return [harness, factOf(way.name, via)];
}

const factOf = (way, via) => (MODERN.has(way) && via === "initialize" ? "meta_client_info" : via);

async function called(wire, args, options) {
  const { result, error, status } = await wire.call("start_crawl", { job: freshId(), ...args }, options);
  assert.notEqual(result, undefined, `the call was answered with ${status} and ${JSON.stringify(error)}`);
  return result;
}

const agent = (name) => ({ "user-agent": name });

export async function initializeNameIsFirst(way) {
  const told = { info: named("codex-mcp-client"), headers: agent("opencode/1.2.3"), token: "token-of-ada.by-cursor" };
  const meta = { ...CLAUDE, [INFO]: named("copilot-cli") };
  assert.deepEqual(await agentOf(way, { ...told, meta, args: { harness: "gemini-cli" } }), ["codex", "initialize"]);
}

export async function requestInfoIsSecond(way) {
  const told = { info: named("copilot-cli"), headers: agent("opencode/1.2.3"), token: "token-of-ada.by-cursor" };
  const meta = { ...CLAUDE, [INFO]: named("copilot-cli") };
  assert.deepEqual(await agentOf(way, { ...told, meta, args: { harness: "gemini-cli" } }), ["copilot-cli", "meta_client_info"]);
}

export async function ownKeysAreThird(way) {
  const told = { headers: agent("opencode/1.2.3"), token: "token-of-ada.by-cursor", args: { harness: "gemini-cli" } };
  assert.deepEqual(await agentOf(way, { ...told, meta: CLAUDE }), ["claude-code", "meta_keys"]);
  assert.deepEqual(await agentOf(way, { ...told, meta: CODEX }), ["codex", "meta_keys"]);
}

export async function userAgentIsFourth(way) {
  const told = { headers: agent("opencode/1.2.3"), token: "token-of-ada.by-cursor", args: { harness: "gemini-cli" } };
  assert.deepEqual(await agentOf(way, told), ["opencode", "user_agent"]);
}

export async function identifyIsFifth(way) {
  const told = { headers: agent("node"), args: { harness: "gemini-cli" } };
  assert.deepEqual(await agentOf(way, { ...told, token: "token-of-ada.by-cursor" }), ["cursor", "identify"]);
  assert.deepEqual(await agentOf(way, { ...told, token: "token-of-ada" }), ["gemini-cli", "harness"]);
}

export async function identifyNamesOtherClients(way) {
  const told = { headers: agent("python-httpx/0.28.1") };
  assert.deepEqual(await agentOf(way, { ...told, token: "token-of-ada.by-Acme%20Agent" }), ["acme-agent", "identify"]);
  assert.deepEqual(await agentOf(way, told), [undefined, "nothing"]);
}

export async function harnessIsLast(way) {
  const args = { harness: "gemini-cli" };
  assert.deepEqual(await agentOf(way, { headers: agent("node"), args }), ["gemini-cli", "harness"]);
  assert.deepEqual(await agentOf(way, { headers: agent("cursor/1.0"), args }), ["cursor", "user_agent"]);
  assert.deepEqual(await agentOf(way, { headers: agent("node"), args, meta: CLAUDE }), ["claude-code", "meta_keys"]);
}

export async function claudeCodeByItsUserAgent(way) {
  assert.deepEqual(await agentOf(way, { headers: agent("claude-code/9.9.9 (cli)") }), ["claude-code", "user_agent"]);
  assert.deepEqual(await agentOf(way, { headers: agent("not-claude-code/9.9.9") }), [undefined, "nothing"]);
}

/** One that subscribes itself is given no ticket, whatever it is called; without the declaration the same program is. */
async function isNative(way, { declared, ...program }) {
  const ticketed = await called(await way.wire(program), {}, {});
  assert.deepEqual([ticketed.structuredContent.state, entriesOf(ticketed).length], ["subscribed", 1]);
  const native = await called(await way.wire({ ...program, ...declared.program }), {}, { meta: declared.meta });
  assert.notEqual(native.structuredContent.state, "subscribed");
  assert.deepEqual(entriesOf(native), []);
}

const byProgram = { program: { capabilities: NATIVE } };
export const nativeComesFirst = (way) =>
  isNative(way, { info: named("claude-code"), headers: agent("claude-code/1.0"), declared: byProgram });
export const nativeByInitialize = (way) => isNative(way, { info: named("acme"), declared: byProgram });
export const nativeByTheRequest = (way) =>
  isNative(way, { info: named("acme"), declared: { program: {}, meta: { [CAPABILITIES]: NATIVE } } });

/** ChatGPT is native by its name, whatever it declares. */
export async function chatGptByItsName(way) {
  const told = MODERN.has(way.name) || way.name === "sessions" ? { info: named("openai-mcp") } : { headers: agent("openai-mcp/1.0.0") };
  const native = await called(await way.wire(told), {}, {});
  assert.notEqual(native.structuredContent.state, "subscribed");
  assert.deepEqual(entriesOf(native), []);
}

export async function nativeUnavailableIsLoggedOnce(way) {
  const chatGpt = await way.wire({ headers: agent("openai-mcp/1.0.0") });
  for (let calls = 0; calls < 3; calls += 1) await called(chatGpt, {}, {});
  const { entries } = await (await way.client()).ask("log");
  const logged = entries.filter(({ code, message }) => code === "native_unavailable" && message.includes("start_crawl"));
  assert.deepEqual(
    logged.map(({ level }) => level),
    ["warn"],
  );
}

/** What never gets to Wakeshift: MCP SDKs refuse a handshake with malformed capabilities. */
const STOPPED = new Set(["native-not-declared.json"]);

/** The captured programs, each as it calls: with `initialize` to a server with sessions, else to one without. */
function vectors() {
  return readdirSync(VECTORS)
    .filter((file) => !STOPPED.has(file))
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(VECTORS, file), "utf8")) }))
    .filter(({ request }) => request.method === "tools/call")
    .map((vector) => ({ ...vector, way: wayOf(vector) }));
}

function wayOf({ initialize, headers }) {
  if (initialize !== undefined) return "sessions";
  return headers["mcp-protocol-version"] === "2026-07-28" ? "modern" : "stateless";
}

async function followsVector(world, { file, way, initialize, headers, request, identifiedClient, expected }) {
  const token = identifiedClient === undefined ? {} : { token: `token-of-ada.by-${encodeURIComponent(identifiedClient)}` };
  const info = initialize === undefined ? undefined : { version: "1.0.0", ...initialize.clientInfo };
  const wire = await world.by(way).wire({ ...token, headers, info, capabilities: initialize?.capabilities });
  const { harness } = request.params.arguments ?? {};
  const result = await called(wire, harness === undefined ? {} : { harness }, { meta: request.params._meta });
  if (expected.native) return assert.deepEqual(entriesOf(result), [], file);
  assert.equal(entriesOf(result).length, 1, file);
  const { harness: recognized, via } = world.world.agentOf(result);
  assert.deepEqual([recognized, factOf(way, via)], [expected.harness, expected.by], file);
}

const SIX = new Set(["claude-code", "codex", "antigravity", "opencode", "cursor", "copilot-cli"]);
const isOfSix = ({ way, expected }) => way !== "sessions" && SIX.has(expected.harness);

export async function sixProgramsWithoutSessions(way) {
  const captured = vectors().filter(isOfSix);
  assert.deepEqual(new Set(captured.map(({ expected }) => expected.harness)), SIX);
  for (const vector of captured) await followsVector(way, vector);
}

export async function otherCapturedPrograms(way) {
  for (const vector of vectors().filter((each) => !isOfSix(each))) await followsVector(way, vector);
}

/** Who is calling is told by the verified token alone. */
export async function identifyRestsOnTheCredential(way) {
  const claims = { headers: { "x-user-id": "ada", "x-forwarded-user": "ada", "x-wakeshift-user": "ada" } };
  const meta = { user: "ada", "x-user-id": "ada" };
  const nobody = await way.wire(claims);
  const seat = { table: freshId() };
  const refused = await nobody.call("take_seat", seat, { meta });
  assert.deepEqual([refused.result.structuredContent.state, refused.result.structuredContent.reason], ["unavailable", "no_user"]);
  const bob = await way.wire({ ...claims, user: "bob" });
  const [{ id }] = entriesOf((await bob.call("take_seat", seat, { meta })).result);
  const ada = await way.client({ user: "ada" });
  const { notices } = await ada.ask("notices");
  assert.deepEqual(
    notices.filter((notice) => notice.id === id).map(({ user }) => user),
    ["bob"],
  );
}
