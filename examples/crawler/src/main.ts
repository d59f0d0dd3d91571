import { startCrawler } from "./server.ts";

const port = Number(process.env["PORT"] ?? 4871);
const crawler = await startCrawler({ port }).catch((error: unknown) => {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  console.error(`Port ${String(port)} is taken. Stop what listens on it, or choose another one: PORT=N (of npm start: --mcp-port N).`);
  return process.exit(1);
});
console.log(`crawler listening on ${crawler.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void crawler.close().then(() => process.exit(0));
  });
}
