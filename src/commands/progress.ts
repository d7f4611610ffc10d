import type { WriteStream } from 'node:tty';
import { progressLine } from '../expose/terminal/progress-line.ts';
import type { Paint } from '../expose/terminal/style.ts';
import type { TargetRecord } from '../model/record.ts';

/** Moves to the beginning of the line and erases it. */
const eraseLine = '\r\u001b[2K';

/** Shows the progress of the polls in a terminal. Without a terminal it shows no progress. */
export class Progress {
  readonly #stream: WriteStream;
  readonly #paint: Paint;
  readonly #isShown: boolean;
  /** By account. */
  readonly #targets = new Map<string, number>();
  #done = 0;
  #failed = 0;

  constructor(stream: WriteStream, paint: Paint) {
    this.#stream = stream;
    this.#paint = paint;
    this.#isShown = stream.isTTY && process.env['TERM'] !== 'dumb';
  }

  planned(account: string, targets: number): void {
    this.#targets.set(account, targets);
    this.#show();
  }

  polled({ seen: { freshness } }: TargetRecord): void {
    this.#done += 1;
    if (freshness.failure !== null) this.#failed += 1;
    this.#show();
  }

  /** Writes a line above the progress bar. */
  writeAbove(line: string): void {
    this.clear();
    this.#stream.write(line);
    this.#show();
  }

  clear(): void {
    if (this.#isShown) this.#stream.write(eraseLine);
  }

  #show(): void {
    if (!this.#isShown) return;
    const targets = [...this.#targets.values()].reduce((sum, count) => sum + count, 0);
    const progress = { done: this.#done, failed: this.#failed, targets };
    this.#stream.write(eraseLine + progressLine(progress, this.#paint));
  }
}
