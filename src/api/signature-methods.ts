export const signatureMethods = ['tc3', 'hmac-sha256', 'hmac-sha1'] as const;
/** In headers (TC3-HMAC-SHA256), or in the query string with either hash. */
export type SignatureMethod = (typeof signatureMethods)[number];
