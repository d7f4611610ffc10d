/** Questions at a terminal. Standard output is for the result, so they are asked on standard error. */
import { createInterface } from 'node:readline/promises';
import { InterruptedError, note } from '../command.ts';

export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Returns what is wrong with an answer, or `null`. */
type Judge = (answer: string) => string | null;

/**
 * Asks until the answer is right.
 *
 * @param fallback means an empty answer. Without a terminal, it is the answer
 * @throws InterruptedError after Ctrl-C or Ctrl-D
 */
export async function ask(question: string, judge: Judge, fallback = ''): Promise<string> {
  if (!isAtTerminal()) return fallback;
  const prompt = `${question}${fallback && ` [${fallback}]`}: `;
  for (;;) {
    const answer = (await askOnce(prompt)).trim() || fallback;
    const problem = answer === '' ? 'an answer is needed' : judge(answer);
    if (problem === null) return answer;
    note(`  ${problem}`);
  }
}

async function askOnce(prompt: string): Promise<string> {
  // Open only during a question, so that Ctrl-C ends the process while it waits for the service.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(prompt);
  } catch {
    throw new InterruptedError('SIGINT');
  } finally {
    terminal.close();
  }
}
