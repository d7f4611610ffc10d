/** One picture of everything: for each account a row for each region, and a cell for each quota type. */
import { html } from 'hono/html';
import { counted } from '../number-format.ts';
import { leftText, plainName, whereOf } from '../quota-text.ts';
import type { QuotaWord } from '../severity.ts';
import { compareUrgency, type QuotaRow, type Watched } from '../watched.ts';
import { addressOf, id, type Html } from './html.ts';

/** More rows are no picture. They are left out, and counted. */
const maxRows = 400;

/** What a cell shows besides its colour. */
const signs: Readonly<Partial<Record<QuotaWord, string>>> = {
  overdrawn: '!!',
  critical: '!',
  low: '▾',
  stale: '?',
  unknown: '?',
};

/** The quotas of a type in a region of an account. */
interface Cell {
  /** `null` if none is known of a type that is asked for. */
  readonly worst: QuotaRow | null;
  readonly quotas: number;
}

interface Place {
  readonly account: string;
  readonly region: string;
  /** By quota type. */
  readonly cells: Map<string, Cell>;
}

/** A target, and those of its quotas that are shown. */
export interface GridTarget {
  readonly watched: Watched;
  readonly quotas: readonly QuotaRow[];
}

/**
 * Accounts and regions are in the order of the targets, so that each keeps its place. Empty without quotas.
 *
 * @param asked the quota types that are shown; absent for all
 */
export function grid(targets: readonly GridTarget[], asked?: readonly string[]): Html | '' {
  const places = placesOf(targets, asked);
  const types = [...new Set(places.flatMap(({ cells }) => [...cells.keys()]))];
  if (types.length === 0) return '';
  const shown = places.slice(0, maxRows);
  const left = places.length - shown.length;
  const accounts = [...new Set(shown.map(({ account }) => account))];
  return html`<section id="overview" aria-label="Overview">
    <div class="maps">
      ${accounts.map((account) =>
        table(
          account,
          shown.filter((place) => place.account === account),
          types,
        ),
      )}
    </div>
    ${
      left === 0
        ? ''
        : html`<p class="more">
            and ${counted(left, 'region')} more: <a href="#narrow">narrow it down</a>
          </p>`
    }
  </section>`;
}

function placesOf(targets: readonly GridTarget[], asked?: readonly string[]): readonly Place[] {
  const places = new Map<string, Place>();
  for (const { quotas, watched } of targets) {
    const { account, region } = watched.record.target;
    const types = watched.collector.reportableQuotas(watched.record.target);
    if (types.length === 0) continue;
    const key = `${account}@${region}`;
    const place = places.get(key) ?? { account, region, cells: new Map<string, Cell>() };
    places.set(key, place);
    for (const row of quotas) {
      const { quotas: count, worst } = place.cells.get(row.quota.type) ?? { worst: row, quotas: 0 };
      const isWorse = worst === null || compareUrgency(row, worst) < 0;
      place.cells.set(row.quota.type, { worst: isWorse ? row : worst, quotas: count + 1 });
    }
    for (const { type } of watched.state === 'up' ? [] : types) {
      if (place.cells.has(type) || asked?.includes(type) === false) continue;
      place.cells.set(type, { worst: null, quotas: 0 });
    }
  }
  return [...places.values()];
}

function wordOf({ worst }: Cell): QuotaWord {
  return worst?.word ?? 'unknown';
}

function table(account: string, places: readonly Place[], types: readonly string[]): Html {
  const rows = places.map((place) => ({
    ...place,
    isFine: [...place.cells.values()].every((cell) => signs[wordOf(cell)] === undefined),
  }));
  const fine = rows.filter(({ isFine }) => isFine).length;
  return html`<table class="map">
    <caption>
      <a href="${addressOf({ account })}">${id(account)}</a>
      <small>${fine} of ${counted(rows.length, 'region')} fine</small>
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
      ${rows.map(
        ({ isFine, ...place }) =>
          html`<tr class="${isFine ? 'fine' : 'bad'}">
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
  const word = wordOf(cell);
  const { quotas, worst } = cell;
  const others = quotas > 1 ? ` (the worst of ${quotas})` : '';
  const figure =
    worst === null
      ? `${region}: not known`
      : `${whereOf(worst)}${others}: ${leftText(worst)}${word === 'fine' ? '' : `, ${word}`}`;
  return html`<a
    class="cell ${word}"
    href="${addressOf({ account, region, quota_type: type })}#quotas"
    ><span aria-hidden="true">${signs[word] ?? ''}</span
    ><span class="figure">${plainName(type)}, ${figure}</span></a
  >`;
}

/** The last word of a type with several, which fits above a cell: `group`. */
function shortName(type: string): string {
  return type.split('_').at(-1) ?? type;
}
