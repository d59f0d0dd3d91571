import { startCrawler } from "./server.ts";

const crawler = await startCrawler({ port: Number(process.env["PORT"] ?? 4871) });
console.log(`crawler listening on ${crawler.url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void crawler.close().then(() => process.exit(0));
  });
}
