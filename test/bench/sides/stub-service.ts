/**
 * A service that costs little, so that it leaves the machine to what is measured. Argument: the zones of a
 * region, and what differs in each answer of DescribeAccountQuota from the one before: by default the
 * used quota, else the limit, or nothing but the RequestId.
 */
import { createServer } from 'node:http';
import { announce, argument } from './side.ts';

const { zonesPerRegion, differs = 'used' } = argument() as {
  zonesPerRegion: number;
  differs?: 'used' | 'limit' | 'nothing';
};
let answers = 0;

const server = createServer((request, response) => {
  const url = request.url ?? '';
  const region = /[?&]Region=([a-z0-9-]+)/.exec(url)?.[1] ?? String(request.headers['x-tc-region']);
  const body = answerFor(region);
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
});

function answerFor(region: string): string {
  answers += 1;
  // No number of targets is a multiple of 997, so no target gets the same use in two cycles.
  const used = differs === 'used' ? answers % 997 : 7;
  const limit = differs === 'limit' ? 1_000 + answers : 1_000;
  const zones = Array.from({ length: zonesPerRegion }, (_, i) => `${region}-${i + 1}`);
  const usage = { UsedQuota: used, RemainingQuota: limit - used, TotalQuota: limit };
  const rows = zones.map((zone) => ({ ...usage, Zone: zone }));
  return JSON.stringify({
    Response: {
      AccountQuotaOverview: {
        Region: region,
        AccountQuota: {
          PostPaidQuotaSet: rows,
          DisasterRecoverGroupQuotaSet: [
            {
              CvmInRackGroupQuota: 30,
              GroupQuota: 10,
              CvmInHostGroupQuota: 50,
              CurrentNum: 2,
              CvmInSwitchGroupQuota: 20,
            },
          ],
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

announce(server);
