/** The document of the page, its style and script, and its headers. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { answerOf, type Answer } from '../answers.ts';
import { levels, type Level } from '../severity.ts';
import { textOf, type Html } from '../tables/html.ts';
import styleFile from './page.css?raw';
import scriptFile from './page.js?raw';

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

/** @param title is before the name of the program */
export function webPage(title: string, level: Level, body: Html, more: Partial<Answer>): Answer {
  // A dot for the browser's tab, in the colour of the level.
  const dot = `<circle cx='8' cy='8' r='7' fill='#${levels[level].icon}'/>`;
  const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${dot}</svg>`;
  return answerOf({
    status: 200,
    ...more,
    body: textOf(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <title>${title} · cvm-quota-monitor</title>
            <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}" />
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
      ...more.headers,
    },
  });
}

/** The answer to an address that asks for what there is not. */
export function refusal(message: string): Answer {
  const body = html`<header><h1>cvm-quota-monitor</h1></header>
    <main>
      <div class="verdict unknown"><p>The address asks for what there is not</p></div>
      <p>${message}</p>
      <p><a href="./">Show everything</a></p>
    </main>`;
  return webPage('Nothing to show', 'unknown', body, { status: 400 });
}
