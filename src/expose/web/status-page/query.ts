/** What the query string of the status page asks for, and links that ask for something else. */
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
  /** Whether the page stays as it is instead of loading itself again. */
  readonly isPaused: boolean;
  /** The page of each section, from 1. A section that is not named shows its first page. */
  readonly pages: Readonly<Record<string, number>>;
}

/** The sections of the page, in their order: those for every kind, with those of collectors between them. */
function sectionsOf(collectors: CollectorSet): readonly string[] {
  return [
    'quotas',
    'targets',
    ...collectors.all.flatMap(({ table }) => table?.id ?? []),
    'changes',
  ];
}

/** Reads a query string leniently: a parameter that makes no sense is treated as absent. */
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
 * A link to the page of `query` with `change` applied. A change of the filter begins at the first pages.
 * The link is relative, so that it also works behind a proxy that serves the page below a path.
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

/** Whether anything is left out of the page. */
export function isFiltered({ account, region, kind, text, onlyProblems }: StatusQuery): boolean {
  return account !== '' || region !== '' || kind !== '' || text !== '' || onlyProblems;
}
