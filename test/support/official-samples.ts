/** The answers that the service's documentation gives as examples, as JSON texts. */
import { readFileSync } from 'node:fs';

export const quotaSample = sampleOf('account-quota');
export const versionsSample = sampleOf('launch-template-versions');

/** The example of quotas as the answer about another region. */
export const quotasOf = (region: string) => quotaSample.replaceAll('ap-guangzhou', region);

function sampleOf(name: string): string {
  return readFileSync(new URL(`./fixtures/api/${name}.json`, import.meta.url), 'utf8');
}
