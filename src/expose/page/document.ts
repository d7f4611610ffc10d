/**
 * The HTML document around a page: its style, script, icon and headers. `page.ts` puts the status page into it, and `app.ts`
 * answers with {@link badAddressPage} when a query has a mistake.
 */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { textAnswer, type Answer } from '../answers.ts';
import type { Texts } from '../../model/texts/texts.ts';
import { severityStyles, type Severity } from '../display-state.ts';
import { pageAddress } from '../filter.ts';
import { compactMarkup, type Html } from '../tables/html.ts';
import styleFile from './page.css?raw';
import scriptFile from './page.js?raw';

// Compacted before they are hashed. The whole document is compacted again, which must not change them: a browser refuses a
// style or a script with another hash.
const style = compactMarkup(styleFile);
const script = compactMarkup(scriptFile);
const cspHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A page may load only its own style, script and icon. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${cspHash(style)}`,
  `script-src ${cspHash(script)}`,
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The answer with a page, status 200.
 *
 * @param title stands before the name of the program
 * @param severity colours the dot in the browser's tab
 * @param body the content of `<body>`
 */
export function documentAnswer(
  title: string,
  severity: Severity,
  body: Html,
  { language }: Texts,
): Answer {
  const dot = `<circle cx='8' cy='8' r='7' fill='#${severityStyles[severity].icon}'/>`;
  const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>${dot}</svg>`;
  const page = compactMarkup(
    html`<!doctype html>
      <html lang="${language}">
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
  );
  return textAnswer(200, page, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'Referrer-Policy': 'no-referrer',
  });
}

/** The page for an address with a mistake, status 400. The message is that of the `FilterError`, in English. */
export function badAddressPage(message: string, texts: Texts): Answer {
  const { parameters, say } = texts;
  const body = html`<header><h1>cvm-quota-monitor</h1></header>
    <main>
      <div class="verdict unknown"><p>${say('There is nothing at this address')}</p></div>
      <p lang="en">${message}</p>
      <p><a href="${pageAddress(parameters)}">${say('Show everything')}</a></p>
    </main>`;
  return { ...documentAnswer(say('Nothing to show'), 'unknown', body, texts), status: 400 };
}
