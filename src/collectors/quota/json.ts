import type { QuotaSnapshot } from './record.ts';

/** A region's quotas in the JSON interface. */
export function quotaJson(snapshot: QuotaSnapshot) {
  return {
    app_id: snapshot.appId,
    quotas: snapshot.quotas.map((quota) => ({
      quota_type: quota.type,
      zone: quota.zone,
      unit: quota.unit,
      used: quota.used,
      remaining: quota.remaining,
      limit: quota.limit,
      once_limit: quota.onceLimit,
    })),
    disaster_recover_group_instance_limits: snapshot.groupInstanceLimits,
  };
}
