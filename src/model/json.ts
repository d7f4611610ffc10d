/**
 * Parses JSON from outside that may be damaged: `null` for a text that is no JSON. A schema then
 * refuses it. Record files, Redis, the metadata service and plans of Terraform use it; answers of the API are read in
 * `api/response.ts`.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
