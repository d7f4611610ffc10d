/** Answers requests for the status page: one page is rendered at a time, and the same one at most once a second. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FilterError } from '../filter.ts';
import type { MonitorView } from '../monitor-view.ts';
import { Renderings } from '../renderings.ts';
import type { Watch } from '../watched.ts';
import { PageContent } from './content.ts';
import { refusal, type WebPage } from './document.ts';

const compressed = promisify(gzip);

/** A page is not rendered again within this time. */
const minRenderIntervalMs = 1_000;
/** Addresses whose page is remembered for that time. */
const maxAddresses = 8;

/** A page, compressed once for all who ask for it in that time. */
interface Rendered {
  readonly page: WebPage;
  readonly gzipped: Buffer;
}

/** Gives the page for an address that narrows it down. */
export function statusPage(
  view: MonitorView,
  watch: Watch,
): (search: URLSearchParams) => Promise<Rendered> {
  const content = new PageContent(view, watch);
  const renderings = new Renderings<Rendered>(minRenderIntervalMs, maxAddresses, () =>
    view.clock.now(),
  );
  const render = async (search: URLSearchParams) => {
    // Whatever waits, such as a scrape, goes first.
    await nextTurn();
    const page = await content.page(search).catch((error: unknown) => {
      if (error instanceof FilterError) return refusal(error.message);
      throw error;
    });
    return { page, gzipped: await compressed(page.html) };
  };
  return (search) => renderings.get(search.toString(), () => render(search));
}
