/**
 * The page around its tables: the heading with the verdict, the facts, the form that narrows down, and the footer. `page.ts`
 * puts them together.
 */
import { timestamp } from '../answers.ts';
import { html } from 'hono/html';
import { countConfigurations, lateCycles, membersHeard } from '../../model/cluster-status.ts';
import { pageAddress, type Filter } from '../filter.ts';
import type { MonitorView } from '../monitor-view.ts';
import { link, since, small, time, withTimes, type Html } from '../tables/html.ts';
import { numberText, type Language, type Texts } from '../../model/texts/texts.ts';
import { firstTexts } from '../text.ts';
import type { Verdict } from '../verdict.ts';
import type { EvaluatedRecord } from '../evaluation.ts';

/** Maximum number of lines of a problem. The JSON API and the log have all. */
const maxProblemLines = 20;

/** The verdict, and the problems of the monitor itself. */
export function heading(verdict: Verdict, view: MonitorView, nowMs: number, texts: Texts): Html {
  const { clauses, severity } = verdict;
  return html`<div class="verdict ${severity}">
      ${clauses.map(({ cause, detail, sinceMs, table, text, worst }) => {
        // A clause has at most one of them: the worst quota, the worst launch or the least share left, or why targets fail.
        const example = worst ?? detail ?? cause;
        return html`<p>
          ${link(table && `#${table}`, text)} ${sinceMs !== undefined && since(sinceMs, texts)}
          ${example !== undefined && small(example)}
        </p>`;
      })}
    </div>
    ${monitorProblems(view, nowMs, texts)}`;
}

/** The problems of the monitor itself, such as that it cannot store records. */
function monitorProblems(view: MonitorView, nowMs: number, texts: Texts) {
  const { say } = texts;
  // Without a text (empty or `null`), there is no problem, and so no markup.
  const problemBox = (what: string, effect: Html | string, text: string | null, level = '') =>
    text &&
    html`<div class="trouble ${level}" role="alert">
      <strong>${what}</strong> ${effect}
      <pre>${firstTexts(text.split('\n'), maxProblemLines, texts).join('\n')}</pre>
    </div>`;
  const cluster = view.cluster();
  const { reload, storage } = view.status();
  const { problem } = cluster ?? storage;
  const storageEffect =
    cluster === null
      ? say('Polling goes on; changes are counted when records can be stored again.')
      : say(
          'This daemon does not poll. What it shows is from before, and becomes stale. Counters of changes are absent while reading fails.',
        );
  const members = cluster === null ? [] : membersHeard(cluster);
  const hashLines = members.map(({ configuration, name }) => `${configuration} ${name}`).join('\n');
  const differenceEffect = say('What is polled depends on the daemon that takes the cycle.');
  const differing = countConfigurations(members) > 1 ? hashLines : '';
  const lateLines = (cluster === null ? [] : lateCycles(cluster, nowMs))
    .map(({ account, waitingSinceMs }) => `${account} ${timestamp(waitingSinceMs)}`)
    .join('\n');
  const successAt = timestamp(reload.successMs);
  const inForce = withTimes(say('The one of {time} stays in force.', { time: successAt }));
  return [
    problemBox(say('Records cannot be stored.'), storageEffect, problem),
    problemBox(say('The daemons have different configurations.'), differenceEffect, differing),
    problemBox(say('No daemon has begun the cycles that are due since:'), '', lateLines),
    problemBox(say('The configuration is dangerous.'), '', view.warnings().join('\n'), 'warning'),
    problemBox(say('The configuration was not reloaded.'), inForce, reload.problem),
  ];
}

/**
 * The facts of the whole, whatever the filter is. A fact that is empty is left out.
 *
 * @param all every target that is shown, also those that the filter leaves out
 */
export function facts(
  all: readonly EvaluatedRecord[],
  { knownQuotas }: Verdict,
  view: MonitorView,
  { say }: Texts,
): Html {
  const { cycles, leftOut, nextCycleMs } = view.status();
  const { revision, version } = view.build;
  // The latest start of a cycle of any account.
  const [lastMs] = [...cycles.values()]
    .flatMap(({ lastStartedAtMs }) => lastStartedAtMs ?? [])
    .sort((a, b) => b - a);
  const regions = [...leftOut].flatMap(([account, names]) =>
    names.map((region) => say('{region} of {account}', { region, account })),
  );
  const up = all.filter(({ isUp }) => isUp);
  const items = {
    // A target whose answer lacked something is up, too, as in API and metrics.
    [say('Targets')]: say('{up} of {all} up', { up: up.length, all: all.length }),
    [say('Quotas known')]: numberText(knownQuotas),
    [say('Last cycle')]: time(lastMs) ?? say('none yet'),
    [say('Next cycle')]: time(nextCycleMs) ?? say('none is due'),
    [say('Left out')]: regions.join(say(', ')),
    [say('Version')]: `${version} ${revision.slice(0, 8)}`,
    [say('Up since')]: time(view.startedAtMs),
  };
  return html`<dl class="facts">
    ${Object.entries(items).map(
      ([term, value]) =>
        value &&
        html`<div>
          <dt>${term}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

/**
 * The form that narrows the page down. It is a plain GET, so that a person can save the narrowed page as a link. The script
 * shows the field that refines rows.
 *
 * @param options the parameters of the page that the form keeps, such as its language
 * @param labels the values of each label that can be chosen
 * @param firstTable the ID of the first table below the form. `undefined` if the page has no table
 */
export function filterForm(
  filter: Filter,
  options: ReadonlyMap<string, string>,
  labels: Readonly<Record<string, readonly string[]>>,
  firstTable: string | undefined,
  { parameters, say, word }: Texts,
): Html {
  // A link may narrow down by another label, such as `template_id`.
  const names = new Set(['account', 'region', 'quota_type', ...filter.keys()]);
  return html`<search id="narrow" aria-label="${say('Narrow down')}">
    ${firstTable && html`<a class="skip" href="#${firstTable}">${say('Skip to the rows')}</a>`}
    <form method="get" action="./">
      ${[...names].map(
        (name) =>
          html`<label
            >${word(name.replaceAll('_', ' '))}
            <select name="${name}">
              <option value="">${say('all')}</option>
              ${labels[name]?.map(
                (value) =>
                  html`<option ${filter.get(name)?.includes(value) === true && 'selected'}>
                    ${value}
                  </option>`,
              )}
            </select></label
          >`,
      )}
      ${[...options].map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      )}
      <button type="submit">${say('Narrow')}</button>
      ${filter.size > 0 && html`<a href="${pageAddress(parameters)}">${say('Show everything')}</a>`}
      <label class="refine" hidden
        >${say('Find in the rows below')}
        <input type="search" id="refine" autocomplete="off" /><output
          data-none="${say('no row has these words')}"
        ></output
      ></label>
    </form>
  </search>`;
}

/** What the readers of each language call their language. */
const languageNames: Readonly<Record<Language, string>> = { en: 'English', 'zh-CN': '中文' };

/**
 * The time of the page, its reload, and links to the same data for programs.
 *
 * @param query that of the page, encoded
 * @param refreshSeconds the time to the reload; `null` for a page that is paused
 */
export function footer(
  nowMs: number,
  query: string,
  refreshSeconds: number | null,
  { language, say }: Texts,
): Html {
  const filter = new URLSearchParams(query);
  filter.delete('refresh');
  const filterAndLanguage = String(filter);
  filter.delete('lang');
  const otherLanguages = Object.entries(languageNames).filter(([other]) => other !== language);
  return html`<footer>
    <p>
      ${time(nowMs)}.
      ${
        refreshSeconds === null
          ? html`${say('Not refreshed.')} <a href="./?${filterAndLanguage}">${say('Refresh')}</a>`
          : html`${say('Refreshed every {seconds} s.', { seconds: refreshSeconds })}
              <a href="./?refresh=off&amp;${filterAndLanguage}">${say('Pause')}</a>`
      }
      ${otherLanguages.map(
        ([other, name]) =>
          html`<a href="./?lang=${other}&amp;${filter}" lang="${other}">${name}</a>`,
      )}
    </p>
    <nav aria-label="${say('Data')}">
      <a href="metrics">${say('Metrics')}</a>
      <a href="api/v1/quotas?${filter}">${say('Quotas')} (JSON)</a>
      <a href="api/v1/quotas?format=csv&amp;${filter}">${say('Quotas')} (CSV)</a>
      <a href="api/v1/launches">${say('Launches')} (JSON)</a>
      <a href="api/v1/targets">${say('Targets')} (JSON)</a>
      <a href="api/v1/changes">${say('Changes')} (JSON)</a>
    </nav>
  </footer>`;
}
