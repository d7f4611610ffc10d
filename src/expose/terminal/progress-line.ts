import { words } from '../severity.ts';
import { counted, figure } from '../text.ts';
import { barOf, type Paint } from './style.ts';

export interface PollProgress {
  readonly done: number;
  readonly failed: number;
  readonly targets: number;
}

const barWidth = 30;

/** The progress of the polls, in one line without a newline. */
export function progressLine({ done, failed, targets }: PollProgress, paint: Paint): string {
  const failures = failed === 0 ? '' : paint(words.failing.style, `, ${figure(failed)} failed`);
  const bar = barOf(done / targets, barWidth, 'cyan', paint);
  return `${bar} ${figure(done)} of ${counted(targets, 'target')}${failures}`;
}
