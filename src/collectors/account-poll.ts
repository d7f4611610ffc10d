/** Polls the targets of one account, and finds out which account of the service answered. */
import { AccountIdentity, Signers } from '../api/account-identity.ts';
import { LastAnswer } from '../api/last-answer.ts';
import type { ServiceCall } from '../api/retrying-call.ts';
import type { PollAnswer, PollContext } from '../model/poll-outcome.ts';
import type { Target } from '../model/target.ts';
import { unlessAborted } from '../model/unless-aborted.ts';
import type { Collector } from './collector.ts';
import type { CollectorSet } from './collector-set.ts';

/**
 * Asks the service about a target.
 *
 * @throws CodedError with the service's code or one of ours
 * @throws the signal's reason when the signal aborts
 */
export type AccountPoll = (
  target: Target,
  context: Omit<PollContext, 'onSigned' | 'isUnchanged'>,
) => Promise<PollAnswer>;

/**
 * The poll of one account.
 *
 * An answer without an AppId gets the AppId that is known for its key. If the AppId is unknown and the
 * answer seems to contain a change, the service is asked for the AppId once. The reason: the credentials
 * may now belong to another account.
 */
export function createAccountPoll(call: ServiceCall, collectors: CollectorSet): AccountPoll {
  const identity = new AccountIdentity();
  /** Only of a kind that this account watches: its policy need not allow any other request. */
  let askAppId: Collector['askAppId'];
  const lastAnswers = new WeakMap<Target, LastAnswer<PollAnswer>>();
  /** By the answer without AppId. The same answer gives the same object, which is not compared again. */
  const completed = new WeakMap<PollAnswer, PollAnswer>();

  const lastAnswerOf = (target: Target) => {
    const last = lastAnswers.get(target) ?? new LastAnswer();
    lastAnswers.set(target, last);
    return last;
  };

  const withAppId = (answer: PollAnswer, appId: number) => {
    const known = completed.get(answer);
    if (known?.snapshot.appId === appId) return known;
    const next = { ...answer, snapshot: { ...answer.snapshot, appId } };
    completed.set(answer, next);
    return next;
  };

  const poll: AccountPoll = async (target, context) => {
    const collector = collectors.of(target);
    askAppId ??= collector.askAppId;
    const ask = askAppId;
    const signers = new Signers();
    const answer = await lastAnswerOf(target).during((isUnchanged) =>
      collector.poll(call, target, { onSigned: signers.add, isUnchanged, ...context }),
    );
    const { snapshot } = answer;
    const { secretId } = signers;
    if (snapshot.appId !== null) {
      identity.learn(secretId, snapshot.appId);
      return answer;
    }
    const known = identity.appIdOf(secretId);
    const mustAsk = known === null && ask !== undefined && context.findsChange?.(snapshot) === true;
    const appId = mustAsk
      ? await identity.ask(secretId, context.signal, (onSigned) =>
          ask(call, target.region, { ...context, onSigned }),
        )
      : known;
    return appId === null ? answer : withAppId(answer, appId);
  };

  // A poll may wait for credentials, which do not know its signal.
  return (target, context) => unlessAborted(poll(target, context), context.signal);
}
