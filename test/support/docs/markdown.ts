/** Reads the Markdown files of the repository, as far as tests need it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../..', import.meta.url));

const notOurs = new Set(['node_modules', 'dist', 'data', 'coverage', '.git']);

export interface Page {
  /** The path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Every page of the repository. */
export function readPages(): readonly Page[] {
  return markdownFilesOf(repository).map((path) => ({
    path: relative(repository, path),
    text: readFileSync(path, 'utf8'),
  }));
}

function markdownFilesOf(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return markdownFilesOf(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** The number of the line after the opening fence, from 1. */
  readonly line: number;
  /** The HTML comment on the line before the block. Empty without one. */
  readonly comment: string;
}

/** The fenced code blocks of a page. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const fences = /^(?:<!-- (?<comment>.*) -->\n+)?```(?<language>\S*)\n(?<text>[^]*?)^```$/gm;
  for (const match of page.matchAll(fences)) {
    const { comment = '', language = '', text = '' } = match.groups ?? {};
    const opening = page.slice(0, match.index + match[0].indexOf('```'));
    blocks.push({ language, text, comment, line: opening.split('\n').length + 1 });
  }
  return blocks;
}

/** The page without code. Links and headings in code do not count. */
function prose(page: string): string {
  return page.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, (code) => {
    return code.replaceAll(/[[\]()#]/g, ' ');
  });
}

/** The targets of the links and pictures of a page, as written. */
export function links(page: string): readonly string[] {
  return [...prose(page).matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target]) => target!);
}

/** The anchors of the headings of a page, in the form of GitHub. */
export function anchors(page: string): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const headings = page.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading]) => {
      const slug = slugOf(heading!);
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/\]\([^)]*\)/g, ']')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Names as code, in a list. */
export const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

/** A table. A `|` in a cell is escaped. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
