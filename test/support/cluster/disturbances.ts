/** What can happen to a cluster. Each disturbance resolves when it is over; the cluster may still recover. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { ClusterWorld } from './cluster-world.ts';

export interface DisturbedWorld extends ClusterWorld {
  readonly random: Random;
  readonly lockMs: number;
}

type Disturbance = (world: DisturbedWorld) => Promise<void>;

export const disturbances = {
  /** A daemon crashes, and starts again. */
  kill: async ({ lockMs, members, random }) => {
    const member = random.pick(members);
    await member.kill();
    await delay(random.next() * 2 * lockMs);
    await member.start();
  },
  /** A daemon stands still for longer than its lock, and goes on. */
  suspend: async ({ lockMs, members, random }) => {
    const member = random.pick(members);
    member.suspend();
    await delay(3 * lockMs);
    member.resume();
  },
  /** Redis crashes, and starts again. */
  redis: async ({ random, redis }) => {
    await redis.kill();
    await delay(random.next() * 1_500);
    await redis.restart();
  },
  /** The connections of a daemon to Redis break, and it gets no others for a time. */
  cut: async ({ lockMs, members, random }) => {
    const { network } = random.pick(members);
    network.cut();
    await delay(random.next() * 2 * lockMs);
    network.heal();
  },
  /** What a daemon and Redis send to each other arrives late. */
  hold: async ({ lockMs, members, random }) => {
    const { network } = random.pick(members);
    network.hold();
    await delay(random.next() * 3 * lockMs);
    network.heal();
  },
} satisfies Record<string, Disturbance>;

export type DisturbanceName = keyof typeof disturbances;
export const disturbanceNames = Object.keys(disturbances) as DisturbanceName[];
