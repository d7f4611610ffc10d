/** What the runbooks show as code. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './markdown.ts';

export const runbooks = join(repository, 'docs/runbooks');

interface Code {
  /** The alert of the runbook. */
  readonly alert: string;
  readonly code: string;
}

const codes: readonly Code[] = readdirSync(runbooks).flatMap((file) =>
  [...readFileSync(join(runbooks, file), 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => ({
    alert: file.replace('.md', ''),
    code,
  })),
);

/** PromQL. `NAME` stands for an account. */
export const queries = codes.filter(({ code }) =>
  /\b(cvm_(quota|instance|launch|account|monitor)|process)_/.test(code),
);
/** Addresses at the daemon. */
export const paths = codes.filter(({ code }) => code.startsWith('/'));
/** Command lines of the program. */
export const commands = codes.filter(({ code }) => /^cvm-quota-monitor \w/.test(code));
