/** The command `print-policy`: the access policies with the least privileges. `init` prints the policy that a key lacks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { collectors } from '../collectors/collectors.ts';
import { parseConfig, type Config } from '../config/config.ts';
import { accessPolicies, type IdentityPolicies } from '../credentials/policies.ts';
import { planTargets } from '../collectors/plan.ts';
import { messageOf } from '../model/errors.ts';
import { note, printResult, UsageError, type CommandFile } from './command.ts';
import { isSelected, repeatableText } from './options.ts';
import { readConfig } from './read-config.ts';

interface PolicyFlags {
  readonly 'config.file'?: string;
  readonly account?: readonly string[];
  readonly role?: readonly string[];
  readonly directory?: string;
  readonly list?: boolean;
  readonly allRegions?: boolean;
  readonly allTemplates?: boolean;
  readonly launches?: boolean;
}

export const examples: CommandFile['examples'] = [
  [
    'print-policy --config.file=config.yaml',
    'the policy of the only key, to paste into the console',
  ],
  [
    'print-policy --config.file=config.yaml --directory=policies',
    'a file for the policy of each key and role, and for who may assume a role',
  ],
  [
    'print-policy --all-regions --all-templates --launches',
    'before there is a file: the policy of a key that watches everything',
  ],
];

export function define(command: Command): void {
  command
    .option('--config.file <path>', 'what is watched; - is standard input')
    .option('--account <name>', 'only what this account needs; may be repeated', repeatableText)
    .option('--role <arn>', 'only the policies of this role; may be repeated', repeatableText)
    .option('--directory <dir>', 'write each policy to a file of this directory')
    .option('--list', 'print all policies as one list in JSON')
    .option('--all-regions', 'without a file: for every region')
    .option('--all-templates', 'without a file: for every launch template')
    .option('--launches', 'without a file: for what launches need');
}

/**
 * Prints the access policies with the least privileges, in the format of the cloud's access management
 * (docs/service.md, section 12).
 *
 * @throws UsageError when the flags select nothing, do not say what is watched, or select several policies for the console
 */
export async function run(flags: PolicyFlags): Promise<undefined> {
  const { 'config.file': file, account, role, directory, list, ...parts } = flags;
  // Commander leaves out flags that are not given.
  const hasParts = Object.keys(parts).length > 0;
  const hasFlagsOfFile = [account, role, directory, list].some(Boolean);
  if (file === undefined ? hasFlagsOfFile || !hasParts : hasParts) {
    throw new UsageError(
      'name the configuration with --config.file, which --account, --role, --directory and --list go with, or say without one what is watched: --all-regions, --all-templates, --launches',
    );
  }
  if (file === undefined) {
    printResult(jsonText(policyOf(configOf(parts))));
    return;
  }
  const config = await readConfig(file, { readsCaFile: false });
  const policies = policiesOf(config).filter(
    ({ accounts, identity }) =>
      accounts.some((name) => isSelected(account, name)) && isSelected(role, identity),
  );
  if (policies.length === 0) throw new UsageError('--account and --role select no policy');
  if (directory !== undefined) await writePolicies(directory, policies);
  else printPolicies(policies, list);
}

/**
 * Prints one policy, which the console takes, or with `--list` all of them.
 *
 * @throws UsageError if there are several without `--list`
 */
function printPolicies(policies: readonly IdentityPolicies[], isList = false): void {
  const [first, ...others] = policies;
  if (isList || first === undefined) {
    printResult(jsonText(policies));
    return;
  }
  if (others.length > 0) {
    const names = policies.map(({ identity }) => identity).join(', ');
    throw new UsageError(
      `the configuration needs ${policies.length} policies (${names}): --directory writes each to a file, --list prints all, --role and --account select one`,
    );
  }
  printResult(jsonText(first.policy));
  if (first.trust === undefined) return;
  note(`this is the policy of ${first.identity}; --directory or --list has its trust policy, too`);
}

/**
 * Writes each policy, and the trust policy of each role, to a file that the identity names, and prints its path. Of identities
 * that differ only in punctuation, the later ones end with `-2`.
 *
 * @throws UsageError when a file cannot be written
 */
async function writePolicies(directory: string, policies: readonly IdentityPolicies[]) {
  const names: string[] = [];
  for (const { identity, policy, trust } of policies) {
    let name = identity.replaceAll(/[^\w.]+/g, '-');
    while (names.includes(name)) name += '-2';
    names.push(name);
    for (const [kind, value] of Object.entries({ policy, ...(trust && { trust }) })) {
      const path = join(directory, `${name}.${kind}.json`);
      try {
        await mkdir(directory, { recursive: true });
        await writeFile(path, jsonText(value));
      } catch (error) {
        throw new UsageError(`${path} cannot be written: ${messageOf(error)}`);
      }
      printResult(`${path}\n`);
    }
  }
}

/** The configuration that the flags without a file describe: the quotas of a region, and what else they name. */
function configOf({ allRegions, allTemplates, launches = false }: PolicyFlags): Config {
  const keys = {
    ...(allTemplates && { launch_templates: 'all' }),
    // Stock and subnets have targets only where something is launched. The policy is the same for any instance type.
    ...(launches && { instance_types: ['S5.LARGE8'] }),
  };
  const account = {
    name: 'any',
    credentials: { type: 'none' },
    launches,
    regions: allRegions ? keys : [{ name: 'ap-guangzhou', ...keys }],
  };
  return parseConfig(JSON.stringify({ accounts: [account] }), 'flags', collectors);
}

/** The access policy of the first key or role of a configuration. Empty if no account needs a key. */
export function policyOf(config: Config): object {
  return policiesOf(config)[0]?.policy ?? {};
}

/** The policies of every key and role of a configuration, with all that answers may find. */
function policiesOf(config: Config) {
  const targets = planTargets(config, collectors);
  const actionsOf = (account: string) => {
    const actions = targets
      .filter((target) => target.account === account)
      .flatMap((target) => collectors.of(target).actions);
    // Answers may find targets of a further kind if all operations are asked for that the kind follows or waits for.
    const isAsked = (operation: string) =>
      actions.some((action) => action.endsWith(`:${operation}`));
    const foundKinds = collectors.all.filter(
      ({ follows, waitsFor }) => follows.length > 0 && [...follows, ...waitsFor].every(isAsked),
    );
    return [...actions, ...foundKinds.flatMap((collector) => collector.actions)];
  };
  return accessPolicies(config.accounts, actionsOf);
}

/** JSON in the form that the console of access management accepts. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
