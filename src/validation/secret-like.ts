/** Recognises a secret that was pasted by mistake in place of a name or a path, for schemas that then refuse it. */

/** The beginning of a SecretId, which has 36 characters, and more if it is temporary. */
const secretId = /AKID[A-Za-z0-9]{12}/;

/**
 * 32 mixed letters and digits, the form of a SecretKey. Names and paths that people choose do not look
 * like this.
 */
const secretKey =
  /(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{32}(?![A-Za-z0-9])/;

/** The keys and tokens of temporary credentials: Base64, without a slash or dot in front. */
const token = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9+=_-][A-Za-z0-9+/=_-]{31,}$/;

/** True for a text that contains what may be a SecretId or a SecretKey, or is what may be a token of the service. */
export function looksLikeSecret(text: string): boolean {
  return secretId.test(text) || secretKey.test(text) || token.test(text);
}
