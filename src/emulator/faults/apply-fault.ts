import { envelope, type Answer } from '../protocol/envelope.ts';
import type { Delivery, EmulatorReply } from '../protocol/message.ts';
import { defaultMessage } from '../protocol/service-error.ts';
import type { FaultRule } from './fault-rule.ts';
import { withWrongTypes } from './wrong-types.ts';

type Content = Omit<EmulatorReply, 'latencyMs'>;

/** Turns an answer into a reply with the fault of the rule. */
export function replyContent(rule: FaultRule | null, answer: Answer, requestId: string): Content {
  switch (rule?.effect) {
    case 'error': {
      const { code, message = defaultMessage(code) } = rule;
      return json(envelope({ ok: false, code, message }, requestId));
    }
    case 'http-status': {
      const body = rule.body ?? htmlPage(rule.status);
      const { status, contentType, headers } = rule;
      return { status, contentType, headers, body, delivery: { kind: 'whole' } };
    }
    case 'garbage':
      return { ...json(null), body: '{"Response":\u0000<<not json>>' };
    case 'wrong-types':
      return json(
        answer.ok
          ? envelope({ ok: true, fields: wrongFields(answer.fields) }, requestId)
          : withWrongTypes(envelope(answer, requestId)),
      );
    case 'connection-reset':
      return json(envelope(answer, requestId), { kind: 'reset' });
    case 'hang':
      return json(envelope(answer, requestId), { kind: 'hang' });
    case 'truncated-body':
      return json(envelope(answer, requestId), { kind: 'truncated' });
    case 'slow-body':
      return json(envelope(answer, requestId), { kind: 'slow', durationMs: rule.durationMs });
    case 'gzip-bomb':
      return json(null, { kind: 'gzip-bomb', sizeBytes: rule.sizeBytes });
    case 'huge-body':
      return json(null, { kind: 'huge', sizeBytes: rule.sizeBytes });
    case 'latency':
    case undefined:
      return json(envelope(answer, requestId));
  }
}

function json(value: unknown, delivery: Delivery = { kind: 'whole' }): Content {
  return {
    status: 200,
    contentType: 'application/json',
    headers: {},
    body: JSON.stringify(value),
    delivery,
  };
}

function wrongFields(fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, withWrongTypes(value)]),
  );
}

function htmlPage(status: number): string {
  return `<html>\n<head><title>${status}</title></head>\n<body><center><h1>${status}</h1></center></body>\n</html>\n`;
}
