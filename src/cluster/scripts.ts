/**
 * The scripts that Redis runs. Each of them runs as a whole, so that no other daemon acts between its check and
 * its write. Times are those of Redis, in milliseconds since the Unix epoch. A time that is recorded and lies in
 * the future was written while the clock of Redis was ahead: it counts as unknown.
 */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** One script. Redis knows it by its hash after the first run. */
class Script {
  readonly #text: string;
  readonly #sha: string;

  constructor(text: string) {
    this.#text = text;
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  async run(
    redis: Redis,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return redis.eval(this.#text, keys.length, ...keys, ...args);
    }
  }
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

/**
 * Begins the cycle of an account, and raises its epoch: from now on, the former daemon can write nothing.
 * Keys: accounts, cycle, cluster ID. Arguments: account, member, due time (0: not a cycle of the schedule), known
 * cluster ID, milliseconds of the lock.
 * Returns 'other' when Redis has another cluster ID, 'finished' when the cycle was finished before, else: epoch,
 * former member, whether it had not ended its cycle, milliseconds since its end, the due time that was finished last
 * (0: none), the former epoch (0: none), milliseconds for which a daemon that Redis has forgotten may still poll.
 */
export const beginScript = new Script(`${nextRevision}
local id = redis.call('GET', KEYS[3])
if id ~= ARGV[4] then return 'other' end
local cycle = redis.call('HMGET', KEYS[2], 'epoch', 'member', 'running', 'ended', 'due', 'finished', 'free')
local due = tonumber(ARGV[3])
local finished = past(cycle[6])
if due > 0 and finished >= due then return 'finished' end
local revision = nextRevision()
local epoch = text(revision)
redis.call('HSET', KEYS[2], 'epoch', epoch, 'member', ARGV[2], 'running', '1', 'begun', text(nowMs),
  'due', text(math.max(due, past(cycle[5]))))
redis.call('ZADD', KEYS[1], epoch, ARGV[1])
local isTakenOver = cycle[3] == '1'
local idle = isTakenOver and 0 or math.max(0, nowMs - tonumber(cycle[4] or '0'))
local free = tonumber(cycle[7] or '0')
local lock = tonumber(ARGV[5])
if not cycle[1] then free = tonumber(string.match(id, '@(%d+)$')) + math.min(lock, ${tellMs}) end
return { epoch, cycle[2] or '', isTakenOver and 1 or 0, idle, finished, cycle[1] or '0',
  math.min(lock, math.max(0, free - nowMs)) }`);

/** The running cycle also serves a later due time. Keys: cycle. Arguments: epoch, due time. */
export const extendScript = new Script(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return 0 end
if tonumber(ARGV[2]) > tonumber(redis.call('HGET', KEYS[1], 'due') or '0') then
  redis.call('HSET', KEYS[1], 'due', ARGV[2])
end
return 1`);

/**
 * Ends a cycle. Keys: accounts, cycle. Arguments: account, epoch, 1 when every target was polled; otherwise its due
 * time is due again.
 */
export const endScript = new Script(`${nextRevision}
local cycle = redis.call('HMGET', KEYS[2], 'epoch', 'due', 'finished')
if cycle[1] ~= ARGV[2] then return 0 end
local isComplete = ARGV[3] == '1'
redis.call('HSET', KEYS[2], 'running', '0', 'ended', text(nowMs),
  isComplete and 'finished' or 'due', cycle[isComplete and 2 or 3] or '0')
redis.call('ZADD', KEYS[1], text(nextRevision()), ARGV[1])
return 1`);

/**
 * Replaces records of an account. Keys: accounts, cycle, records, revisions. Arguments: account, epoch; then of each
 * record: key of the target, expected revision (0: none is stored), text. Returns 'fenced' for another epoch, else of
 * each record its new revision, or 'found' when another one is stored. A write whose answer was lost can be repeated.
 */
export const replaceScript = new Script(`${nextRevision}
if redis.call('HGET', KEYS[2], 'epoch') ~= ARGV[2] then return 'fenced' end
local keys = {}
for i = 3, #ARGV, 3 do table.insert(keys, ARGV[i]) end
local stored = redis.call('ZMSCORE', KEYS[4], unpack(keys))
local revision = nextRevision()
local answer, texts, revisions = {}, {}, {}
for i, key in ipairs(keys) do
  local expected, record = ARGV[3 * i + 1], ARGV[3 * i + 2]
  local is = stored[i] or '0'
  if tonumber(is) == tonumber(expected) then
    table.insert(answer, text(revision))
    table.insert(revisions, text(revision))
    table.insert(revisions, key)
    table.insert(texts, key)
    table.insert(texts, record)
    revision = revision + 1
  else
    table.insert(answer, redis.call('HGET', KEYS[3], key) == record and is or 'found')
  end
end
if #texts > 0 then
  redis.call('HSET', KEYS[3], unpack(texts))
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
export const changedScript = new Script(`${clock}
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
 * Reads accounts, until the answer is large. Arguments: maximum bytes; then of each account: the keys of its cycle,
 * records and revisions, and the highest revision that was read. Returns of each account that was read: member,
 * whether a cycle runs, when it began, its due time, its epoch, the revision after which everything must be read, '1'
 * when more records follow, and a list with key, revision and text of each record.
 */
export const readScript = new Script(`
local answer = {}
local left = tonumber(ARGV[1])
for i = 2, #ARGV, 4 do
  local cycle = redis.call('HMGET', ARGV[i], 'member', 'running', 'begun', 'due', 'epoch', 'whole')
  local found = redis.call('ZRANGEBYSCORE', ARGV[i + 2], '(' .. ARGV[i + 3], '+inf', 'WITHSCORES', 'LIMIT', 0, 200)
  local keys = {}
  for j = 1, #found, 2 do table.insert(keys, found[j]) end
  local texts = #keys > 0 and redis.call('HMGET', ARGV[i + 1], unpack(keys)) or {}
  local records = {}
  for j, key in ipairs(keys) do
    if left <= 0 then break end
    local record = texts[j] or ''
    left = left - #record
    table.insert(records, key)
    table.insert(records, found[2 * j])
    table.insert(records, record)
  end
  local isPart = #records < 3 * #keys or #keys == 200
  table.insert(answer, { cycle[1] or '', cycle[2] or '0', cycle[3] or '0', cycle[4] or '0', cycle[5] or '0',
    cycle[6] or '0', isPart and '1' or '0', records })
  if left <= 0 then break end
end
return answer`);

/**
 * Writes back what a daemon knows of an account and Redis has lost. Keys: accounts, cycle, records, revisions, cluster
 * ID. Arguments: account, cluster ID, known epoch, milliseconds of the lock; then of each record: key, revision, text;
 * an empty text asks whether it is wanted. While the lock lasts, the daemon of the lost epoch may still poll. Returns
 * 'other' when Redis has another cluster ID, else the keys of the records that are wanted.
 */
export const restoreScript = new Script(`${nextRevision}
if redis.call('GET', KEYS[5]) ~= ARGV[2] then return 'other' end
local revision = text(nextRevision())
local isChanged = tonumber(redis.call('HGET', KEYS[2], 'epoch') or '0') < tonumber(ARGV[3])
if isChanged then
  redis.call('HSET', KEYS[2], 'epoch', revision, 'member', '', 'running', '1', 'free', text(nowMs + tonumber(ARGV[4])))
end
local wanted = {}
local isWritten = false
for i = 5, #ARGV, 3 do
  if tonumber(redis.call('ZSCORE', KEYS[4], ARGV[i]) or '0') < tonumber(ARGV[i + 1]) then
    if ARGV[i + 2] == '' then
      table.insert(wanted, ARGV[i])
    else
      redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 2])
      redis.call('ZADD', KEYS[4], ARGV[i + 1], ARGV[i])
      isWritten = true
    end
  end
end
if isWritten then redis.call('HSET', KEYS[2], 'whole', revision) end
if isWritten or isChanged then redis.call('ZADD', KEYS[1], revision, ARGV[1]) end
return wanted`);

/**
 * Removes a record that is not newer than a revision. Keys: records, revisions. Arguments: key of the target,
 * revision. Returns 1 when it was removed.
 */
export const removeScript = new Script(`
local revision = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not revision or tonumber(revision) > tonumber(ARGV[2]) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
return 1`);

/**
 * A daemon is alive. Keys: heard, members. Arguments: ID, text about it, how long a silent daemon stays a member.
 * Returns the time, then the ID, the text and the silence in milliseconds of each member.
 */
export const heartbeatScript = new Script(`${clock}
redis.call('ZADD', KEYS[1], text(nowMs), ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
local answer = { text(nowMs) }
local heard = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #heard, 2 do
  local silentMs = nowMs - past(heard[i + 1])
  if silentMs > tonumber(ARGV[3]) then
    redis.call('ZREM', KEYS[1], heard[i])
    redis.call('HDEL', KEYS[2], heard[i])
  else
    table.insert(answer, heard[i])
    table.insert(answer, redis.call('HGET', KEYS[2], heard[i]) or '')
    table.insert(answer, math.max(0, silentMs))
  end
end
return answer`);
