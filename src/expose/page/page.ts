/**
 * The status page, a projection of the published records. One page is rendered at a time, and the same one at most once
 * a second. It is made in slices, so that scrapes are answered in between, and the text of a row is remembered.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { html } from 'hono/html';
import { mapWithYields } from '../../model/yielding.ts';
import { ObjectMemo } from '../../model/memoize.ts';
import type { Answer } from '../answers.ts';
import { admits, ask, FilterError, targetLabels } from '../filter.ts';
import { newestFirst } from '../json/changes.ts';
import type { Evaluator } from '../evaluation.ts';
import { renderer } from '../renderings.ts';
import { textOf, type Html } from '../tables/html.ts';
import { tablesOf } from '../tables/tables.ts';
import { verdictOf } from '../verdict.ts';
import { refusal, webPage } from './document.ts';
import { facts, filterForm, footer, heading } from './frame.ts';
import { grid } from './grid.ts';
import { rowHtml, sectionHtml } from './table.ts';

/** A page is not rendered again within this time. */
const minRenderIntervalMs = 1_000;
/** Addresses whose page is remembered for that time. */
const maxAddresses = 8;

/** Rows on a page: of quotas, and of each other table. */
const maxQuotas = 500;
const maxOthers = 100;

/** Gives the page for an address that narrows it down. An address that asks for what there is not has a page, too. */
export function statusPage(source: Evaluator) {
  const texts = new ObjectMemo<string>();
  const { clock } = source.view;
  const rendered = renderer<Answer>(minRenderIntervalMs, maxAddresses, () => clock.now());
  return (query: string) =>
    rendered(query, async () => {
      // Whatever waits, such as a scrape, goes first.
      await nextTurn();
      return pageOf(source, texts, query).catch((error: unknown) => {
        if (error instanceof FilterError) return refusal(error.message);
        throw error;
      });
    });
}

/** @throws FilterError for an address that asks for what there is not */
async function pageOf(
  source: Evaluator,
  texts: ObjectMemo<string>,
  query: string,
): Promise<Answer> {
  const { view } = source;
  const asked = await ask(source, query, { options: { refresh: ['off'] } });
  const { filter, labels, launches, nowMs, options, targets: all } = asked;
  const { collectors } = view;
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const links = view.links();
  const isPaused = options.has('refresh');
  // Soon after the next cycle, but at least 10 and at most 60 seconds.
  const dueMs = (view.status().nextCycleMs ?? Infinity) - nowMs + 2_000;
  const seconds = isPaused ? null : Math.min(60, Math.max(10, Math.ceil(dueMs / 1_000)));
  const verdict = verdictOf(all, launches);
  const targets = all.filter((watched) => admits(filter, ...targetLabels(watched)));
  const changes = newestFirst(view.published.changes());
  const settings = { collectors, links, today };
  const contents = { ...asked, targets, changes, cluster: view.cluster(), collectors };
  const tables = tablesOf(contents);
  const sections: Html[] = [];
  for (const table of tables) {
    const { id, rows } = table;
    const max = id === 'quotas' ? maxQuotas : maxOthers;
    const shown = await mapWithYields(rows.slice(0, max), (row) =>
      texts.of(row, [id, links, today], () => textOf(rowHtml(table.show(row, settings)))),
    );
    sections.push(sectionHtml(table, shown, settings));
  }
  const title = verdict.clauses.map(({ text }) => text).join('; ');
  const body = html`<header>
      <h1>cvm-quota-monitor</h1>
      <nav aria-label="Sections">
        ${tables.map(({ id, title: name }) => html`<a href="#${id}">${name}</a> `)}
      </nav>
    </header>
    <main>
      ${heading(verdict, view, nowMs, today)} ${facts(all, verdict, view, today)} ${grid(contents)}
      ${filterForm(filter, labels, isPaused)} ${sections}
    </main>
    ${footer(nowMs, query, seconds)}`;
  // With the URL of the page. Otherwise a browser at a fragment would only scroll there, and not reload.
  const reload = `${seconds}; url=./?${String(new URLSearchParams(query))}`;
  const headers = isPaused ? {} : { Refresh: reload };
  return webPage(title, verdict.level, body, { headers });
}
