// A taker of wakes in a process of its own: prints each message of its stream as a line, and acks what it reads on stdin.
import { createInterface } from "node:readline";
import { TextDecoderStream } from "node:stream/web";

const [url, holder, ticket] = process.argv.slice(2);
const post = (path, body) =>
  fetch(`${url}/api/wakes/v1/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

createInterface({ input: process.stdin }).on("line", async (occurrence) => {
  const answer = await post("ack", { holder, acks: [{ ticket, occurrence, state: "handed" }] });
  console.log(JSON.stringify({ event: "acked", status: answer.status, data: (await answer.json()).acks[0] }));
});

const stream = await post("stream", { holder, tickets: [ticket] });
let rest = "";
for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
  rest += chunk;
  const messages = rest.split("\n\n");
  rest = messages.pop();
  for (const message of messages) {
    const [event, data] = message.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
    console.log(JSON.stringify({ event, data: JSON.parse(data) }));
  }
}
