export const signatureMethods = ['hmac-sha256', 'hmac-sha1', 'tc3'] as const;
/** In the query string with either hash, or in headers (TC3-HMAC-SHA256). */
export type SignatureMethod = (typeof signatureMethods)[number];
