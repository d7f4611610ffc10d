/** The document of the page, its style and script, and its headers. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { answerOf, type Answer } from '../answers.ts';
import { levels, type Level } from '../severity.ts';
import { textOf, type Html } from '../tables/html.ts';
import styleFile from './page.css?raw';
import scriptFile from './page.js?raw';

export interface DocumentOptions {
  readonly status?: 400;
  /** Shown before the name of the program. */
  readonly title: string;
  readonly level: Level;
  readonly body: Html;
  /** The value of the header that reloads the page. `null` for a page that does not reload. */
  readonly refresh: string | null;
}

const style = textOf(styleFile);
const script = textOf(scriptFile);
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A page may load only its own style, script and icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function webPage({ body, level, refresh, status, title }: DocumentOptions): Answer {
  return answerOf({
    status: status ?? 200,
    body: textOf(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <title>${title} · cvm-quota-monitor</title>
            <link rel="icon" href="${icon(level)}" />
            ${raw(`<style>${style}</style>`)}
          </head>
          <body>
            ${body} ${raw(`<script>${script}</script>`)}
          </body>
        </html>`,
    ),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': contentSecurityPolicy,
      'Referrer-Policy': 'no-referrer',
      ...(refresh !== null && { Refresh: refresh }),
    },
  });
}

/** The time to the next reload: soon after the next cycle, but at least 10 and at most 60 seconds. */
export function secondsToRefresh(nextCycleMs: number | null, nowMs: number): number {
  const dueMs = nextCycleMs === null ? Infinity : nextCycleMs - nowMs + 2_000;
  return Math.min(60, Math.max(10, Math.ceil(dueMs / 1_000)));
}

/** A dot for the browser's tab, in the colour of the level. */
function icon(level: Level): string {
  const dot = `<circle cx='8' cy='8' r='7' fill='#${levels[level].icon}'/>`;
  const image = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}

/** The answer to an address that asks for what there is not. */
export function refusal(message: string): Answer {
  return webPage({
    status: 400,
    title: 'Nothing to show',
    level: 'unknown',
    refresh: null,
    body: html`<header><h1>cvm-quota-monitor</h1></header>
      <main>
        <div class="verdict unknown"><p>The address asks for what there is not</p></div>
        <p>${message}</p>
        <p><a href="./">Show everything</a></p>
      </main>`,
  });
}
