import { html } from 'hono/html';
import type { Html } from './format.ts';
import type { StatusModel } from './model.ts';
import { isFiltered, linkTo, noFilter } from './query.ts';

/**
 * The form that filters the page. It is a plain GET, so that a person can save the filtered page as a link.
 */
export function filterForm({ accounts, collectors, query, regions }: StatusModel): Html {
  const { account, kind, onlyProblems, region, text } = query;
  return html`<search aria-label="Filter">
    <form class="filter" method="get" action="./">
      <label>Search <input type="search" name="q" value="${text}" maxlength="200" /></label>
      <label>Account ${select('account', 'all accounts', accounts, account)}</label>
      <label>Region ${select('region', 'all regions', regions, region)}</label>
      <label
        >Show
        <select name="kind">
          ${option('', 'everything', kind)}
          ${collectors.all.map((collector) => option(collector.kind, collector.noun, kind))}
        </select></label
      >
      <label class="check"
        ><input type="checkbox" name="show" value="problems" ${onlyProblems ? 'checked' : ''} />
        only problems</label
      >
      ${query.target === '' ? '' : html`<input type="hidden" name="target" value="${query.target}" />`}
      ${query.isPaused ? html`<input type="hidden" name="refresh" value="off" />` : ''}
      ${query.isLocalTime ? html`<input type="hidden" name="time" value="local" />` : ''}
      <button type="submit">Apply</button>
      ${isFiltered(query) ? html`<a href="${linkTo(query, noFilter)}">Clear</a>` : ''}
    </form>
  </search>`;
}

/** Also offers an unknown name of the query, so that the form never hides a filter. */
function select(name: string, all: string, known: readonly string[], chosen: string): Html {
  const values = chosen === '' || known.includes(chosen) ? known : [chosen, ...known];
  return html`<select name="${name}">
    ${option('', all, chosen)} ${values.map((value) => option(value, value, chosen))}
  </select>`;
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label}</option>`;
}
