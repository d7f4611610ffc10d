/**
 * The overview of the page: for each account a table with a row for each region, and a cell for each quota type. `page.ts`
 * shows it above the form.
 */
import { html } from 'hono/html';
import { mapWithYields, type Pace } from '../../model/async.ts';
import { matchesFilter, pageAddress, quotaLabels, type Filter } from '../filter.ts';
import { displayStates } from '../display-state.ts';
import type { Html } from '../tables/html.ts';
import type { TableContents } from '../tables/tables.ts';
import type { Texts } from '../../model/texts/texts.ts';
import { remainingText, zoneOrRegion } from '../text.ts';
import { groupByRegion, worstQuotaFirst, type EvaluatedRecord } from '../evaluation.ts';
import { moreHtml } from './table-section.ts';

/** Maximum number of rows: more are no overview. They are counted. */
const maxRows = 400;

/** A quota type, and the name that people call it. */
type Column = Readonly<Record<'type' | 'name', string>>;
type RegionRow = ReturnType<typeof toRegionRow>;
type RegionTargets = ReturnType<typeof groupByRegion<EvaluatedRecord>>[number];

/**
 * The section of the overview. Accounts and regions are in the order of the targets, so that none moves. `false`, and so no
 * markup, if no region has quotas.
 */
export async function grid(
  { collectors, filter, targets, texts }: TableContents,
  pace: Pace,
): Promise<Html | false> {
  const regions = groupByRegion(targets, ({ record }) => record.target);
  const regionRows = await mapWithYields(regions, (region) => toRegionRow(region, filter), pace);
  const rows = regionRows.filter(({ cells }) => cells.size > 0);
  const types = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))];
  const columns = types.map((type) => ({ type, name: texts.word(collectors.quotaName(type)) }));
  const shown = rows.slice(0, maxRows);
  const accounts = [...new Set(shown.map(({ account }) => account))];
  const rowsOf = (name: string) => shown.filter(({ account }) => account === name);
  const phoneRows = accounts.length > maxPhoneMaps ? 0 : maxPhoneRows;
  const mapOf = (name: string) => accountMap(name, rowsOf(name), columns, phoneRows, texts);
  const maps = await mapWithYields(accounts, mapOf, pace);
  return (
    rows.length > 0 &&
    html`<section id="overview" aria-label="${texts.say('Overview')}">
      <div class="maps">${maps}</div>
      <p class="more legend">
        ${texts.say('A cell is as bad as its worst zone:')}
        ${legend.map(
          (state) =>
            html`<span
              ><i class="cell ${state}">${displayStates[state].symbol}</i> ${texts.say(state)}</span
            > `,
        )}
      </p>
      ${moreHtml(rows.length - shown.length, texts)}
    </section>`
  );
}

/**
 * The row of a region of an account. `cells` has its quotas by their type, the worst first. While a target is not up, a type
 * that it asks for has a cell without quotas: its state is unknown.
 */
function toRegionRow({ account, region, items: targets }: RegionTargets, filter: Filter) {
  const quotas = targets
    .flatMap((target) => [...target.quotas, ...target.gone])
    .filter((quota) => matchesFilter(filter, quotaLabels(quota)));
  const expectedQuotas = targets.flatMap(({ collector, record, state }) =>
    state === 'up' ? [] : collector.reportableQuotas(record.target),
  );
  const isWanted = (type: string) => filter.get('quota_type')?.includes(type) ?? true;
  const expectedTypes = expectedQuotas.map(({ type }) => type).filter(isWanted);
  const types = new Set([...quotas.map(({ quota }) => quota.type), ...expectedTypes]);
  const quotasOf = (type: string) => quotas.filter(({ quota }) => quota.type === type);
  const cells = new Map([...types].map((type) => [type, quotasOf(type).sort(worstQuotaFirst)]));
  /** Muted quotas, and those with a limit of 0, are fine too. A cell without quotas is not. */
  const isFine = [...cells.values()].every(
    ([worst]) => worst && displayStates[worst.state].symbol === '',
  );
  return { account, region, cells, isFine };
}

/** Maximum number of rows of an account that a phone shows: the first ones that are not fine. The style hides the others. */
const maxPhoneRows = 2;
/** With more accounts than this, a phone shows no row of any account. */
const maxPhoneMaps = 2;

/** The states whose colours the page explains below the overview. */
const legend = ['fine', 'low', 'critical', 'overdrawn', 'unknown', 'muted'] as const;

/**
 * The table of an account.
 *
 * @param rows those of the account
 * @param phoneRows maximum number of rows that a phone shows; the caption counts the others for it
 */
function accountMap(
  account: string,
  rows: readonly RegionRow[],
  columns: readonly Column[],
  phoneRows: number,
  texts: Texts,
): Html {
  const { parameters, say } = texts;
  const fine = rows.filter(({ isFine }) => isFine).length;
  const shownByPhone = Math.min(phoneRows, rows.length - fine);
  const hidden = rows.length - shownByPhone;
  const hiddenText =
    shownByPhone > 0
      ? say('and {count more region|more regions}', { count: hidden })
      : say('{count region|regions} not shown', { count: hidden });
  return html`<table class="map">
    <caption>
      <a href="${pageAddress({ account, ...parameters })}"><bdi>${account}</bdi></a>
      <small>${say('{fine} of {all} fine', { fine, all: rows.length })}</small>
      ${hidden > 0 && html`<small class="hidden">${hiddenText}</small>`}
    </caption>
    <thead>
      <tr>
        <td></td>
        ${columns.map(({ name }) => html`<th scope="col"><span>${name}</span></th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (regionRow) =>
          html`<tr class="${regionRow.isFine ? 'fine' : 'bad'}">
            <th scope="row">
              <a href="${pageAddress({ account, region: regionRow.region, ...parameters })}"
                ><bdi>${regionRow.region}</bdi></a
              >
            </th>
            ${columns.map((column) => html`<td>${cellLink(regionRow, column, texts)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/**
 * The worst quota of a type in a region, as a link to all of them. `false`, and so no markup, if the region does not have the
 * type.
 */
function cellLink(
  { account, cells, region }: RegionRow,
  { name, type }: Column,
  texts: Texts,
): Html | false {
  const { parameters, say } = texts;
  const quotas = cells.get(type);
  if (quotas === undefined) return false;
  const [worst, ...others] = quotas;
  const state = worst?.state ?? 'unknown';
  const count = others.length + 1;
  const where = worst === undefined ? region : zoneOrRegion(worst);
  const text =
    others.length === 0 ? where : say('{where} (the worst of {count})', { where, count });
  const facts = worst === undefined ? [] : [remainingText(worst, texts)];
  const description = say('{text}: {more}', { text, more: [...facts, say(state)].join(say(', ')) });
  const address = pageAddress({ account, region, quota_type: type, ...parameters });
  return html`<a class="cell ${state}" href="${address}#quotas"
    ><span aria-hidden="true">${displayStates[state].symbol}</span
    ><span class="figure">${name}${say(', ')}${description}</span></a
  >`;
}
