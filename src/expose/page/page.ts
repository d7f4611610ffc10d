/** Answers requests for the status page: one page is rendered at a time, and the same one at most once a second. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { MonitorView } from '../monitor-view.ts';
import { PageContent } from './content.ts';

const compressed = promisify(gzip);

/** A page is not rendered again within this time. */
const minRenderIntervalMs = 1_000;
/** Addresses whose page is remembered for that time. */
const maxAddresses = 8;

export interface PageAnswer {
  readonly status: 200 | 400;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Rendered {
  readonly answer: PageAnswer;
  /** Compressed when a client first asks for that. */
  gzipped: Promise<Buffer> | null;
}

interface Known {
  readonly atMs: number;
  readonly page: Promise<Rendered>;
}

export class StatusPage {
  readonly #view: MonitorView;
  readonly #content: PageContent;
  /** By address, the last page. */
  readonly #known = new Map<string, Known>();
  /** Settles when every page that was asked for is rendered. */
  #rendering: Promise<unknown> = Promise.resolve();

  constructor(view: MonitorView) {
    this.#view = view;
    this.#content = new PageContent(view);
  }

  /** @param search narrows the page down */
  async answer(search: URLSearchParams, isGzip: boolean): Promise<PageAnswer> {
    const page = await this.#page(search);
    if (!isGzip) return page.answer;
    page.gzipped ??= compressed(page.answer.body);
    const headers = { ...page.answer.headers, 'Content-Encoding': 'gzip' };
    return { ...page.answer, headers, body: await page.gzipped };
  }

  #page(search: URLSearchParams): Promise<Rendered> {
    const address = search.toString();
    const nowMs = this.#view.clock.now();
    const known = this.#known.get(address);
    // The clock may be set back.
    if (known !== undefined && Math.abs(nowMs - known.atMs) < minRenderIntervalMs) {
      return known.page;
    }
    const page = this.#rendering.then(() => this.#render(search));
    this.#rendering = page.catch(() => {
      this.#known.delete(address);
    });
    this.#known.delete(address);
    this.#known.set(address, { atMs: nowMs, page });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxAddresses && oldest !== undefined) this.#known.delete(oldest);
    return page;
  }

  async #render(search: URLSearchParams): Promise<Rendered> {
    // Whatever waits, such as a scrape, goes first.
    await nextTurn();
    const { headers, html, status } = await this.#content.page(search);
    const body = Buffer.from(html);
    const type = { 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept-Encoding' };
    return { answer: { status, headers: { ...type, ...headers }, body }, gzipped: null };
  }
}
