import { unitOf } from '../../model/snapshot.ts';
import type { CheckReport, CheckStatus, JudgedQuota } from '../check-report.ts';
import { counted, figure, percent } from '../figures.ts';
import { failedStyle, type Paint, type Style } from './style.ts';

const badges: Readonly<Record<CheckStatus, Style>> = {
  critical: ['bold', 'white', 'bgRed'],
  warning: ['bold', 'black', 'bgYellow'],
  unknown: ['bold', 'white', 'bgMagenta'],
  fine: ['bold', 'black', 'bgGreen'],
};

const severities = ['critical', 'warning', 'fine'] as const;

/** The state of everything in one line, fit to stand alone, and the counts behind it in another. */
export function verdictLines(report: CheckReport, paint: Paint): string[] {
  const { failed, quotas, records, status } = report;
  const counts = severities.map((severity) => {
    const count = quotas.filter((judged) => judged.severity === severity).length;
    return `${figure(count)} ${severity}`;
  });
  const behind = `${counted(quotas.length, 'quota')}: ${counts.join(', ')}; ${counted(records.length, 'target')} polled`;
  const failures = failed.length === 0 ? '' : `, ${figure(failed.length)} failed`;
  return [
    `${paint(badges[status], status.toUpperCase())}  ${paint('bold', reasonOf(report))}`,
    paint('dim', behind) + paint(failedStyle, failures),
  ];
}

function reasonOf({ failed, quotas, records, status }: CheckReport): string {
  if (status === 'unknown') {
    return `${figure(failed.length)} of ${counted(records.length, 'target')} could not be polled`;
  }
  const worst = quotas.find(({ remainingShare }) => remainingShare !== null);
  if (worst === undefined) return 'no quota has a limit above 0';
  const { remaining, limit } = worst.quota;
  const share = percent(remaining, limit);
  if (status === 'fine') return `${share} or more is left of every quota`;
  const left = `${figure(remaining)} of ${figure(limit)} ${unitOf[worst.quota.type]}`;
  return `${worst.quota.type} in ${placeOf(worst)}: ${left} left (${share})`;
}

function placeOf({ target, quota }: JudgedQuota): string {
  return `${quota.zone ?? target.region} of ${target.account}`;
}
