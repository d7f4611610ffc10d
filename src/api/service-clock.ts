/** The offset of the machine's clock from the service's clock, and its correction in signatures. */

/** The header `Date` has whole seconds. On average the real time is half a second later. */
const dateStepMs = 1_000;

/** No correction is larger than this: a signature with a distant time would stay valid for long. */
const maxCorrectionMs = 24 * 3_600_000;

/** Two measurements that differ by less count as equal. */
const sameMs = 60_000;

/**
 * The time of the service for one account. Signatures use the offset only after the service has refused a
 * signature as expired, because the `Date` of a gateway may be wrong. The offset is dropped when a signature
 * with it is refused too and the `Date` has not changed.
 */
export class ServiceClock {
  #correctionMs = 0;
  #skewMs: number | null = null;

  /** The milliseconds that are added to the machine's time for a signature. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** How far the machine's clock is ahead of the service's; `null` before the first answer. */
  get skewMs(): number | null {
    return this.#skewMs;
  }

  /**
   * An answer arrived.
   *
   * @param date its header
   */
  saw(date: string, nowMs: number): void {
    const dateMs = Date.parse(date);
    if (!Number.isNaN(dateMs)) this.#skewMs = nowMs - (dateMs + dateStepMs / 2);
  }

  /**
   * A signature was refused as expired.
   *
   * @param usedMs the correction that it was made with
   * @returns whether there is a new correction
   */
  refused(usedMs: number): boolean {
    // Another request has found the correction already.
    if (usedMs !== this.#correctionMs) return false;
    const neededMs = this.#skewMs === null ? 0 : -Math.round(this.#skewMs);
    if (Math.abs(neededMs) > maxCorrectionMs) return false;
    this.#correctionMs = Math.abs(neededMs - usedMs) < sameMs ? 0 : neededMs;
    return this.#correctionMs !== usedMs;
  }
}
