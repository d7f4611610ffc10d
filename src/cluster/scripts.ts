/**
 * The scripts that Redis runs. Each of them runs as a whole, so that no other daemon acts between its check and
 * its write. Times are those of Redis, in milliseconds since the Unix epoch. A time that is recorded and lies in
 * the future was written while the clock of Redis was ahead: it counts as unknown.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** One script. Redis knows it by its hash after the first run. */
function script(text: string) {
  const sha = createHash('sha1').update(text).digest('hex');
  return async (
    redis: Redis,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(text, keys.length, ...keys, ...args);
    }
  };
}

/** The elements of an answer; none for an answer that is no list. */
export function listOf(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

const clock = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local function past(ms)
  ms = tonumber(ms or '0')
  return ms > nowMs + 2000 and 0 or ms
end`;

/**
 * Epochs and revisions of a cluster are one rising series of numbers. Each is at least the time in microseconds, so
 * that none returns after Redis has lost writes. KEYS[1]: the accounts by their last revision.
 */
const nextRevision = `${clock}
local function nextRevision()
  local top = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  return math.max(tonumber(top or '0') + 1, time[1] * 1000000 + time[2])
end`;

/**
 * How long the first cycle of an account waits after Redis was found empty. Until then, the daemons that knew the
 * account have connected again and said so.
 */
const tellMs = 3_000;

/** A request counts for a second from its arrival. It arrives at most 250 ms late, and clocks run at other speeds. */
const quietMs = 1_250 * 1.06;

/**
 * Begins the cycle of an account, and raises its epoch: from now on, the former daemon can write nothing.
 * Keys: accounts, cycle, cluster ID. Arguments: account, member, due time (0: not a cycle of the schedule), known
 * cluster ID, milliseconds of the lock. Returns 'other' when Redis has another cluster ID, 'finished' when the cycle was
 * finished before, else: epoch, the former member if it had not ended its cycle, and the milliseconds until a request
 * cannot come too early after those of the cycle before.
 */
export const begin = script(`${nextRevision}
local id = redis.call('GET', KEYS[3])
if id ~= ARGV[4] then return 'other' end
local cycle = redis.call('HMGET', KEYS[2], 'epoch', 'member', 'running', 'ended', 'finished', 'free')
local due = tonumber(ARGV[3])
if due > 0 and past(cycle[5]) >= due then return 'finished' end
local epoch = text(nextRevision())
redis.call('HSET', KEYS[2], 'epoch', epoch, 'member', ARGV[2], 'running', '1')
redis.call('ZADD', KEYS[1], epoch, ARGV[1])
local isRunning = cycle[3] == '1'
local idle = isRunning and 0 or math.max(0, nowMs - tonumber(cycle[4] or '0'))
local lock = tonumber(ARGV[5])
local free = cycle[1] and tonumber(cycle[6] or '0') or tonumber(string.match(id, '@(%d+)$')) + math.min(lock, ${tellMs})
local wait = math.min(lock, math.max(0, free - nowMs))
if cycle[1] then wait = wait + math.max(0, ${quietMs} - idle) end
return { epoch, isRunning and cycle[2] or '', text(wait) }`);

/** How long the keys of an account are kept after its last cycle. No schedule waits longer. */
const keptMs = 400 * 24 * 60 * 60 * 1_000;

/**
 * Ends a cycle. Keys: accounts, cycle, records, revisions, damaged. Arguments: account, epoch, the due time that it has
 * finished (0: none); then the keys of targets whose records are removed.
 */
export const end = script(`${nextRevision}
if redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], 'running', '0', 'ended', text(nowMs))
if ARGV[3] ~= '0' then redis.call('HSET', KEYS[2], 'finished', ARGV[3]) end
for i = 4, #ARGV do
  redis.call('HDEL', KEYS[3], ARGV[i])
  redis.call('ZREM', KEYS[4], ARGV[i])
end
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ${keptMs}) end
redis.call('ZADD', KEYS[1], text(nextRevision()), ARGV[1])
return 1`);

/**
 * Replaces records of an account. Redis has three parts of each, in lines: the revision with which its text was written,
 * the times of its last poll, and its text. Most polls replace only the times. Keys: accounts, cycle, records, revisions.
 * Arguments: account, epoch, and a list in JSON, of each record: key of the target, expected revision (0: none is stored),
 * times, revision of the text that stays or null, new text. Returns of each record its new revision, or 'fenced' when
 * another epoch has begun, or 'found' when another revision or text is stored.
 */
export const replace = script(`${nextRevision}
local saves, keys = cjson.decode(ARGV[3]), {}
for i, save in ipairs(saves) do keys[i] = save[1] end
local isCurrent = redis.call('HGET', KEYS[2], 'epoch') == ARGV[2]
local stored = redis.call('ZMSCORE', KEYS[4], unpack(keys))
local known = redis.call('HMGET', KEYS[3], unpack(keys))
local revision = nextRevision()
local answer, records, revisions = {}, {}, {}
for i, save in ipairs(saves) do
  local key, expected, times, kept, new = unpack(save)
  local id, old = string.match(known[i] or '', '^(%d+)\\n[^\\n]*\\n(.*)$')
  if not isCurrent then
    answer[i] = 'fenced'
  elseif tonumber(stored[i] or '0') ~= expected or (kept ~= cjson.null and kept ~= tonumber(id)) then
    answer[i] = 'found'
  else
    answer[i] = text(revision)
    if kept == cjson.null then id, old = answer[i], new end
    for _, each in ipairs({ answer[i], key }) do table.insert(revisions, each) end
    for _, each in ipairs({ key, id .. '\\n' .. times .. '\\n' .. old }) do table.insert(records, each) end
    revision = revision + 1
  end
end
if #records > 0 then
  redis.call('HSET', KEYS[3], unpack(records))
  redis.call('ZADD', KEYS[4], unpack(revisions))
  redis.call('ZADD', KEYS[1], text(revision), ARGV[1])
end
return answer`);

/** How many accounts one answer names. */
export const changedAtOnce = 2_000;

/**
 * What changed in the cluster. Keys: cluster ID, accounts. Arguments: a new ID if there is none, the highest revision
 * that is known. Returns the ID; then each account whose revision is not lower, and its revision, at most
 * {@link changedAtOnce} of them, the lowest first.
 */
export const changed = script(`${clock}
local id = redis.call('GET', KEYS[1])
if not id then
  id = ARGV[1] .. '@' .. text(nowMs)
  redis.call('SET', KEYS[1], id)
end
local answer = redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0,
  ${changedAtOnce})
table.insert(answer, 1, id)
return answer`);

/**
 * Writes back what a daemon knows of an account and Redis has lost. Keys: accounts, cycle, records, revisions, cluster
 * ID. Arguments: account, cluster ID, known epoch, milliseconds of the lock; then of each record: key, revision, times
 * and text. While the lock lasts, the daemon of a lost epoch may still poll. Returns 0 when Redis has another cluster ID.
 */
export const restore = script(`${nextRevision}
if redis.call('GET', KEYS[5]) ~= ARGV[2] then return 0 end
local revision = text(nextRevision())
if tonumber(redis.call('HGET', KEYS[2], 'epoch') or '0') < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], 'epoch', revision, 'member', '', 'running', '1', 'free', text(nowMs + tonumber(ARGV[4])))
end
for i = 5, #ARGV, 3 do
  if tonumber(redis.call('ZSCORE', KEYS[4], ARGV[i]) or '0') < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[3], ARGV[i], revision .. '\\n' .. ARGV[i + 2])
    redis.call('ZADD', KEYS[4], ARGV[i + 1], ARGV[i])
  end
end
redis.call('ZADD', KEYS[1], revision, ARGV[1])
return 1`);
