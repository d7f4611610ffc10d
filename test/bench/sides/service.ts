/**
 * A service that costs little, so that it leaves the machine to what is measured. Argument: the zones of
 * a region, and its latency. A message says what differs from now on in each answer from the one before.
 * The answer to it is what was seen until then.
 */
import { argument, reply, serve } from './side.ts';

/** A quiet answer differs in nothing but the RequestId. */
export type Differs = 'nothing' | 'used' | 'limit';

export interface Seen {
  readonly answers: number;
  readonly firstArrivalMs: number;
  readonly lastAnswerMs: number;
}

const { zones, latencyMs } = argument() as { zones: number; latencyMs: number };
let differs: Differs = 'used';
let answers = 0;
let lastAnswerMs = NaN;
let firstArrivalMs = NaN;

reply((message): Seen => {
  if (typeof message === 'string') differs = message as Differs;
  return { answers, firstArrivalMs, lastAnswerMs };
});

serve((request, response) => {
  firstArrivalMs ||= performance.now();
  const body = answerFor(String(request.headers['x-tc-region']));
  setTimeout(() => {
    answers += 1;
    lastAnswerMs = performance.now();
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  }, latencyMs);
});

function answerFor(region: string): string {
  // No number of targets is a multiple of 997, so no target gets the same use in two cycles.
  const used = differs === 'used' ? answers % 997 : 7;
  const limit = differs === 'limit' ? 1_000 + answers : 1_000;
  const usage = { UsedQuota: used, RemainingQuota: limit - used, TotalQuota: limit };
  const rows = Array.from({ length: zones }, (_, i) => ({ ...usage, Zone: `${region}-${i + 1}` }));
  const group = { CvmInRackGroupQuota: 30, CvmInHostGroupQuota: 50, CvmInSwitchGroupQuota: 20 };
  return JSON.stringify({
    Response: {
      AccountQuotaOverview: {
        Region: region,
        AccountQuota: {
          PostPaidQuotaSet: rows,
          DisasterRecoverGroupQuotaSet: [{ ...group, GroupQuota: 10, CurrentNum: 2 }],
          PrePaidQuotaSet: rows.map((row) => ({ ...row, OnceQuota: 300 })),
          SpotPaidQuotaSet: rows,
          ImageQuotaSet: [{ UsedQuota: 2, TotalQuota: 10 }],
        },
      },
      RequestId: `7f117776-3d20-4f00-839b-${String(answers).padStart(12, '0')}`,
      AppId: 251007416,
    },
  });
}
