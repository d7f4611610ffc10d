/** The query string of the status page, and links with other queries. */
import type { CollectorSet } from '../../../collectors/collector-set.ts';
import type { Filter } from '../../filter.ts';
import type { Order } from './sorting.ts';

/** An empty text is no filter. */
export interface StatusQuery {
  readonly account: string;
  readonly region: string;
  /** The kind of a collector. */
  readonly kind: string;
  /** The key of a target. */
  readonly target: string;
  /** A text to search for in what the page shows; case does not matter. */
  readonly text: string;
  readonly onlyProblems: boolean;
  /** Whether the automatic reload of the page is off. */
  readonly isPaused: boolean;
  /** Whether times are in the time zone of the browser. */
  readonly isLocalTime: boolean;
  /** The page of each section, from 1. Other sections show their first page. */
  readonly pages: Readonly<Record<string, number>>;
  /** The chosen order of each section. Other sections have their usual order. */
  readonly orders: Readonly<Record<string, Order>>;
}

/** The sections of the page in their order: the common ones, with those of collectors in between, then a cluster's. */
function sectionsOf(collectors: CollectorSet): readonly string[] {
  return [
    'problems',
    'quotas',
    'targets',
    ...collectors.all.flatMap(({ table }) => table?.id ?? []),
    'changes',
    'daemons',
    'cycles',
  ];
}

/** Reads a query string leniently: an invalid parameter counts as absent. */
export function parseStatusQuery(search: URLSearchParams, collectors: CollectorSet): StatusQuery {
  const text = (name: string) => (search.get(name) ?? '').trim().slice(0, 200);
  const kind = text('kind');
  const sections = sectionsOf(collectors);
  return {
    account: text('account'),
    region: text('region'),
    kind: collectors.all.some((collector) => collector.kind === kind) ? kind : '',
    target: (search.get('target') ?? '').slice(0, maxTargetLength),
    text: text('q'),
    onlyProblems: text('show') === 'problems',
    isPaused: text('refresh') === 'off',
    isLocalTime: text('time') === 'local',
    pages: Object.fromEntries(sections.map((section) => [section, pageNumber(text(section))])),
    orders: Object.fromEntries(
      sections.flatMap((section) => {
        const order = readOrder(text(orderParameter(section)));
        return order === null ? [] : [[section, order]];
      }),
    ),
  };
}

/** Longer than the key of any target: its four names have at most 200 letters each. */
const maxTargetLength = 1_000;

function pageNumber(text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

const orderParameter = (section: string) => `${section}-sort`;

function readOrder(text: string): Order | null {
  const [, minus, column] = /^(-?)([a-z]+(?:-\d{1,2})?)$/.exec(text) ?? [];
  return column === undefined ? null : { column, isDescending: minus === '-' };
}

/** The same filter in the form of `/api/v1/quotas`. */
export function filterOf(query: StatusQuery): Filter {
  const { account, region, kind, target, text, onlyProblems } = query;
  const listOf = (name: string) => (name === '' ? [] : [name]);
  return {
    accounts: listOf(account),
    regions: listOf(region),
    kinds: listOf(kind),
    target,
    text,
    onlyProblems,
  };
}

/**
 * A link to the page of `query` with `change` applied. If the filter or an order changes, all sections show
 * their first page. The link is relative, so that it also works behind a proxy that serves the page below a
 * path.
 */
export function linkTo(query: StatusQuery, change: Partial<StatusQuery>, section?: string): string {
  const isSameList =
    change.pages !== undefined || change.isPaused !== undefined || change.isLocalTime !== undefined;
  const asked = { ...query, ...(!isSameList && { pages: {} }), ...change };
  const search = filterParameters(asked);
  const add = (name: string, value: string) => {
    if (value !== '') search.set(name, value);
  };
  for (const [name, { column, isDescending }] of Object.entries(asked.orders)) {
    add(orderParameter(name), `${isDescending ? '-' : ''}${column}`);
  }
  add('refresh', asked.isPaused ? 'off' : '');
  add('time', asked.isLocalTime ? 'local' : '');
  for (const [name, page] of Object.entries(asked.pages)) add(name, page > 1 ? String(page) : '');
  const fragment = section === undefined ? '' : `#${section}`;
  return `./${search.size === 0 ? '' : `?${search.toString()}`}${fragment}`;
}

/** The quotas of the page in the JSON API. */
export function apiLink(query: StatusQuery, format?: 'csv'): string {
  const search = filterParameters(query);
  if (format !== undefined) search.set('format', format);
  return `api/v1/quotas${search.size === 0 ? '' : `?${search.toString()}`}`;
}

/** The parameters that the page and `/api/v1/quotas` have in common. */
function filterParameters(query: StatusQuery): URLSearchParams {
  const { account, region, kind, target, text, onlyProblems } = query;
  const all = { account, region, kind, target, q: text, show: onlyProblems ? 'problems' : '' };
  return new URLSearchParams(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Whether a filter is set. */
export function isFiltered(query: StatusQuery): boolean {
  return filterParameters(query).size > 0;
}

/** The query without its filter. */
export const noFilter = {
  account: '',
  region: '',
  kind: '',
  target: '',
  text: '',
  onlyProblems: false,
} as const satisfies Partial<StatusQuery>;
