/**
 * The scripts that Redis runs. Each of them runs as a whole, so that no other daemon acts between its check and
 * its write. Times are those of Redis, in milliseconds since the Unix epoch.
 */
import { Script } from './script.ts';

const now = `
local function now()
  local time = redis.call('TIME')
  return string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end`;

/** Epochs and revisions are at least the time in microseconds: none returns after Redis has lost writes. */
const above = `
local function above(last)
  local time = redis.call('TIME')
  return string.format('%.0f', math.max(tonumber(last or '0') + 1, time[1] * 1000000 + time[2]))
end`;

/**
 * Begins the cycle of an account, and raises its epoch: from now on, the former daemon can write nothing.
 * Keys: cycle. Arguments: member, due time (0: not a cycle of the schedule), a new ID for an account without one.
 * Returns `false` when the cycle was finished before, else: epoch, ID of the account, former member, whether the
 * former one had not ended its cycle, milliseconds since the former end, the due time that was finished last (0: none),
 * the former epoch (0: none).
 */
export const beginScript = new Script(`${now}${above}
local cycle = redis.call('HMGET', KEYS[1], 'finished', 'member', 'running', 'ended', 'due')
local finished = tonumber(cycle[1] or '0')
local due = tonumber(ARGV[2])
if due > 0 and finished >= due then return false end
local nowMs = now()
local former = redis.call('HGET', KEYS[1], 'epoch')
local epoch = above(former)
redis.call('HSET', KEYS[1], 'epoch', epoch)
redis.call('HSETNX', KEYS[1], 'id', ARGV[3])
redis.call('HSET', KEYS[1], 'member', ARGV[1], 'running', '1', 'begun', nowMs)
if due > tonumber(cycle[5] or '0') then redis.call('HSET', KEYS[1], 'due', ARGV[2]) end
local isTakenOver = cycle[3] == '1'
local idle = isTakenOver and 0 or tonumber(nowMs) - tonumber(cycle[4] or '0')
local id = redis.call('HGET', KEYS[1], 'id')
return { tonumber(epoch), id, cycle[2] or '', isTakenOver and 1 or 0, idle, finished, tonumber(former or '0') }`);

/** The running cycle also serves a later due time. Keys: cycle. Arguments: epoch, due time. */
export const extendScript = new Script(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) > tonumber(redis.call('HGET', KEYS[1], 'due') or '0') then
  redis.call('HSET', KEYS[1], 'due', ARGV[2])
end
return 1`);

/**
 * Ends a cycle. Keys: cycle. Arguments: epoch, 1 when every target was polled; otherwise its due time is due again.
 * Returns 0 for another epoch.
 */
export const endScript = new Script(`${now}
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'running', '0', 'ended', now())
local cycle = redis.call('HMGET', KEYS[1], 'due', 'finished')
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'finished', cycle[1] or '0')
else
  redis.call('HSET', KEYS[1], 'due', cycle[2] or '0')
end
return 1`);

/**
 * Replaces a record. Keys: cycle, records, revisions, written. Arguments: epoch, key of the target, expected
 * revision (0: none is stored), text. Returns the new revision; -1 for another epoch, -2 for another revision.
 * A write whose answer was lost can be repeated.
 */
export const replaceScript = new Script(`${now}${above}
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return -1 end
local revision = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[2]) or '0')
if revision ~= tonumber(ARGV[3]) then
  return redis.call('HGET', KEYS[2], ARGV[2]) == ARGV[4] and revision or -2
end
revision = above(redis.call('HGET', KEYS[1], 'revision'))
redis.call('HSET', KEYS[1], 'revision', revision)
redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
redis.call('ZADD', KEYS[3], revision, ARGV[2])
redis.call('ZADD', KEYS[4], now(), ARGV[2])
return tonumber(revision)`);

/**
 * The records of an account that changed. Keys: cycle, records, revisions. Arguments: known ID of the account,
 * known revision. Returns ID, revision, member, whether a cycle runs, when it began, its due time; then key,
 * revision and text of each record that changed since the known revision, or of all if the ID is another one.
 */
export const changedScript = new Script(`
local cycle = redis.call('HMGET', KEYS[1], 'id', 'revision', 'member', 'running', 'begun', 'due')
local from = 0
local revision = tonumber(cycle[2] or '0')
if cycle[1] == ARGV[1] and revision >= tonumber(ARGV[2]) then from = ARGV[2] end
local answer = { cycle[1] or '', revision, cycle[3] or '', cycle[4] or '0', cycle[5] or '0', cycle[6] or '0' }
if from ~= 0 and tonumber(from) == revision then return answer end
local changed = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. from, '+inf', 'WITHSCORES')
for i = 1, #changed, 2 do
  table.insert(answer, changed[i])
  table.insert(answer, changed[i + 1])
  table.insert(answer, redis.call('HGET', KEYS[2], changed[i]) or '')
end
return answer`);

/**
 * Removes a record that was written before a time. Keys: records, revisions, written. Arguments: key of the
 * target, time. Returns 1 when it was removed.
 */
export const removeScript = new Script(`
local written = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not written or tonumber(written) > tonumber(ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
return 1`);

/**
 * A daemon is alive. Keys: heard, members. Arguments: ID, text about it, how long a silent daemon stays a member.
 * Returns the ID, the text and the silence in milliseconds of each member.
 */
export const heartbeatScript = new Script(`${now}
local nowMs = tonumber(now())
redis.call('ZADD', KEYS[1], nowMs, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. nowMs - tonumber(ARGV[3]))) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
end
local answer = {}
local heard = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #heard, 2 do
  table.insert(answer, heard[i])
  table.insert(answer, redis.call('HGET', KEYS[2], heard[i]) or '')
  table.insert(answer, nowMs - tonumber(heard[i + 1]))
end
return answer`);
