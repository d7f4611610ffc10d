/**
 * The scripts in Lua that Redis runs for `RedisStore`. Redis runs each as a whole, so that no other daemon acts between
 * its check and its write. Times are those of Redis, in milliseconds since the Unix epoch. A recorded time in the future
 * was written while the clock of Redis was ahead: a due time then counts as unknown, an end as now, and a wait for the lock
 * is at most the lock. The ID of a cluster ends in the time of its creation: `…@1700000000000`.
 *
 * Each script gets the keys of `keys.ts` that {@link prelude} names, and the arguments that its first line names. The hash
 * of a cycle has the fields `epoch`; `member`, the ID of the daemon that began the last cycle; `isRunning`, 1 from its begin
 * to its end; `endedAtMs`, the time of the last end; `finishedDueMs`, the due time of the last complete cycle; and
 * `lockedUntilMs`, until when a daemon of an epoch that Redis has lost may still poll.
 */
import type { Redis } from 'ioredis';

/**
 * What all scripts begin with. Epochs and revisions of a cluster are one rising series of numbers. Each is at least the time
 * in microseconds, so that none returns after Redis has lost writes.
 */
const prelude = `
local idKey, accountsKey, cycleKey, recordsKey, revisionsKey, damagedKey = unpack(KEYS)
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end
local function nextRevision()
  local top = redis.call('ZREVRANGE', accountsKey, 0, 0, 'WITHSCORES')[2]
  return math.max(tonumber(top or '0') + 1, time[1] * 1000000 + time[2])
end
`;

/** Returns a function that runs a script and resolves to its answer. Redis finds the compiled script by its text. */
function script(source: string) {
  return (redis: Redis, keys: readonly string[], args: readonly (string | number)[]) =>
    redis.eval(prelude + source, keys.length, ...keys, ...args);
}

/** Narrows the answer of a script that returns a list. */
export function asList(answer: unknown): readonly unknown[] {
  return Array.isArray(answer) ? answer : [];
}

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
 * The due time is 0 for a cycle that the schedule does not ask for. Returns 'id-changed' when Redis has another cluster ID
 * than the caller knows, 'already-finished' when the cycle was finished before, else: epoch; the former member if it had not
 * ended its cycle; and the milliseconds until the requests of the cycle before no longer count for the rate limit.
 */
export const begin = script(`
local account, member, dueMs, knownId, lockMs = unpack(ARGV)
local id = redis.call('GET', idKey)
if id ~= knownId then return 'id-changed' end
local lastEpoch, lastMember, isRunning, endedAtMs, finishedDueMs, lockedUntilMs = unpack(redis.call('HMGET', cycleKey,
  'epoch', 'member', 'isRunning', 'endedAtMs', 'finishedDueMs', 'lockedUntilMs'))
local finished = tonumber(finishedDueMs or '0')
if finished > nowMs + 2000 then finished = 0 end
if tonumber(dueMs) > 0 and finished >= tonumber(dueMs) then return 'already-finished' end
local epoch = text(nextRevision())
redis.call('HSET', cycleKey, 'epoch', epoch, 'member', member, 'isRunning', '1')
redis.call('ZADD', accountsKey, epoch, account)
local wasRunning = isRunning == '1'
local idleMs = wasRunning and 0 or math.max(0, nowMs - tonumber(endedAtMs or '0'))
local lock = tonumber(lockMs)
local lockedUntil = tonumber(lockedUntilMs or '0')
if not lastEpoch then lockedUntil = tonumber(string.match(id, '@(%d+)$')) + math.min(lock, ${reconnectMs}) end
local waitMs = math.min(lock, math.max(0, lockedUntil - nowMs))
if lastEpoch then waitMs = waitMs + math.max(0, ${minGapMs} - idleMs) end
return { epoch, wasRunning and lastMember or '', text(waitMs) }`);

/** The keys of an account expire this long after its last cycle. No schedule waits longer. */
const keysLifetimeMs = 400 * 24 * 60 * 60 * 1_000;

/**
 * Ends a cycle, if no other epoch has begun. The due time that it has finished is 0 for an incomplete cycle. After it follow
 * the keys of targets whose records are removed.
 */
export const end = script(`
local account, epoch, finishedDueMs = unpack(ARGV, 1, 3)
if redis.call('HGET', cycleKey, 'epoch') ~= epoch then return end
redis.call('HSET', cycleKey, 'isRunning', '0', 'endedAtMs', text(nowMs))
if finishedDueMs ~= '0' then redis.call('HSET', cycleKey, 'finishedDueMs', finishedDueMs) end
for i = 4, #ARGV do
  redis.call('HDEL', recordsKey, ARGV[i])
  redis.call('ZREM', revisionsKey, ARGV[i])
end
for _, key in ipairs({ cycleKey, recordsKey, revisionsKey, damagedKey }) do
  redis.call('PEXPIRE', key, ${keysLifetimeMs})
end
redis.call('ZADD', accountsKey, text(nextRevision()), account)`);

/**
 * Replaces records of an account. Redis has three parts of each, in lines: the revision with which its text was written,
 * the times of its last poll, and its text. Most polls replace only the times. The argument `saves` is a list in JSON, of
 * each record: key of the target, expected revision (0: none is stored), times, revision of the text that stays or null, new
 * text. Returns of each record its new revision, or 'fenced' when another epoch has begun, or 'conflict' when another
 * revision or text is stored.
 */
export const replace = script(`
local account, epoch, saves = ARGV[1], ARGV[2], cjson.decode(ARGV[3])
local keys = {}
for i, save in ipairs(saves) do keys[i] = save[1] end
local isCurrent = redis.call('HGET', cycleKey, 'epoch') == epoch
local stored = redis.call('ZMSCORE', revisionsKey, unpack(keys))
local lines = redis.call('HMGET', recordsKey, unpack(keys))
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
  redis.call('HSET', recordsKey, unpack(records))
  redis.call('ZADD', revisionsKey, unpack(revisions))
  redis.call('ZADD', accountsKey, text(revision), account)
end
return answer`);

/**
 * Finds the accounts that changed. It gets only the keys of the cluster; `newId` is for a cluster without an ID. Returns the
 * ID; then each account whose revision is not lower than the one that the caller knows, and its revision, the lowest first.
 */
export const changes = script(`
local newId, knownRevision = unpack(ARGV)
local id = redis.call('GET', idKey)
if not id then
  id = newId .. '@' .. text(nowMs)
  redis.call('SET', idKey, id)
end
local answer = redis.call('ZRANGEBYSCORE', accountsKey, knownRevision, '+inf', 'WITHSCORES')
table.insert(answer, 1, id)
return answer`);

/**
 * Writes back what a daemon knows of an account and Redis has lost: the higher revision wins. After the first arguments
 * follow three of each record: key, revision, and its times and text as two lines. While the lock lasts, the daemon of a
 * lost epoch may still poll. Returns 1; 0 when Redis has another cluster ID, and nothing is written.
 */
export const restore = script(`
local account, knownId, knownEpoch, lockMs = unpack(ARGV, 1, 4)
if redis.call('GET', idKey) ~= knownId then return 0 end
local revision = text(nextRevision())
if tonumber(redis.call('HGET', cycleKey, 'epoch') or '0') < tonumber(knownEpoch) then
  redis.call('HSET', cycleKey, 'epoch', revision, 'member', '', 'isRunning', '1', 'lockedUntilMs', text(nowMs + tonumber(lockMs)))
end
for i = 5, #ARGV, 3 do
  local key, recordRevision, lines = unpack(ARGV, i, i + 2)
  if tonumber(redis.call('ZSCORE', revisionsKey, key) or '0') < tonumber(recordRevision) then
    redis.call('HSET', recordsKey, key, revision .. '\\n' .. lines)
    redis.call('ZADD', revisionsKey, recordRevision, key)
  end
end
redis.call('ZADD', accountsKey, revision, account)
return 1`);
