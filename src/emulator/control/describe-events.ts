/** Changes, faults and requests as JSON, in the words of a scenario file. */
import type { ActiveFault } from '../faults/faults.ts';
import type { StateChange } from '../resources/model.ts';
import type { ReceivedRequest } from '../service/request-log.ts';
import type { Service } from '../service/service.ts';

export function describeChange(change: StateChange) {
  return {
    at: isoTime(change.atMs),
    kind: change.kind,
    account: change.account,
    region: change.region,
    zone: change.zone,
    quota_type: change.quotaType,
    template_id: change.templateId,
    old_value: change.oldValue,
    new_value: change.newValue,
  };
}

export function describeRequest(request: ReceivedRequest) {
  return {
    at: isoTime(request.atMs),
    request_id: request.requestId,
    method: request.method,
    operation: request.operation,
    account: request.account,
    region: request.region,
    parameters: request.parameters,
    signing: request.signing,
    secret_id: request.secretId,
    host: request.host,
    headers: request.headers,
    status: request.status,
    code: request.code,
    fault: request.fault,
    latency_ms: request.latencyMs,
  };
}

export function describeTimeline({ elapsedMs, timeline }: Service) {
  const { isPaused, next } = timeline;
  return {
    paused: isPaused,
    elapsed_seconds: elapsedMs / 1000,
    next: next && { in: durationText(next.atElapsedMs - elapsedMs), do: next.entry.do },
  };
}

/** The rule in the form of the control API, and how often it was applied. */
export function describeFault({ fromMs, untilMs, latencyMs, ...fault }: ActiveFault) {
  return {
    ...withoutUnits(fault),
    from: durationText(fromMs),
    until: untilMs === undefined ? undefined : durationText(untilMs),
    latency: latencyMs && { min: durationText(latencyMs.min), max: durationText(latencyMs.max) },
  };
}

function withoutUnits<F extends object>(
  fault:
    | F
    | (F & { durationMs: number })
    | (F & { sizeBytes: number })
    | (F & { contentType: string }),
) {
  if ('durationMs' in fault) {
    const { durationMs, ...rule } = fault;
    return { ...rule, duration: durationText(durationMs) };
  }
  if ('contentType' in fault) {
    const { contentType, ...rule } = fault;
    return { ...rule, content_type: contentType };
  }
  if ('sizeBytes' in fault) {
    const { sizeBytes, ...rule } = fault;
    return { ...rule, size_bytes: sizeBytes };
  }
  return fault;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function durationText(ms: number): string {
  return `${ms}ms`;
}
