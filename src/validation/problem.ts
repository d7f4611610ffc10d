/** The mistakes in a file, and the error that names them: of configurations, scenarios, web configurations and plans. */

/** One mistake in a file: its place, and how to correct it. Lines and columns count from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  /** The keys and indices that lead to the value, such as `accounts[0].regions[1]`. Empty for the document itself. */
  readonly path: string;
  readonly message: string;
}

/** The place right after `start`, the beginning of a file. */
export function placeAfter(start: string): Pick<Problem, 'line' | 'column'> {
  const lines = start.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** How many problems the message of a file names. It only counts the others. */
const maxProblems = 100;

/** The error of a file that cannot be used. The message has a line for each problem, for a terminal or an editor. */
export class InvalidFileError extends Error {
  readonly file: string;
  /** The first 100, in the order of the file. Empty if the file cannot be read at all. */
  readonly problems: readonly Problem[];

  /** @param problems in the order of the file, or a text that says why the file cannot be read */
  constructor(file: string, problems: readonly Problem[] | string) {
    const listed = typeof problems === 'string' ? [] : problems.slice(0, maxProblems);
    // Editors and terminals turn this form into a link.
    const lines = listed.map(({ column, line, message, path }) => {
      return `${file}:${line}:${column}: ${path && `${path}: `}${message}`;
    });
    const more = problems.length - maxProblems;
    if (typeof problems === 'string') lines.push(`${file}: ${problems}`);
    else if (more > 0) lines.push(`${file}: and ${more.toLocaleString('en-GB')} more`);
    super(lines.join('\n'));
    this.name = 'InvalidFileError';
    this.file = file;
    this.problems = listed;
  }
}

/** Shorter than every SecretId and SecretKey. */
const maxKeyLength = 30;

/**
 * Renders a path of keys and indices as `accounts[0].name`. A null or empty key is shown as `null`. A long key
 * is unknown and may be a secret, so it is left out.
 */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part) || 'null';
    const key = name.length > maxKeyLength ? '…' : name;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}
