import type { WriteStream } from 'node:tty';
import { progressLine } from '../../expose/terminal/progress-line.ts';
import type { Paint } from '../../expose/terminal/style.ts';
import type { TargetRecord } from '../../model/record.ts';

/** Back to the line's beginning, and what is on it erased. */
const eraseLine = '\r\u001b[2K';

/** Shows on a terminal how far the polling is; without a terminal it writes nothing of its own. */
export class Progress {
  readonly #stream: WriteStream;
  readonly #paint: Paint;
  readonly #targets: number;
  readonly #isShown: boolean;
  #done = 0;
  #failed = 0;

  constructor(stream: WriteStream, paint: Paint, targets: number) {
    this.#stream = stream;
    this.#paint = paint;
    this.#targets = targets;
    this.#isShown = stream.isTTY && process.env['TERM'] !== 'dumb';
    this.#show();
  }

  polled({ freshness }: TargetRecord): void {
    this.#done += 1;
    if (freshness.failure !== null) this.#failed += 1;
    this.#show();
  }

  /** Writes a line where the progress stands, which moves below it. */
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
    const progress = { done: this.#done, failed: this.#failed, targets: this.#targets };
    this.#stream.write(eraseLine + progressLine(progress, this.#paint));
  }
}
