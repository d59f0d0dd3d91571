// The least any core must do in Node for an emit: take it, parse it, check its signature on another thread, answer. Keeps nothing.
// Argument: the app's public key (base64url). Tells its parent `{url}`.
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: process.argv[2] ?? "" }, format: "jwk" });

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { name } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const token = (request.headers.authorization ?? "").slice("Bearer ".length);
  const end = token.lastIndexOf(".");
  verify(null, Buffer.from(token.slice(0, end)), publicKey, Buffer.from(token.slice(end + 1), "base64url"), (error, good) => {
    response.writeHead(error === null && good ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: name, matched: 0, duplicate: false }));
  });
});
server.listen(0, "127.0.0.1", () => process.send?.({ url: `http://127.0.0.1:${server.address().port}` }));
process.on("disconnect", () => process.exit());
