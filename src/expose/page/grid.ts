/** One picture of everything: for each account a row for each region, and a cell for each quota type. */
import { html } from 'hono/html';
import { counted } from '../number-format.ts';
import { leftText, plainName, whereOf } from '../quota-text.ts';
import type { QuotaWord } from '../severity.ts';
import { addressOf } from '../tables.ts';
import { compareUrgency, type QuotaRow, type Watched } from '../watched.ts';
import { id, type Html } from './html.ts';
import { moreHtml } from './table.ts';

/** More rows are no picture. They are left out, and counted. */
const maxRows = 400;

/** What a cell shows besides its colour. A state without a sign is fine. */
const signs: Readonly<Partial<Record<QuotaWord, string>>> = {
  overdrawn: '!!',
  critical: '!',
  low: '▾',
  gone: '▾',
  stale: '?',
  unknown: '?',
};

/** The quotas of a region of an account by their type; no quota of a type that is asked for and not known. */
interface Place {
  readonly account: string;
  readonly region: string;
  readonly cells: Map<string, QuotaRow[]>;
}

/**
 * Accounts and regions are in the order of the targets, so that each keeps its place. Empty without quotas.
 *
 * @param isShown whether a quota is asked for
 */
export function grid(
  targets: readonly Watched[],
  isShown: (row: QuotaRow) => boolean,
  asked: readonly string[] | undefined,
): Html | '' {
  const places = placesOf(targets, isShown, asked);
  const types = [...new Set(places.flatMap(({ cells }) => [...cells.keys()]))];
  if (types.length === 0) return '';
  const shown = places.slice(0, maxRows);
  const left = places.length - maxRows;
  const accounts = [...new Set(shown.map(({ account }) => account))];
  return html`<section id="overview" aria-label="Overview">
    <div class="maps">
      ${accounts.map((account) =>
        accountMap(
          account,
          shown.filter((place) => place.account === account),
          types,
        ),
      )}
    </div>
    ${left > 0 ? moreHtml(counted(left, 'region')) : ''}
  </section>`;
}

function placesOf(
  targets: readonly Watched[],
  isShown: (row: QuotaRow) => boolean,
  asked: readonly string[] | undefined,
): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { collector, gone, quotas, record, state } of targets) {
    const { account, region } = record.target;
    const types = collector.reportableQuotas(record.target).map(({ type }) => type);
    if (types.length === 0) continue;
    const key = `${account}@${region}`;
    const place = places.get(key) ?? { account, region, cells: new Map<string, QuotaRow[]>() };
    places.set(key, place);
    const cellOf = (type: string) => {
      const cell = place.cells.get(type) ?? [];
      place.cells.set(type, cell);
      return cell;
    };
    for (const row of [...quotas, ...gone]) if (isShown(row)) cellOf(row.quota.type).push(row);
    if (state === 'up') continue;
    for (const type of types) if (asked?.includes(type) !== false) cellOf(type);
  }
  return [...places.values()];
}

function worstOf([first, ...others]: readonly QuotaRow[]): QuotaRow | undefined {
  if (first === undefined) return undefined;
  return others.reduce((worst, row) => (compareUrgency(row, worst) < 0 ? row : worst), first);
}

function isFine({ cells }: Place): boolean {
  return [...cells.values()].every((cell) => signs[worstOf(cell)?.word ?? 'unknown'] === undefined);
}

function accountMap(account: string, places: readonly Place[], types: readonly string[]): Html {
  return html`<table class="map">
    <caption>
      <a href="${addressOf({ account })}">${id(account)}</a>
      <small>${places.filter(isFine).length} of ${counted(places.length, 'region')} fine</small>
    </caption>
    <thead>
      <tr>
        <td></td>
        ${types.map(
          (type) =>
            html`<th scope="col"><abbr title="${plainName(type)}">${shortName(type)}</abbr></th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${places.map(
        (place) =>
          html`<tr class="${isFine(place) ? 'fine' : 'bad'}">
            <th scope="row">
              <a href="${addressOf({ account, region: place.region })}">${id(place.region)}</a>
            </th>
            ${types.map((type) => html`<td>${cellLink(place, type)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function cellLink({ account, cells, region }: Place, type: string): Html | '' {
  const cell = cells.get(type);
  if (cell === undefined) return '';
  const worst = worstOf(cell);
  const word = worst?.word ?? 'unknown';
  const others = cell.length > 1 ? ` (the worst of ${cell.length})` : '';
  const figure =
    worst === undefined
      ? `${region}: not known`
      : `${whereOf(worst)}${others}: ${leftText(worst)}${word === 'fine' ? '' : `, ${word}`}`;
  return html`<a
    class="cell ${word}"
    href="${addressOf({ account, region, quota_type: type })}#quotas"
    ><span aria-hidden="true">${signs[word] ?? ''}</span
    ><span class="figure">${plainName(type)}, ${figure}</span></a
  >`;
}

/** Fits above a cell: the last word of several, such as `group`, and `spot` of `spotpaid`. */
function shortName(type: string): string {
  return (type.split('_').at(-1) ?? type).replace(/paid$/, '');
}
