import type { CheckReport, CheckStatus, JudgedQuota } from '../check-report.ts';
import { counted, figure, percent } from '../number-format.ts';
import { isMuted, isOverdrawn } from '../severity.ts';
import { failedStyle, type Paint, type Style } from './style.ts';

const badges: Readonly<Record<CheckStatus, Style>> = {
  critical: ['bold', 'white', 'bgRed'],
  warning: ['bold', 'black', 'bgYellow'],
  unknown: ['bold', 'white', 'bgMagenta'],
  fine: ['bold', 'black', 'bgGreen'],
};

const severities = ['critical', 'warning', 'fine'] as const;

/** The overall state in one line that is complete without the rest. The counts are in another line. */
export function verdictLines(report: CheckReport, paint: Paint): string[] {
  const { failed, incomplete, quotas, records, status } = report;
  const counts = severities.map((severity) => {
    const count = quotas.filter((judged) => judged.severity === severity).length;
    return `${figure(count)} ${severity}`;
  });
  const muted = quotas.filter(isMuted).length;
  const mutes = muted === 0 ? '' : ` (${figure(muted)} muted)`;
  const behind = `${counted(quotas.length, 'quota')}: ${counts.join(', ')}${mutes}; ${counted(records.length, 'target')} polled`;
  const failures = [
    failed.length > 0 && `, ${figure(failed.length)} failed`,
    incomplete.length > 0 && `, ${figure(incomplete.length)} incomplete`,
  ].filter((text) => text !== false);
  return [
    `${paint(badges[status], status.toUpperCase())}  ${paint('bold', reasonOf(report))}`,
    paint('dim', behind) + paint(failedStyle, failures.join('')),
  ];
}

/** The worst problem of a report, in one clause. */
export function reasonOf(report: CheckReport): string {
  const { quotas, status } = report;
  if (status === 'unknown') return unknownReason(report);
  const isAnyMuted = quotas.some(isMuted);
  const [worst] = quotas.filter(
    (judged) => !isMuted(judged) && (judged.remainingShare !== null || isOverdrawn(judged.quota)),
  );
  if (worst === undefined) {
    if (quotas.length === 0) return 'no quota is watched';
    return isAnyMuted ? 'every quota is muted' : 'no quota has a limit above 0';
  }
  const { remaining, limit } = worst.quota;
  const share = percent(remaining, limit);
  if (isOverdrawn(worst.quota)) {
    return `${worst.quota.type} in ${placeOf(worst)}: overdrawn, ${figure(worst.quota.used)} of ${figure(limit)} ${worst.quota.unit} in use`;
  }
  if (status === 'fine') {
    return `${share} or more is left of every quota${isAnyMuted ? ' that is not muted' : ''}`;
  }
  const left = `${figure(remaining)} of ${figure(limit)} ${worst.quota.unit}`;
  return `${worst.quota.type} in ${placeOf(worst)}: ${left} left (${share})`;
}

/** Names the first missing part. The tables below name all of them. */
function unknownReason({ collectors, failed, incomplete, records }: CheckReport): string {
  if (failed.length > 0) {
    return `${figure(failed.length)} of ${counted(records.length, 'target')} could not be polled`;
  }
  const [first] = incomplete;
  const [what = ''] = first?.seen.snapshot?.missing ?? [];
  const where =
    first === undefined
      ? ''
      : `${collectors.nameOf(first.target)} in ${first.target.region} of ${first.target.account}: `;
  const others =
    incomplete.length === 1 ? '' : `; ${figure(incomplete.length - 1)} more incomplete`;
  return `${where}${what}${others}`;
}

function placeOf({ target, quota }: JudgedQuota): string {
  return `${quota.zone ?? target.region} of ${target.account}`;
}
