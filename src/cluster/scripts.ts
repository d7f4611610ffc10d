/**
 * The scripts in Lua that Redis runs for `RedisStore`. Redis runs each as a whole, so that no other daemon acts between
 * its check and its write. Times are those of Redis, in milliseconds since the Unix epoch. A recorded time in the future
 * was written while the clock of Redis was ahead: a due time then counts as unknown, an end as now, and a wait for the lock is
 * at most the lock. The ID of a cluster ends in the time of its creation: `…@1700000000000`.
 *
 * Each script gets `KEYS` (keys of Redis) and `ARGV` (arguments) in the order that its comment names. The hash of a cycle
 * has the fields `epoch`; `member`, the ID of the daemon that began the last cycle; `isRunning`, 1 from its begin to its
 * end; `endedAtMs`, the time of the last end; `finishedDueMs`, the due time of the last complete cycle; and
 * `lockedUntilMs`, until when a daemon of an epoch that Redis has lost may still poll.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** Makes a function that runs a script: by its hash, and with its text where Redis does not know the hash yet. */
function script(text: string) {
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis: Redis, keys: readonly string[], args: readonly (string | number)[]) => {
    try {
      return await redis.evalsha(sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(text, keys.length, ...keys, ...args);
    }
  };
}

/** Narrows the answer of a script that returns a list. */
export function asList(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

const clock = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local function unlessFuture(ms)
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
 * The first cycle of an account waits this long after Redis was found empty. By then, daemons that know the account have
 * connected again and restored its epoch.
 */
const reconnectMs = 3_000;

/**
 * The time between the last request of a cycle and the first one of the next. A request counts for a second from its
 * arrival, arrives at most 250 ms late, and the clocks may differ by 6 % in speed.
 */
const minGapMs = 1_250 * 1.06;

/**
 * Begins the cycle of an account, and raises its epoch: from now on, the former daemon can write nothing.
 * Keys: accounts, cycle, cluster ID. Arguments: account, member, due time (0: not a cycle of the schedule), known
 * cluster ID, milliseconds of the lock. Returns 'id-changed' when Redis has another cluster ID, 'already-finished' when the
 * cycle was finished before, else: epoch; the former member if it had not ended its cycle; and the milliseconds until the
 * requests of the cycle before no longer count for the rate limit.
 */
export const begin = script(`${nextRevision}
local id = redis.call('GET', KEYS[3])
if id ~= ARGV[4] then return 'id-changed' end
local cycle = redis.call('HMGET', KEYS[2], 'epoch', 'member', 'isRunning', 'endedAtMs', 'finishedDueMs', 'lockedUntilMs')
local due = tonumber(ARGV[3])
if due > 0 and unlessFuture(cycle[5]) >= due then return 'already-finished' end
local epoch = text(nextRevision())
redis.call('HSET', KEYS[2], 'epoch', epoch, 'member', ARGV[2], 'isRunning', '1')
redis.call('ZADD', KEYS[1], epoch, ARGV[1])
local isRunning = cycle[3] == '1'
local idle = isRunning and 0 or math.max(0, nowMs - tonumber(cycle[4] or '0'))
local lock = tonumber(ARGV[5])
local lockedUntil = cycle[1] and tonumber(cycle[6] or '0') or tonumber(string.match(id, '@(%d+)$')) + math.min(lock, ${reconnectMs})
local wait = math.min(lock, math.max(0, lockedUntil - nowMs))
if cycle[1] then wait = wait + math.max(0, ${minGapMs} - idle) end
return { epoch, isRunning and cycle[2] or '', text(wait) }`);

/** The keys of an account expire this long after its last cycle. No schedule waits longer. */
const keysLifetimeMs = 400 * 24 * 60 * 60 * 1_000;

/**
 * Ends a cycle. Keys: accounts, cycle, records, revisions, damaged. Arguments: account, epoch, the due time that it has
 * finished (0: none); then the keys of targets whose records are removed. Does nothing and returns 0 when another epoch has begun.
 */
export const end = script(`${nextRevision}
if redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], 'isRunning', '0', 'endedAtMs', text(nowMs))
if ARGV[3] ~= '0' then redis.call('HSET', KEYS[2], 'finishedDueMs', ARGV[3]) end
for i = 4, #ARGV do
  redis.call('HDEL', KEYS[3], ARGV[i])
  redis.call('ZREM', KEYS[4], ARGV[i])
end
for i = 2, #KEYS do redis.call('PEXPIRE', KEYS[i], ${keysLifetimeMs}) end
redis.call('ZADD', KEYS[1], text(nextRevision()), ARGV[1])
return 1`);

/**
 * Replaces records of an account. Redis has three parts of each, in lines: the revision with which its text was written,
 * the times of its last poll, and its text. Most polls replace only the times. Keys: accounts, cycle, records, revisions.
 * Arguments: account, epoch, and a list in JSON, of each record: key of the target, expected revision (0: none is stored),
 * times, revision of the text that stays or null, new text. Returns of each record its new revision, or 'fenced' when
 * another epoch has begun, or 'conflict' when another revision or text is stored.
 */
export const replace = script(`${nextRevision}
local saves, keys = cjson.decode(ARGV[3]), {}
for i, save in ipairs(saves) do keys[i] = save[1] end
local isCurrent = redis.call('HGET', KEYS[2], 'epoch') == ARGV[2]
local stored = redis.call('ZMSCORE', KEYS[4], unpack(keys))
local lines = redis.call('HMGET', KEYS[3], unpack(keys))
local revision = nextRevision()
local answer, records, revisions = {}, {}, {}
for i, save in ipairs(saves) do
  local key, expected, times, keptText, newText = unpack(save)
  local textRevision, body = string.match(lines[i] or '', '^(%d+)\\n[^\\n]*\\n(.*)$')
  if not isCurrent then
    answer[i] = 'fenced'
  elseif tonumber(stored[i] or '0') ~= expected or (keptText ~= cjson.null and keptText ~= tonumber(textRevision)) then
    answer[i] = 'conflict'
  else
    answer[i] = text(revision)
    if keptText == cjson.null then textRevision, body = answer[i], newText end
    table.insert(revisions, answer[i])
    table.insert(revisions, key)
    table.insert(records, key)
    table.insert(records, textRevision .. '\\n' .. times .. '\\n' .. body)
    revision = revision + 1
  end
end
if #records > 0 then
  redis.call('HSET', KEYS[3], unpack(records))
  redis.call('ZADD', KEYS[4], unpack(revisions))
  redis.call('ZADD', KEYS[1], text(revision), ARGV[1])
end
return answer`);

/** The most accounts that one answer of {@link changes} names. */
export const accountsInAnswer = 2_000;

/**
 * Finds the accounts that changed. Keys: cluster ID, accounts. Arguments: a new ID if there is none, the highest revision
 * that the caller knows. Returns the ID; then each account whose revision is not lower, and its revision, at most
 * {@link accountsInAnswer} of them, the lowest first.
 */
export const changes = script(`${clock}
local id = redis.call('GET', KEYS[1])
if not id then
  id = ARGV[1] .. '@' .. text(nowMs)
  redis.call('SET', KEYS[1], id)
end
local answer = redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[2], '+inf', 'WITHSCORES', 'LIMIT', 0,
  ${accountsInAnswer})
table.insert(answer, 1, id)
return answer`);

/**
 * Writes back what a daemon knows of an account and Redis has lost: the higher revision wins. Keys: accounts, cycle, records, revisions, cluster
 * ID. Arguments: account, cluster ID, known epoch, milliseconds of the lock; then of each record three: key, revision,
 * and its times and text as two lines. While the lock lasts, the daemon of a lost epoch may still poll. Returns 0 when Redis has another cluster ID.
 */
export const restore = script(`${nextRevision}
if redis.call('GET', KEYS[5]) ~= ARGV[2] then return 0 end
local revision = text(nextRevision())
if tonumber(redis.call('HGET', KEYS[2], 'epoch') or '0') < tonumber(ARGV[3]) then
  redis.call('HSET', KEYS[2], 'epoch', revision, 'member', '', 'isRunning', '1', 'lockedUntilMs', text(nowMs + tonumber(ARGV[4])))
end
for i = 5, #ARGV, 3 do
  if tonumber(redis.call('ZSCORE', KEYS[4], ARGV[i]) or '0') < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[3], ARGV[i], revision .. '\\n' .. ARGV[i + 2])
    redis.call('ZADD', KEYS[4], ARGV[i + 1], ARGV[i])
  end
end
redis.call('ZADD', KEYS[1], revision, ARGV[1])
return 1`);
