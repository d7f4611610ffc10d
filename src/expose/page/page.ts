/**
 * The status page, a projection of the published records. One page is rendered at a time, and the same one at most once
 * a second. It is made in slices, so that scrapes are answered in between, and the text of a row is remembered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { html } from 'hono/html';
import type { Answer } from '../answers.ts';
import { admits, ask, FilterError, targetLabels } from '../filter.ts';
import { mapInTurns } from '../../model/async.ts';
import type { Source } from '../present.ts';
import { Remembered } from '../remembered.ts';
import { renderer } from '../renderings.ts';
import { verdictOf } from '../verdict.ts';
import { refusal, secondsToRefresh, webPage } from './document.ts';
import { facts, filterForm, footer, heading } from './frame.ts';
import { grid } from './grid.ts';
import { textOf, type Html } from '../tables/html.ts';
import { sectionsOf } from './sections.ts';
import { rowHtml, sectionHtml } from './table.ts';

/** A page is not rendered again within this time. */
const minRenderIntervalMs = 1_000;
/** Addresses whose page is remembered for that time. */
const maxAddresses = 8;

/** Rows of a section, unless it says otherwise. */
const defaultMax = 100;

/** Gives the page for an address that narrows it down. An address that asks for what there is not has a page, too. */
export function statusPage(source: Source) {
  const texts = new Remembered<string>();
  const now = () => source.view.clock.now();
  const rendered = renderer<Answer>(minRenderIntervalMs, maxAddresses, now);
  const render = async (query: string) => {
    // Whatever waits, such as a scrape, goes first.
    await nextTurn();
    return pageOf(source, texts, query).catch((error: unknown) => {
      if (error instanceof FilterError) return refusal(error.message);
      throw error;
    });
  };
  return (query: string) => rendered(query, () => render(query));
}

/** @throws FilterError for an address that asks for what there is not */
async function pageOf(source: Source, texts: Remembered<string>, query: string): Promise<Answer> {
  const { view } = source;
  const asked = await ask(source, query, { options: { refresh: ['off'] } });
  const { filter, labels, launches, nowMs, options, targets: all } = asked;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const links = view.links();
  const isPaused = options.has('refresh');
  const seconds = isPaused ? null : secondsToRefresh(view.status().nextCycleMs, nowMs);
  const verdict = verdictOf(all, launches);
  const targets = all.filter((watched) => admits(filter, ...targetLabels(watched)));
  const settings = { collectors: view.collectors, links, today };
  const sections = sectionsOf(view, settings, { ...asked, targets });
  const parts: Html[] = [];
  for (const section of sections) {
    const { id, max = defaultMax, rows } = section;
    const shown = await mapInTurns(rows.slice(0, max), (row) =>
      texts.of(row, [id, links, today], () => textOf(rowHtml(section.show(row, settings)))),
    );
    parts.push(sectionHtml(section, shown, settings));
  }
  return webPage({
    title: verdict.clauses.map(({ text }) => text).join('; '),
    level: verdict.level,
    // With the URL of the page. Otherwise a browser at a fragment would only scroll there, and not reload.
    refresh: seconds === null ? null : `${seconds}; url=./?${String(new URLSearchParams(query))}`,
    body: html`<header>
        <h1>cvm-quota-monitor</h1>
        <nav aria-label="Sections">
          ${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}
        </nav>
      </header>
      <main>
        ${heading(verdict, view, nowMs, today)} ${facts(all, verdict, view, today)}
        ${grid(targets, filter)} ${filterForm(filter, labels, isPaused)} ${parts}
      </main>
      ${footer(nowMs, filter, seconds)}`,
  });
}
