/** One thing wrong with a file: where, and what to do about it. Lines and columns count from 1. */
export interface Problem {
  readonly line: number;
  readonly column: number;
  /** The place in the document, such as `accounts[0].regions[1]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
}

/** A file that cannot be used; carries every problem found in it, in the order of the file. */
export class InvalidFileError extends Error {
  readonly file: string;
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(file, problem)).join('\n'));
    this.name = 'InvalidFileError';
    this.file = file;
    this.problems = problems;
  }
}

/** `file:line:column: path: message`, the form that editors and terminals turn into a link. */
function formatProblem(file: string, problem: Problem): string {
  const place = `${file}:${problem.line}:${problem.column}`;
  return problem.path === ''
    ? `${place}: ${problem.message}`
    : `${place}: ${problem.path}: ${problem.message}`;
}

/**
 * Renders a path of keys and indices as `accounts[0].name`. A key that is null or empty is `null`. A
 * long one is no key of ours but may be a secret, and is left out.
 */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const key = keyText(String(part));
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** Shorter than any SecretId or SecretKey. */
const maxKeyLength = 30;

function keyText(key: string): string {
  if (key === '') return 'null';
  return key.length > maxKeyLength ? '…' : key;
}
