/** What one crawl found. */
export interface CrawlReport {
  readonly status: "done" | "failed";
  readonly pages: number;
  /** Why it failed, where it did. */
  readonly detail?: string;
}

/** Bounds of one crawl. */
export interface CrawlOptions {
  /** Pages fetched at most. */
  readonly maxPages: number;
  /** Time one page may take, in milliseconds. */
  readonly pageTimeoutMs: number;
}

const LINK = /<a\s[^>]*href\s*=\s*["']([^"'#]+)/gi;

/** Same-origin links of a page, absolute and without fragments. */
export function linksOf(html: string, page: URL): readonly URL[] {
  const found = new Map<string, URL>();
  for (const [, href] of html.matchAll(LINK)) {
    if (href === undefined || !URL.canParse(href, page.href)) continue;
    const link = new URL(href, page.href);
    link.hash = "";
    if (link.origin === page.origin) found.set(link.href, link);
  }
  return [...found.values()];
}

/** Fetches a site breadth first, staying on its origin. Never throws: a crawl that could not start is `failed`. */
export async function crawl(start: string, options: CrawlOptions): Promise<CrawlReport> {
  if (!URL.canParse(start)) return { status: "failed", pages: 0, detail: "not a URL" };
  const queue = [new URL(start)];
  const seen = new Set(queue.map((url) => url.href));
  let pages = 0;
  let detail: string | undefined;
  while (pages < options.maxPages) {
    const page = queue.shift();
    if (page === undefined) break;
    try {
      const answer = await fetch(page, { signal: AbortSignal.timeout(options.pageTimeoutMs) });
      const body = await answer.text();
      pages += 1;
      for (const link of linksOf(body, page)) {
        if (seen.has(link.href)) continue;
        seen.add(link.href);
        queue.push(link);
      }
    } catch (error) {
      detail = error instanceof Error ? error.name : "unknown";
    }
  }
  return pages > 0 ? { status: "done", pages } : { status: "failed", pages, detail: detail ?? "nothing to fetch" };
}
