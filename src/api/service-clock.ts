/** How far the machine's clock is from the service's, and what signatures make of it. */

/** The header `Date` has whole seconds: on average it is half a second old when it is written. */
const dateStepMs = 1_000;

/** A correction beyond this is not made: a signature of so distant a time would be valid for long. */
const maxCorrectionMs = 24 * 3_600_000;

/** Two measurements that differ by less say the same. */
const sameMs = 60_000;

/**
 * The service's time as one account sees it. The offset is applied to signatures only once the service
 * has refused one as expired, since a gateway's `Date` need not be right; and it is dropped again when
 * a signature that was made with it is refused and the `Date` says nothing new.
 */
export class ServiceClock {
  #correctionMs = 0;
  #skewMs: number | null = null;

  /** What is added to the machine's time before it is signed. */
  get correctionMs(): number {
    return this.#correctionMs;
  }

  /** How far the machine's clock is ahead of the service's; `null` before an answer told. */
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
    // Another request has learnt it already.
    if (usedMs !== this.#correctionMs) return false;
    const neededMs = this.#skewMs === null ? 0 : -Math.round(this.#skewMs);
    if (Math.abs(neededMs) > maxCorrectionMs) return false;
    this.#correctionMs = Math.abs(neededMs - usedMs) < sameMs ? 0 : neededMs;
    return this.#correctionMs !== usedMs;
  }
}
