/** The time of the service. `call.ts` signs by it, and the daemon shows how far the machine's clock is off. */

/** The header `Date` has whole seconds. On average the real time is half a second later. */
const dateStepMs = 1_000;
/** No correction is larger than this: a signature with a distant time would stay valid for long. */
const maxCorrectionMs = 24 * 3_600_000;
/** Two measurements that differ by less count as equal. */
const toleranceMs = 60_000;

/**
 * The time of the service for one account, by which its calls sign. Signatures use the measured offset only after the
 * service has refused a signature as expired, because the `Date` of a gateway may be wrong. The offset is dropped when
 * a signature with it is refused too and the `Date` has not changed.
 */
export class ServiceClock {
  #correctionMs = 0;
  #skewMs: number | null = null;

  /** The milliseconds that are added to the machine's time for a signature. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** How far the machine's clock is ahead of the service's; negative if it is behind. `null` before the first answer. */
  get skewMs(): number | null {
    return this.#skewMs;
  }

  /**
   * Measures the skew by an answer that has just arrived.
   *
   * @param date the header `Date` of the answer. `null`, or a text that is no date, changes nothing
   */
  observeDate(date: string | null, nowMs: number): void {
    const dateMs = Date.parse(date ?? '');
    if (!Number.isNaN(dateMs)) this.#skewMs = nowMs - (dateMs + dateStepMs / 2);
  }

  /**
   * Sets the correction to the measured skew after the service refused a signature as expired; to 0 if the refused
   * signature was made with about this correction. A skew of more than a day changes nothing.
   *
   * @param usedMs the correction with which the refused signature was made
   * @returns whether this refusal changed the correction. `false` also if another request has changed it already
   */
  correct(usedMs: number): boolean {
    if (usedMs !== this.#correctionMs) return false;
    const neededMs = this.#skewMs === null ? 0 : -Math.round(this.#skewMs);
    if (Math.abs(neededMs) > maxCorrectionMs) return false;
    this.#correctionMs = Math.abs(neededMs - usedMs) < toleranceMs ? 0 : neededMs;
    return this.#correctionMs !== usedMs;
  }
}
