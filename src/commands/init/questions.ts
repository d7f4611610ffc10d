/** Questions at a terminal. */
import { createInterface } from 'node:readline/promises';

/** The user has ended the questions, with Ctrl-C or Ctrl-D. */
export class InterruptedError extends Error {
  constructor() {
    super('interrupted');
    this.name = 'InterruptedError';
  }
}

/** Returns what is wrong with an answer, or `null`. */
export type Judge = (answer: string) => string | null;

export interface Questions {
  /**
   * Asks until the answer is right. An empty answer means the default.
   *
   * @throws InterruptedError
   */
  readonly ask: (question: string, judge: Judge, fallback?: string) => Promise<string>;
  /** Shows a text between questions. */
  readonly show: (text: string) => void;
}

/** Standard output is for the result, so questions are asked on standard error. `null` without a terminal. */
export function questionsAtTerminal({ stdin, stderr } = process): Questions | null {
  if (!stdin.isTTY || !stderr.isTTY) return null;
  const show = (text: string) => void stderr.write(`${text}\n`);
  const askOnce = async (prompt: string) => {
    // Open only during a question, so that Ctrl-C ends the process while it waits for the service.
    const terminal = createInterface({ input: stdin, output: stderr });
    try {
      return await terminal.question(prompt);
    } catch {
      throw new InterruptedError();
    } finally {
      terminal.close();
    }
  };
  const ask: Questions['ask'] = async (question, judge, fallback) => {
    const prompt = `${question}${fallback === undefined ? '' : ` [${fallback}]`}: `;
    for (;;) {
      const answer = (await askOnce(prompt)).trim() || (fallback ?? '');
      const problem = answer === '' ? 'an answer is needed' : judge(answer);
      if (problem === null) return answer;
      show(`  ${problem}`);
    }
  };
  return { ask, show };
}
