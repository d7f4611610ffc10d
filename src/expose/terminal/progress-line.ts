import { counted, figure } from '../number-format.ts';
import { barOf } from './bar.ts';
import { failedStyle, type Paint } from './style.ts';

export interface PollProgress {
  readonly done: number;
  readonly failed: number;
  readonly targets: number;
}

const barWidth = 30;

/** The progress of the polls, in one line without a newline. */
export function progressLine({ done, failed, targets }: PollProgress, paint: Paint): string {
  const { filled, empty } = barOf(done / targets, barWidth);
  const failures = failed === 0 ? '' : paint(failedStyle, `, ${figure(failed)} failed`);
  return `${paint('cyan', filled)}${paint('dim', empty)} ${figure(done)} of ${counted(targets, 'target')}${failures}`;
}
