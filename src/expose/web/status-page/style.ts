/** The style of the status page. It is part of the page, so its hash is part of the page's policy. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --panel: #ffffff; --line: #e2e6eb; --edge: #858f9c; --text: #1b2430; --muted: #566273;
  --link: #1f5f9e; --track: #e6eaef; --fine: #6f93b8; --warning: #d08700; --critical: #d1242f;
  --warning-text: #855400; --critical-text: #b3161f; --fine-text: #2c6e49; --stale-text: #566273;
  --warning-ground: #fdf3dc; --critical-ground: #fdeaea; --fine-ground: #e8f3ec; --stale-ground: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141a; --panel: #171d25; --line: #28313c; --edge: #6b7684; --text: #e3e8ee; --muted: #9aa6b5;
    --link: #82b6ea; --track: #2a333f; --fine: #5d88b3; --warning: #d99a2b; --critical: #f0575f;
    --warning-text: #eebb62; --critical-text: #ff9a9c; --fine-text: #86cfa2; --stale-text: #a6b1bf;
    --warning-ground: #352a14; --critical-ground: #3d1d21; --fine-ground: #183024; --stale-ground: #252e39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.25rem 1.5rem 2rem; max-width: 82rem;
  background: var(--ground); color: var(--text);
  font: 0.875rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums;
}
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
small { color: var(--muted); font-size: 0.8125rem; }
code { font: 0.8125rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }

header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
h1 { margin: 0; font-size: 1.125rem; font-weight: 650; letter-spacing: -0.01em; }
.verdict { margin: 0; padding: 0.15rem 0.7rem; border-radius: 1rem; font-weight: 550; }
.verdict.critical, .tag.critical, .tag.failing { background: var(--critical-ground); color: var(--critical-text); }
.verdict.warning, .tag.warning, .tag.pending, .tag.incomplete { background: var(--warning-ground); color: var(--warning-text); }
.verdict.fine, .tag.up { background: var(--fine-ground); color: var(--fine-text); }
.tag.stale, .tag.unknown, .tag.muted { background: var(--stale-ground); color: var(--stale-text); }
header nav { display: flex; flex-wrap: wrap; gap: 0 1rem; margin-left: auto; }

.trouble {
  margin: 1rem 0 0; padding: 0.6rem 0.9rem; border-radius: 0.5rem; overflow-wrap: anywhere;
  background: var(--critical-ground); color: var(--critical-text);
}
.summary {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1px;
  margin: 1rem 0; border: 1px solid var(--line); border-radius: 0.5rem; overflow: hidden;
  background: var(--line);
}
.summary div { padding: 0.65rem 0.9rem; background: var(--panel); }
.summary dt { color: var(--muted); font-size: 0.8125rem; }
.summary dd { margin: 0; font-size: 1.25rem; font-weight: 600; line-height: 1.3; }
.summary dd span { font-size: 0.875rem; font-weight: 400; }
.summary .detail { color: var(--muted); font-size: 0.8125rem; font-weight: 400; }

search { display: block; margin-top: 1.5rem; }
.filter { display: flex; flex-wrap: wrap; align-items: end; gap: 0.6rem 0.9rem; }
.filter label { display: grid; gap: 0.15rem; color: var(--muted); font-size: 0.8125rem; }
.filter .check { display: flex; align-items: center; gap: 0.4rem; min-height: 2.125rem; color: var(--text); }
input[type="search"], select, button {
  min-height: 2.125rem; max-width: 100%; padding: 0 0.6rem; border: 1px solid var(--edge); border-radius: 0.375rem;
  background: var(--panel); color: var(--text); font: inherit;
}
select { max-width: 16rem; }
button { background: var(--text); border-color: var(--text); color: var(--panel); font-weight: 550; cursor: pointer; }
.filter a { line-height: 2.125rem; }

section { margin-top: 1.75rem; scroll-margin-top: 1rem; }
h2 { margin: 0 0 0.1rem; font-size: 1rem; font-weight: 650; }
.count { margin-left: 0.25rem; color: var(--muted); font-weight: 400; }
.empty { margin: 0.25rem 0; color: var(--muted); }
caption { padding: 0 0 0.5rem; color: var(--muted); font-size: 0.8125rem; text-align: left; }
table { width: 100%; border-collapse: collapse; }
thead th { padding: 0.35rem 0.75rem; color: var(--muted); font-size: 0.8125rem; font-weight: 500; text-align: left; white-space: nowrap; }
tbody { box-shadow: 0 0 0 1px var(--line); border-radius: 0.5rem; }
tbody tr > * { background: var(--panel); }
tbody tr:first-child > :first-child { border-top-left-radius: 0.5rem; }
tbody tr:first-child > :last-child { border-top-right-radius: 0.5rem; }
tbody tr:last-child > :first-child { border-bottom-left-radius: 0.5rem; }
tbody tr:last-child > :last-child { border-bottom-right-radius: 0.5rem; }
tbody th, tbody td { padding: 0.4rem 0.75rem; vertical-align: baseline; text-align: left; font-weight: 400; overflow-wrap: anywhere; }
tbody th small { font-weight: 400; }
tbody th small a { padding: 0.2rem 0; }
.id { display: inline-block; width: max-content; max-width: clamp(7.25rem, 9vw, 12rem); vertical-align: top; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
tbody th { font-weight: 550; }
th.number, td.number { text-align: right; white-space: nowrap; }
.none, tr.stale td, tr.stale th { color: var(--muted); }
.message { display: block; }
.tag { display: inline-block; padding: 0 0.5rem; border-radius: 1rem; font-size: 0.75rem; font-weight: 550; line-height: 1.5; white-space: nowrap; }

.bar { display: block; width: 100%; min-width: 6rem; height: 0.5rem; border-radius: 0.25rem; overflow: hidden; }
.bar .track { fill: var(--track); }
.bar .fill { fill: var(--fine); }
.bar.warning .fill { fill: var(--warning); }
.bar.critical .fill { fill: var(--critical); }
td.usage { width: 20%; }
.usage .bar { display: inline-block; vertical-align: 0.1em; }
tr.critical .share { color: var(--critical-text); font-weight: 650; }
tr.warning .share { color: var(--warning-text); font-weight: 650; }
.tightest .bar { display: inline-block; width: 5rem; min-width: 5rem; margin-right: 0.4rem; }
.tightest small { display: block; }
thead th a { color: inherit; }
tbody th a { display: inline-block; padding: 0.15rem 0; text-decoration: underline; text-decoration-color: var(--edge); text-underline-offset: 0.15em; }
.order { margin-left: 0.2rem; }
td.trend { width: 7.5rem; }
svg.trend { display: inline-block; width: 100%; min-width: 6rem; height: 1.25rem; padding: 2px 0; overflow: visible; vertical-align: -0.35em; }
.trend path, .chart path { fill: none; stroke: var(--link); stroke-width: 1.5px; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.trend small { display: block; white-space: nowrap; }
.axis { display: flex; justify-content: space-between; margin: 0.2rem 0 0; color: var(--muted); font-size: 0.8125rem; }
.full { color: var(--warning-text); font-weight: 550; }
.chart { display: block; width: 100%; height: 12rem; padding: 0.25rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); }
.chart path:not(:last-child) { stroke: var(--muted); stroke-width: 1px; stroke-dasharray: 4 4; }
.chart path.warning:not(:last-child) { stroke: var(--warning); }
.chart path.critical:not(:last-child) { stroke: var(--critical); }
main p { overflow-wrap: anywhere; }
.place { font-weight: 550; }
.place .id { display: inline; }
h1 small { font-weight: 400; }
:target { outline: 2px solid var(--link); outline-offset: -2px; }
section:target { outline: 0; }
.request-id { user-select: all; overflow-wrap: anywhere; }
button.copy { min-height: 0; padding: 0 0.4rem; border-color: var(--edge); background: none; color: var(--link); font-size: 0.75rem; font-weight: 400; }
time, .time, .share, .type { white-space: nowrap; }
.time { color: var(--muted); }

.pager { display: flex; justify-content: center; gap: 1rem; margin-top: 0.6rem; }
.off { color: var(--muted); }
footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1.5rem; margin-top: 2rem; color: var(--muted); }
footer p { margin: 0; }
footer p a { text-decoration: underline; }
footer nav { display: flex; flex-wrap: wrap; gap: 1rem; }

@media (max-width: 72rem) {
  body { padding: 1rem; }
  header nav { width: 100%; margin: 0; justify-content: space-between; }
  header a, footer a, .pager a, .off { padding: 0.35rem 0; }
  .summary { grid-template-columns: 1fr 1fr; }
  .summary div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .filter > label:not(.check) { flex: 1 1 40%; }
  .filter input[type="search"], .filter select { width: 100%; max-width: none; }
  table, caption, tbody, tr, tbody th, tbody td { display: block; }
  thead tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.9rem; padding: 0 0 0.4rem; }
  thead tr::before { content: "Sort by"; color: var(--muted); font-size: 0.8125rem; }
  thead th { display: block; width: auto; padding: 0.3rem 0; text-align: left; }
  thead th a { text-decoration: underline; }
  thead th.fixed { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.75rem; padding: 0.65rem 0.8rem; }
  tbody tr + tr { border-top: 1px solid var(--line); }
  tbody tr + tr > * { border-top: 0; }
  tbody { background: var(--panel); overflow: hidden; }
  tbody tr::before, tbody tr::after { content: ""; flex: 0 0 100%; }
  tbody th { order: 1; flex: 1 1 0; min-width: 60%; padding: 0; }
  td:is(.share, .health) { order: 2; margin-left: auto; }
  tbody :is(.account, .region, .target, .time) a { display: inline-block; padding: 0.15rem 0; }
  tbody tr::before { order: 3; }
  tbody td { order: 4; max-width: 100%; padding: 0; }
  .id { width: auto; max-width: 100%; }
  tbody tr::after { order: 5; }
  td:is(.usage, .trend, .error, .detail, .changed, .tightest) { order: 6; flex: 0 0 100%; }
  td:is(.remaining, .used, .limit, .success, .took, .figure, .seen, .time) { order: 7; }
  td:is(.detail, .changed, .tightest) { order: 8; }
  td.trend { width: auto; }
  td.trend svg { width: 9rem; margin-right: 0.4rem; }
  td.trend small { display: inline; }
  td.usage { width: auto; padding: 0.25rem 0; }
  .usage .bar { display: block; }
  td.share::after { content: " left"; }
  td:is(.remaining, .used, .limit, .success, .took, .figure)::before {
    content: attr(data-label) " "; color: var(--muted);
  }
  td:has(> .none:only-child):not(.zone, .success) { display: none; }
}
`;
