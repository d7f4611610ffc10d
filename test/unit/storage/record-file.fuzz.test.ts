import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collectors } from '../../../src/collectors/collectors.ts';
import { isQuotaRecord } from '../../../src/collectors/quota/quota.ts';
import type { TargetRecord } from '../../../src/model/record.ts';
import { formatRecord, parseRecord } from '../../../src/storage/record-file.ts';
import { StoreError } from '../../../src/storage/store-error.ts';
import { arbitraryOutcome, arbitraryRecord } from '../../support/arbitraries.ts';
import { fuzz, fuzzTimeoutMs } from '../../support/fuzz.ts';
import { arbitraryText, mutatedJson, mutatedText, nested } from '../../support/mutations.ts';
import { advance } from '../../support/records.ts';
import { expectServed } from '../../support/served.ts';

const samples = fc.sample(arbitraryRecord, { numRuns: 40, seed: 1 }).map(formatRecord);
const tokens = ['{', '}', '[', ']', '"', ',', ':', 'null', '-1', '1e400', '\0', '\ufeff', '\ud800'];

const files = fc.oneof(
  { weight: 2, arbitrary: arbitraryText },
  { weight: 1, arbitrary: fc.json({ maxDepth: 5 }) },
  { weight: 1, arbitrary: nested('{"version":') },
  { weight: 4, arbitrary: mutatedText(samples, tokens) },
  { weight: 15, arbitrary: mutatedJson(samples.map((text) => JSON.parse(text) as unknown)) },
);

it(
  'a stored file of any text holds a record that can be continued and served, or is refused with a reason',
  async () => {
    const polls = fc.record({
      quotas: arbitraryOutcome({ operation: 'DescribeAccountQuota' }),
      template: arbitraryOutcome({ operation: 'DescribeLaunchTemplateVersions' }),
    });
    await fuzz(fc.tuple(files, polls), 4_000, async ([text, { quotas, template }]) => {
      let record: TargetRecord;
      try {
        record = parseRecord(text, collectors, 'a.json');
      } catch (error) {
        if (error instanceof StoreError) return;
        expect((error as Error).message).toMatch(/^not a stored record/);
        return;
      }
      expect(parseRecord(formatRecord(record), collectors, 'a.json')).toEqual(record);
      await expectServed(record);
      const outcome = isQuotaRecord(record) ? quotas : template;
      await expectServed(advance(record, outcome, 1_700_000_000_000).record);
    });
  },
  fuzzTimeoutMs,
);
