import { hash } from 'node:crypto';

/** Thrown to end a poll early: the answer says the same as the last one. One object, because a stack is expensive. */
export const unchangedAnswer = new Error('unchanged answer');

/**
 * The result of the last poll of one target, and the answer that it was read from. An answer that differs only
 * in its RequestId is not parsed again. This applies to polls with one request, which most polls are.
 */
export class LastAnswer<T extends object> {
  #last: { readonly digest: string | null; readonly result: T } | null = null;

  /**
   * Runs a poll, or ends it early with the last result.
   *
   * @param poll calls `isUnchanged` with each answer, and throws unchangedAnswer when it returns `true`
   */
  async during(poll: (isUnchanged: (body: string) => boolean) => Promise<T>): Promise<T> {
    const last = this.#last;
    let answers = 0;
    let digest: string | null = null;
    const isUnchanged = (body: string) => {
      answers += 1;
      digest = answers === 1 ? digestOf(body) : null;
      return digest !== null && digest === last?.digest;
    };
    try {
      const result = await poll(isUnchanged);
      this.#last = { digest, result };
      return result;
    } catch (error) {
      if (error === unchangedAnswer && last !== null) return last.result;
      throw error;
    }
  }
}

/** Only the first one of an answer. Quotation marks inside of a text have a backslash before them. */
const requestId = /"RequestId"\s*:\s*"[\w-]*"/;

function digestOf(body: string): string {
  return hash('sha256', body.replace(requestId, ''), 'base64');
}
