/**
 * Parses JSON from outside that may be damaged. `null` for a text that is no JSON, and for the text `null`: the caller's
 * schema refuses both. For record files, Redis, the metadata service and plans of Terraform; `api/response.ts` parses the
 * answers of the API itself.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
