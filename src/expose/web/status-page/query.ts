/** The query string of the status page, and links with other queries. */
import type { CollectorSet } from '../../../collectors/collector-set.ts';

/** An empty text is no filter. */
export interface StatusQuery {
  readonly account: string;
  readonly region: string;
  /** The kind of a collector. */
  readonly kind: string;
  /** A text to search for in names; case does not matter. */
  readonly text: string;
  readonly onlyProblems: boolean;
  /** Whether the automatic reload of the page is off. */
  readonly isPaused: boolean;
  /** The page of each section, from 1. Other sections show their first page. */
  readonly pages: Readonly<Record<string, number>>;
}

/** The sections of the page in their order: the common ones, with those of collectors between them. */
function sectionsOf(collectors: CollectorSet): readonly string[] {
  return [
    'quotas',
    'targets',
    ...collectors.all.flatMap(({ table }) => table?.id ?? []),
    'changes',
  ];
}

/** Reads a query string leniently: an invalid parameter counts as absent. */
export function parseStatusQuery(search: URLSearchParams, collectors: CollectorSet): StatusQuery {
  const text = (name: string) => (search.get(name) ?? '').trim().slice(0, 200);
  const kind = text('kind');
  return {
    account: text('account'),
    region: text('region'),
    kind: collectors.all.some((collector) => collector.kind === kind) ? kind : '',
    text: text('q'),
    onlyProblems: text('show') === 'problems',
    isPaused: text('refresh') === 'off',
    pages: Object.fromEntries(
      sectionsOf(collectors).map((section) => [section, pageNumber(text(section))]),
    ),
  };
}

function pageNumber(text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

/**
 * A link to the page of `query` with `change` applied. If the filter changes, all sections show their first
 * page. The link is relative, so that it also works behind a proxy that serves the page below a path.
 */
export function linkTo(query: StatusQuery, change: Partial<StatusQuery>, section?: string): string {
  const isOtherFilter = change.pages === undefined && change.isPaused === undefined;
  const asked = { ...query, ...(isOtherFilter && { pages: {} }), ...change };
  const search = new URLSearchParams();
  const add = (name: string, value: string) => {
    if (value !== '') search.set(name, value);
  };
  add('account', asked.account);
  add('region', asked.region);
  add('kind', asked.kind);
  add('q', asked.text);
  add('show', asked.onlyProblems ? 'problems' : '');
  add('refresh', asked.isPaused ? 'off' : '');
  for (const [name, page] of Object.entries(asked.pages)) add(name, page > 1 ? String(page) : '');
  const fragment = section === undefined ? '' : `#${section}`;
  return `./${search.size === 0 ? '' : `?${search.toString()}`}${fragment}`;
}

/** Whether a filter is set. */
export function isFiltered({ account, region, kind, text, onlyProblems }: StatusQuery): boolean {
  return account !== '' || region !== '' || kind !== '' || text !== '' || onlyProblems;
}
