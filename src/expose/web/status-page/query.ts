/** What the query string of the status page asks for, and links that ask for something else. */

const sections = ['quotas', 'targets', 'templates', 'changes'] as const;
export type Section = (typeof sections)[number];

/** An empty text is no filter. */
export interface StatusQuery {
  readonly account: string;
  readonly region: string;
  readonly kind: '' | 'quota' | 'launch-template';
  /** Searched for in names, whatever their case. */
  readonly text: string;
  readonly onlyProblems: boolean;
  /** Whether the page stays as it is instead of loading itself anew. */
  readonly isPaused: boolean;
  /** Which page of each section, from 1. */
  readonly pages: Readonly<Record<Section, number>>;
}

const firstPages = { quotas: 1, targets: 1, templates: 1, changes: 1 };

/** Reads a query string leniently: what makes no sense is as good as absent. */
export function parseStatusQuery(search: URLSearchParams): StatusQuery {
  const text = (name: string) => (search.get(name) ?? '').trim().slice(0, 200);
  const kind = text('kind');
  return {
    account: text('account'),
    region: text('region'),
    kind: kind === 'quota' || kind === 'launch-template' ? kind : '',
    text: text('q'),
    onlyProblems: text('show') === 'problems',
    isPaused: text('refresh') === 'off',
    pages: {
      quotas: pageNumber(text('quotas')),
      targets: pageNumber(text('targets')),
      templates: pageNumber(text('templates')),
      changes: pageNumber(text('changes')),
    },
  };
}

function pageNumber(text: string): number {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
}

/**
 * A link to what `query` asks for, apart from `change`; another filter begins at the first pages.
 * Relative, so that it also leads there behind a proxy that serves the page below a path.
 */
export function linkTo(
  query: StatusQuery,
  change: Partial<StatusQuery>,
  section?: Section,
): string {
  const isOtherFilter = change.pages === undefined && change.isPaused === undefined;
  const asked = { ...query, ...(isOtherFilter && { pages: firstPages }), ...change };
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
  for (const name of sections) add(name, asked.pages[name] > 1 ? String(asked.pages[name]) : '');
  const fragment = section === undefined ? '' : `#${section}`;
  return `./${search.size === 0 ? '' : `?${search.toString()}`}${fragment}`;
}

/** Whether anything is left out of the page. */
export function isFiltered({ account, region, kind, text, onlyProblems }: StatusQuery): boolean {
  return account !== '' || region !== '' || kind !== '' || text !== '' || onlyProblems;
}
