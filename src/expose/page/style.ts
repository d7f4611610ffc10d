/** The style of the page. It is part of the page, so its hash is part of the page's policy. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --panel: #ffffff; --line: #e3e6eb; --edge: #858f9c; --text: #18202b; --muted: #596373; --link: #1d5c99; --track: #e4e8ee;
  --fine: #7fa6c9; --fine-text: #2c6e49; --fine-ground: #dcebe1; --low: #d08700; --low-text: #7f5000; --low-ground: #fbe7b9;
  --critical: #cf222e; --critical-text: #b3161f; --critical-ground: #fde8e8; --unknown: #7a4fbf; --unknown-text: #6a3fb0; --unknown-ground: #ece5f8; --off-ground: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f141a; --panel: #161c24; --line: #27303b; --edge: #6b7684; --text: #e4e9ef; --muted: #9ba7b6; --link: #83b7eb; --track: #2a333f;
    --fine: #5d88b3; --fine-text: #86cfa2; --fine-ground: #1d3a2a; --low: #d99a2b; --low-text: #f0c06c; --low-ground: #4a3a15;
    --critical: #e5484d; --critical-text: #ff9a9c; --critical-ground: #3d1d21; --unknown: #a285dd; --unknown-text: #c6b0f2; --unknown-ground: #32274a; --off-ground: #232b36;
  }
}
.critical, .overdrawn { --word: var(--critical); --word-text: var(--critical-text); --word-ground: var(--critical-ground); }
.low, .gone, .warning { --word: var(--low); --word-text: var(--low-text); --word-ground: var(--low-ground); }
.failing, .stale, .unknown, .incomplete, .pending { --word-text: var(--unknown-text); --word-ground: var(--unknown-ground); }
.verdict.fine { --word-text: var(--fine-text); --word-ground: var(--fine-ground); }
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 0.9rem 1.25rem 2rem; max-width: 88rem; background: var(--ground); color: var(--text);
  font: 0.8125rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; font-variant-numeric: tabular-nums;
}
a { color: var(--link); text-decoration: none; }
a:hover, .rows thead button:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
small { color: var(--muted); font-size: 0.75rem; }
code { font: 0.75rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
th code { color: var(--muted); font-weight: 400; }
header, footer { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1.5rem; }
h1 { margin: 0; color: var(--muted); font-size: 0.8125rem; font-weight: 600; }
header nav, footer nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
main p { overflow-wrap: anywhere; }

.verdict { margin: 0.6rem 0 0; padding: 0.55rem 0.9rem; border-left: 5px solid; border-radius: 0.3rem; background: var(--word-ground); color: var(--word-text); font-size: 1.25rem; font-weight: 650; line-height: 1.35; }
:is(.verdict p, .facts dd, footer p) { margin: 0; }
.verdict p + p { font-size: 1rem; }
.trouble { margin: 0.6rem 0 0; padding: 0.5rem 0.9rem; border-radius: 0.3rem; overflow-wrap: anywhere; background: var(--critical-ground); color: var(--critical-text); }
.trouble ul { margin: 0.3rem 0 0; padding-left: 1.2rem; font: 0.75rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.facts { display: flex; flex-wrap: wrap; gap: 0.1rem 1.5rem; margin: 0.5rem 0 0; }
.facts div { display: flex; gap: 0.4rem; }
.facts dt { color: var(--muted); }

.maps { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 0.75rem; margin-top: 0.8rem; align-items: start; }
.map { position: relative; width: 100%; border-collapse: collapse; table-layout: fixed; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--panel); }
.map caption { position: relative; padding: 0 0.1rem 0.2rem; font-weight: 600; text-align: left; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.map caption small { margin-left: 0.4rem; font-weight: 400; }
.map th, .map td { padding: 1px 2px; font-weight: 400; }
.map thead th { padding: 0.2rem 0 0.1rem; overflow: hidden; color: var(--muted); font-size: 0.625rem; text-align: center; text-overflow: ellipsis; }
.map thead td, .map tbody th { width: 6.6rem; }
.map abbr { text-decoration: none; }
.map tbody th { padding-left: 0.4rem; font-size: 0.75rem; text-align: left; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.map tbody th a { display: block; line-height: 1.375rem; color: inherit; overflow: hidden; text-overflow: ellipsis; }
.map caption a, .more a, header a, footer a { display: inline-block; padding: 0.2rem 0; }
.map tbody tr:last-child > * { padding-bottom: 0.35rem; }
.cell { display: block; height: 1.375rem; border-radius: 0.2rem; font-size: 0.75rem; font-weight: 700; line-height: 1.375rem; text-align: center; background: var(--fine-ground); }
.cell:hover { text-decoration: none; box-shadow: 0 0 0 2px var(--link); }
.cell:is(.low, .gone) { background: var(--low); color: #1b1200; }
.cell:is(.critical, .overdrawn) { background: var(--critical); color: #ffffff; }
.cell:is(.stale, .unknown) { background: var(--unknown-ground); color: var(--unknown-text); box-shadow: inset 0 0 0 1px var(--unknown); }
.cell:is(.muted, .none) { background: var(--off-ground); }
.cell .figure { position: absolute; top: 0; left: 0; right: 0; z-index: 1; height: 1px; padding: 0.1rem 0.4rem; overflow: hidden; clip-path: inset(50%); border-radius: 0.3rem; background: var(--text); color: var(--ground); font-size: 0.75rem; font-weight: 400; line-height: 1.35; text-align: left; pointer-events: none; }
.cell:is(:hover, :focus-visible) .figure { height: auto; clip-path: none; }

#narrow { display: block; margin-top: 1.25rem; }
form { display: flex; flex-wrap: wrap; align-items: end; gap: 0.4rem 0.75rem; }
label { display: grid; gap: 0.1rem; color: var(--muted); font-size: 0.75rem; }
[hidden] { display: none !important; }
input, select, button { min-height: 1.9rem; max-width: 100%; padding: 0 0.5rem; border: 1px solid var(--edge); border-radius: 0.3rem; background: var(--panel); color: var(--text); font: inherit; font-size: 0.8125rem; }
select { max-width: min(15rem, 30vw); }
button { cursor: pointer; }
form button { background: var(--text); border-color: var(--text); color: var(--panel); font-weight: 550; }
form > a { line-height: 1.9rem; }
.refine { margin-left: auto; }
footer button { min-height: 0; padding: 0 0.35rem; background: none; color: var(--link); font-size: 0.75rem; }

section { margin-top: 1.25rem; scroll-margin-top: 0.5rem; }
h2 { display: inline; margin: 0; font-size: 0.9375rem; font-weight: 650; }
.count { margin-left: 0.15rem; color: var(--muted); font-weight: 400; }
.empty, .more { margin: 0.3rem 0 0; color: var(--muted); }
.rows caption { padding: 0 0 0.3rem; color: var(--muted); font-size: 0.75rem; text-align: left; }
.rows { width: 100%; border-collapse: collapse; }
.rows :is(th, td) { padding: 0.28rem 0.5rem; text-align: left; font-weight: 400; vertical-align: top; }
.rows thead th { padding-block: 0.15rem; color: var(--muted); font-size: 0.75rem; white-space: nowrap; vertical-align: bottom; }
.rows thead button { min-height: 1.5rem; padding: 0; border: 0; background: none; color: inherit; font-size: inherit; text-align: inherit; }
[aria-sort="ascending"] button::after { content: " ↑"; }
[aria-sort="descending"] button::after { content: " ↓"; }
.rows tbody { box-shadow: 0 0 0 1px var(--line); border-radius: 0.4rem; }
.rows tbody tr > * { background: var(--panel); }
.rows tbody tr + tr > * { border-top: 1px solid var(--line); }
.rows tbody .name { font-weight: 550; }
.rows .id, caption .id { display: inline-block; max-width: 12rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
.rows tbody .name a { text-decoration: underline; text-decoration-color: var(--edge); text-underline-offset: 0.15em; }
.rows .number { text-align: right; white-space: nowrap; }
.none, tr.stale > * { color: var(--muted); }
.rows small { font-weight: 400; }
.message { display: block; }
:is(.message, td:is(.detail, .change)) { overflow-wrap: anywhere; }
td.detail { min-width: 6.6rem; }
.launches .detail { overflow-wrap: break-word; }
.launches .detail ~ .detail { width: 32%; }
.tag { display: inline-block; padding: 0 0.45rem; border-radius: 1rem; font-size: 0.75rem; font-weight: 550; line-height: 1.5; white-space: nowrap; background: var(--word-ground, var(--off-ground)); color: var(--word-text, var(--muted)); }
a.tag { text-decoration: underline; }
.bar { display: inline-block; width: 5rem; height: 0.45rem; border-radius: 0.25rem; overflow: hidden; vertical-align: 0.05em; }
.bar .track { fill: var(--track); }
.bar .fill { fill: var(--word, var(--fine)); }
.share b { display: inline-block; min-width: 2.8rem; color: var(--word-text); font-weight: 400; }
:is(.critical, .overdrawn, .low) .share b { font-weight: 650; }
.line { display: inline-block; width: 5.5rem; height: 1rem; padding: 2px 0; overflow: visible; vertical-align: -0.2em; }
.line path { fill: none; stroke: var(--link); stroke-width: 1.5px; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.full { color: var(--low-text); font-weight: 550; }
.request-id { user-select: all; overflow-wrap: anywhere; }
time, td.time { white-space: nowrap; }
footer { margin-top: 1.5rem; color: var(--muted); }
footer p a { text-decoration: underline; }

@media (min-width: 56.25rem) {
    .quotas { table-layout: fixed; }
  .quotas :is(th, td) { white-space: nowrap; }
  .quotas tbody :is(.name, .where, .account, .trend) { overflow: hidden; text-overflow: ellipsis; }
  .quotas .state { width: 6.1rem; }
  .quotas .where { width: 9.5rem; }
  .quotas .account { width: 11.3rem; }
  .quotas .share { width: 9.5rem; }
  .quotas .remaining { width: 7.5rem; }
  .quotas .used { width: 4.2rem; }
  .quotas .trend { width: 18.5rem; }
}
@media (min-width: 56.25rem) and (max-width: 80rem) {
  .rows .id { max-width: 9.2rem; }
  .rows:not(.quotas) :is(thead th, time) { white-space: normal; }
  .quotas :is(.bar, .used, .trend small:not(.full)) { display: none; }
  .quotas .state { width: 5.7rem; }
  .quotas .where { width: 8.2rem; }
  .quotas .account { width: 11.2rem; }
  .quotas .id { max-width: 10.4rem; }
  .quotas .share { width: 4.6rem; }
  .quotas .remaining { width: 6.6rem; }
  .quotas .trend { width: 5rem; }
  .rows :is(th, td) { padding-inline: 0.4rem; }
  .quotas .full { display: none; }
  .line { width: 4.2rem; }
}
@media (min-width: 68rem) and (max-width: 80rem) {
  .quotas .trend { width: 10.5rem; }
  .quotas .full { display: inline; }
}
@media (max-width: 56.24rem) {
  body { padding: 0.7rem 0.8rem 1.5rem; }
  .rows tbody a { display: inline-block; padding-block: 0.2rem; }
  .rows .id { max-width: 20rem; }
  caption .id { max-width: 13rem; }
  .verdict { font-size: 1.0625rem; }
  .verdict p + p { font-size: 0.9375rem; }
  .facts { gap: 0 1rem; font-size: 0.75rem; }
  .facts div:nth-last-child(1) { display: none; }
  .map tbody tr:is(.fine, :nth-child(n + 3 of .bad)), .map:nth-child(n + 3) :is(thead, tbody) { display: none; }
  .cell { height: 1.5rem; line-height: 1.5rem; }
  .map:not(:has(tr.bad)) thead { display: none; }
  #narrow { margin-top: 0.9rem; }
  .rows, .rows caption, .rows tbody, .rows tr, .rows :is(th, td) { display: block; }
  .rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .quotas thead { position: static; width: auto; height: auto; clip-path: none; }
  .rows thead tr { display: flex; flex-wrap: wrap; gap: 0 0.9rem; }
  .quotas :is(.used, th.trend) { display: none; }
  .rows thead button { min-height: 1.5rem; text-decoration: underline; }
  .rows tbody { background: var(--panel); overflow: hidden; }
  .rows tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.7rem; padding: 0.5rem 0.7rem; }
  .rows tbody tr + tr { border-top: 1px solid var(--line); }
  .rows tr > * { padding: 0; border: 0 !important; }
  .rows tbody .name { order: -1; flex: 1 1 60%; }
  .rows tbody .state { order: -1; }
  .rows tbody tr::before { content: ""; flex: 0 0 100%; }
  .rows tbody .account { flex: 1 1 60%; }
  .rows :is(.detail, .change, td.trend) { flex: 1 1 100%; }
  .rows td:has(> .none:only-child) { display: none; }
  .problems .time::before { content: "last success "; color: var(--muted); }
  :is(.figure, .launches .time)[data-label]::before { content: attr(data-label) " "; color: var(--muted); }
  .refine { margin-left: 0; }
}
`;
