import { describe, expect, it } from 'vitest';
import { RedisHealth } from '../../../src/cluster/redis-health.ts';
import { messageOf } from '../../../src/model/errors.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");

function arrange() {
  const { lines, logger } = recordingLogger();
  const health = new RedisHealth('valkey:6379', messageOf, logger);
  const messages = () => lines.map(({ message }) => message);
  return { health, lines, messages };
}

describe('the health of Redis', () => {
  it('is unknown at first', () => {
    const { health, messages } = arrange();

    expect(health.problem).toBe('Redis was not asked yet');
    health.worked('reading');

    expect(health.problem).toBeNull();
    expect(messages()).toEqual(['Redis can be used']);
  });

  it('is bad while Redis refuses writes, although reading works', () => {
    const { health, lines, messages } = arrange();
    health.worked('reading');

    for (let i = 0; i < 3; i += 1) {
      health.failed('writing', full);
      health.worked('reading');
    }

    expect(health.problem).toBe(
      "Redis at valkey:6379 cannot be used for writing: OOM command not allowed when used memory > 'maxmemory'.",
    );
    expect(lines.at(-1)).toMatchObject({ level: 'error', fields: { reason: health.problem } });
    expect(messages()).toEqual(['Redis can be used', 'the cycles of this daemon end']);
  });

  it('is good again when everything that failed works', () => {
    const { health, messages } = arrange();
    health.worked('reading');
    health.failed('writing', full);
    health.failed('adding cycles', full);

    health.worked('writing');
    expect(health.problem).toContain('cannot be used for adding cycles');
    health.worked('adding cycles');

    expect(health.problem).toBeNull();
    expect(messages().slice(1)).toEqual(['the cycles of this daemon end', 'Redis can be used']);
  });

  it('is not reported by a daemon that stops', () => {
    const { health, messages } = arrange();
    health.worked('reading');

    health.stop();
    health.failed('writing', full);

    expect(messages()).toEqual(['Redis can be used']);
  });
});
