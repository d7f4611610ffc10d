/** One picture of everything: for each account a row for each region, and a cell for each quota type. */
import { html } from 'hono/html';
import { admits, quotaLabels, type Filter } from '../filter.ts';
import { displayStates } from '../severity.ts';
import { addressOf, type Html } from '../tables/html.ts';
import type { Contents } from '../tables/tables.ts';
import { leftText, whereOf } from '../text.ts';
import { byPlace, compareUrgency, type Place } from '../evaluated-record.ts';
import { moreHtml } from './table.ts';

/** More rows are no picture. They are left out, and counted. */
const maxRows = 400;

/** A quota type, and what people call it. */
type Column = Readonly<Record<'type' | 'name', string>>;
type ShownPlace = ReturnType<typeof shownPlace>;

/** Accounts and regions are in the order of the targets, so that each keeps its place. Nothing without quotas. */
export function grid({ collectors, filter, targets }: Contents): Html | false {
  const all = byPlace(targets).map((place) => shownPlace(place, filter));
  const places = all.filter(({ cells }) => cells.size > 0);
  const types = [...new Set(places.flatMap(({ cells }) => [...cells.keys()]))];
  const columns = types.map((type) => ({ type, name: collectors.quotaName(type) }));
  const shown = places.slice(0, maxRows);
  const accounts = [...new Set(shown.map(({ account }) => account))];
  const placesOf = (name: string) => shown.filter(({ account }) => account === name);
  return (
    places.length > 0 &&
    html`<section id="overview" aria-label="Overview">
      <div class="maps">${accounts.map((name) => accountMap(name, placesOf(name), columns))}</div>
      ${moreHtml(places.length - shown.length)}
    </section>`
  );
}

/** The quotas of a region of an account by their type, the worst first; none of a type that is asked for and not known. */
function shownPlace({ account, region, targets }: Place, filter: Filter) {
  const rows = targets
    .flatMap(({ gone, quotas }) => [...quotas, ...gone])
    .filter((row) => admits(filter, quotaLabels(row)));
  const expected = targets.flatMap(({ collector, record, state }) =>
    state === 'up' ? [] : collector.reportableQuotas(record.target),
  );
  const asked = expected.filter(({ type }) => filter.get('quota_type')?.includes(type) !== false);
  const cells = new Map(
    [...rows.map(({ quota }) => quota), ...asked].map(({ type }) => [
      type,
      rows.filter(({ quota }) => quota.type === type).sort(compareUrgency),
    ]),
  );
  const isFine = [...cells.values()].every(
    ([worst]) => worst && displayStates[worst.state].sign === '',
  );
  return { account, region, cells, isFine };
}

function accountMap(
  account: string,
  places: readonly ShownPlace[],
  columns: readonly Column[],
): Html {
  return html`<table class="map">
    <caption>
      <a href="${addressOf({ account })}"><bdi>${account}</bdi></a>
      <small>${places.filter(({ isFine }) => isFine).length} of ${places.length} fine</small>
    </caption>
    <thead>
      <tr>
        <td></td>
        ${columns.map(
          ({ name, type }) =>
            html`<th scope="col"><abbr title="${name}">${shortName(type)}</abbr></th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${places.map(
        (place) =>
          html`<tr class="${place.isFine ? 'fine' : 'bad'}">
            <th scope="row">
              <a href="${addressOf({ account, region: place.region })}"
                ><bdi>${place.region}</bdi></a
              >
            </th>
            ${columns.map((column) => html`<td>${cellLink(place, column)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cellLink({ account, cells, region }: ShownPlace, { name, type }: Column): Html | false {
  const [worst, ...others] = cells.get(type) ?? [];
  const word = worst?.state ?? 'unknown';
  const count = others.length === 0 ? '' : ` (the worst of ${others.length + 1})`;
  const figure =
    worst === undefined
      ? `${region}: not known`
      : `${whereOf(worst)}${count}: ${leftText(worst)}, ${word}`;
  return (
    cells.has(type) &&
    html`<a class="cell ${word}" href="${addressOf({ account, region, quota_type: type })}#quotas"
      ><span aria-hidden="true">${displayStates[word].sign}</span
      ><span class="figure">${name}, ${figure}</span></a
    >`
  );
}

/** Fits above a cell: the last word of several, such as `group`, and `spot` of `spotpaid`. The style cuts it. */
function shortName(type: string): string {
  return (type.split('_').at(-1) ?? type).replace(/paid$/, '');
}
