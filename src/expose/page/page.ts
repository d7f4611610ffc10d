/**
 * The status page, made of the evaluated records. `app.ts` creates it once, and asks it for each rendering. The markup of a row
 * is memoized until its item changes.
 */
import { html } from 'hono/html';
import { mapWithYields, type Pace } from '../../model/async.ts';
import { ObjectMemo } from '../../model/memoize.ts';
import { languages, type Texts } from '../../model/texts/texts.ts';
import type { Answer } from '../answers.ts';
import { labelValues, launchLabels, matchesRecord, parseQuery } from '../filter.ts';
import type { Evaluator } from '../evaluation.ts';
import { tablesOf } from '../tables/tables.ts';
import { verdictOf } from '../verdict.ts';
import { documentAnswer } from './document.ts';
import { facts, filterForm, footer, heading } from './frame.ts';
import { grid } from './grid.ts';
import type { Html } from '../tables/html.ts';
import { rowMarkup, sectionHtml } from './table-section.ts';

/** Rows on a page: of quotas, and of each other table. */
const maxQuotas = 500;
const maxOthers = 100;

/**
 * Creates the function that renders the page for a query string that narrows it down. The function rejects with a FilterError
 * for a query with a mistake. The query is encoded, as it stands in an address.
 */
export function createStatusPage(evaluator: Evaluator) {
  const { view } = evaluator;
  const { collectors } = view;
  const rowMemo = new ObjectMemo<string>();
  return async (query: string, pace: Pace, texts: Texts): Promise<Answer> => {
    const { say } = texts;
    const { launches, nowMs, targets: all } = await evaluator.evaluate(pace);
    const labels = await labelValues(all, collectors, pace, launches.map(launchLabels));
    const { filter, options } = parseQuery(query, labels, { refresh: ['off'], lang: languages });
    const links = view.links();
    const isPaused = options.has('refresh');
    // The page reloads soon after the next cycle, but not before 10 seconds, and after 60 at the latest.
    const dueMs = (view.status().nextCycleMs ?? Infinity) - nowMs + 2_000;
    const refreshSeconds = isPaused ? null : Math.min(60, Math.max(10, Math.ceil(dueMs / 1_000)));
    const verdict = verdictOf(all, launches, texts);
    await pace();
    const targets = all.filter((target) => matchesRecord(filter, target));
    const changes = view.published.changes().toReversed();
    const members = view.cluster()?.members ?? [];
    const contents = { collectors, filter, targets, launches, changes, members, links, texts };
    const tables = tablesOf(contents);
    await pace();
    const sections: Html[] = [];
    for (const table of tables) {
      const { id, items } = table;
      const max = id === 'quotas' ? maxQuotas : maxOthers;
      // `toRow` may use nothing else that changes. The ID, because a target may have a row in two tables.
      const markupOf = (item: object) =>
        rowMemo.of(item, [id, links, texts], () => rowMarkup(table.toRow(item)));
      const rows = await mapWithYields(items.slice(0, max), markupOf, pace);
      sections.push(sectionHtml(table, rows, texts));
    }
    const overview = await grid(contents, pace);
    const title = verdict.clauses.map(({ text }) => text).join(say('; '));
    const body = html`<header>
        <h1>cvm-quota-monitor</h1>
        <nav aria-label="${say('Sections')}">
          ${tables.map(({ id, title: name }) => html`<a href="#${id}">${name}</a> `)}
        </nav>
      </header>
      <main>
        ${heading(verdict, view, nowMs, texts)} ${facts(all, verdict, view, texts)} ${overview}
        ${filterForm(filter, options, labels, tables[0]?.id, texts)} ${sections}
      </main>
      ${footer(nowMs, query, refreshSeconds, texts)}`;
    // With the URL of the page. Otherwise a browser at a fragment would only scroll there, and not reload.
    const reload = `${refreshSeconds}; url=./?${query}`;
    const answer = documentAnswer(title, verdict.severity, body, texts);
    return isPaused ? answer : { ...answer, headers: { ...answer.headers, Refresh: reload } };
  };
}
