/** Manifests of Kubernetes, held against schemas and the Pod Security Standards. */
import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ScrapeConfig } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1/ScrapeConfig';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { AlertmanagerConfig } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1/AlertmanagerConfig';
import { Deployment as DeploymentModel } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap as ConfigMapModel } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Pod as PodModel } from 'kubernetes-models/v1/Pod';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { collectors } from '../../src/collectors/collectors.ts';
import { parseConfig } from '../../src/config/config.ts';
import { temporaryDirectory } from './directories.ts';
import { runProgram } from './run-program.ts';

/** An object of Kubernetes. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Manifest = any;

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
  readonly livenessProbe?: { readonly httpGet: unknown };
  readonly startupProbe?: { readonly httpGet: unknown };
}

/** With what the tests look at. */
export interface Pod {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
  readonly securityContext: unknown;
}

/** The output of `kubectl kustomize`. */
export function kustomize(directory: string): Manifest[] {
  return manifestsOf(
    execFileSync('sh', ['.config/tool', 'kubectl', 'kustomize', directory], { encoding: 'utf8' }),
  );
}

/** The objects of a text, read with the YAML version that kubectl and helm use. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).map((document): Manifest => document.toJS());
}

const operator = '@kubernetes-models/prometheus-operator';

/** Each allowed kind, and the module with its schema. */
const kinds = {
  AlertmanagerConfig: [
    AlertmanagerConfig,
    `${operator}/monitoring.coreos.com/v1alpha1/AlertmanagerConfig`,
  ],
  ConfigMap: [ConfigMapModel, 'kubernetes-models/v1/ConfigMap'],
  Deployment: [DeploymentModel, 'kubernetes-models/apps/v1/Deployment'],
  Namespace: [Namespace, 'kubernetes-models/v1/Namespace'],
  NetworkPolicy: [NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'],
  PersistentVolumeClaim: [PersistentVolumeClaim, 'kubernetes-models/v1/PersistentVolumeClaim'],
  Pod: [PodModel, 'kubernetes-models/v1/Pod'],
  PodDisruptionBudget: [PodDisruptionBudget, 'kubernetes-models/policy/v1/PodDisruptionBudget'],
  PodMonitor: [PodMonitor, `${operator}/monitoring.coreos.com/v1/PodMonitor`],
  PrometheusRule: [PrometheusRule, `${operator}/monitoring.coreos.com/v1/PrometheusRule`],
  ScrapeConfig: [ScrapeConfig, `${operator}/monitoring.coreos.com/v1alpha1/ScrapeConfig`],
  Service: [Service, 'kubernetes-models/v1/Service'],
  ServiceAccount: [ServiceAccount, 'kubernetes-models/v1/ServiceAccount'],
  ServiceMonitor: [ServiceMonitor, `${operator}/monitoring.coreos.com/v1/ServiceMonitor`],
  StatefulSet: [StatefulSet, 'kubernetes-models/apps/v1/StatefulSet'],
} as const;

/** The schema of PrometheusRule does not have this field. The operator has it since 0.64. */
const newerThanSchemas = new Set(['keep_firing_for']);

/**
 * The mistakes in manifests: types, required fields, enums, quantities, and fields that no schema has. A cluster drops
 * such fields, at most with a warning, and the schemas accept them; the TypeScript compiler refuses them in a literal
 * of the type of its schema.
 */
export async function schemaErrors(manifests: readonly Manifest[]): Promise<string[]> {
  const literals = manifests.map((manifest, index) => {
    const [Model, module] = kinds[manifest.kind as keyof typeof kinds];
    new Model(manifest as never).validate();
    const type = `import('${module}').I${manifest.kind}`;
    const literal = JSON.stringify(manifest, (key: string, value: unknown) =>
      newerThanSchemas.has(key) ? undefined : value,
    );
    return `export const manifest${index}: ${type} = ${literal};\n`;
  });
  return compileErrors(literals.join(''));
}

/** The errors of the compiler about a module, one per line. */
async function compileErrors(text: string): Promise<string[]> {
  const modules = join(import.meta.dirname, '../../node_modules');
  const directory = await temporaryDirectory();
  await symlink(modules, join(directory, 'node_modules'));
  const file = join(directory, 'manifests.ts');
  await writeFile(file, text);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  const scope = ['--ignoreConfig', '--lib', 'es5', '--types', '', '--pretty', 'false'];
  try {
    await runProgram(join(modules, '.bin/tsc'), [...options, ...scope, file]);
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.trim().split(/\n(?! )/);
  }
}

/** Expects the profile "restricted" of the Pod Security Standards, and a root file system that is read-only. */
export function expectRestricted(pod: Pod): void {
  expect(JSON.stringify(pod)).not.toMatch(/"(host(Path|Port|Network|PID|IPC)|sysctls)"/);
  expect(pod.securityContext).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of containersOf(pod)) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
}

/** The only object of a kind. */
export function ofKind(manifests: readonly Manifest[], kind: string): Manifest {
  const [found, ...others] = manifests.filter((manifest) => manifest.kind === kind);
  if (found === undefined || others.length > 0) throw new Error(`not exactly one ${kind}`);
  return found;
}

/** The pods of the only Deployment. */
export function podOf(manifests: readonly Manifest[]): Pod {
  return ofKind(manifests, 'Deployment').spec.template.spec as Pod;
}

/** The configuration in a ConfigMap. */
export function configOf(manifests: readonly Manifest[]) {
  const text = manifests.find(({ data }) => data?.['config.yaml'])?.data['config.yaml'] as string;
  return parseConfig(text, 'config.yaml', collectors);
}

export function containersOf({ initContainers = [], containers }: Pod): Container[] {
  return [...initContainers, ...containers];
}

export function daemonOf(pod: Pod): Container {
  return containersOf(pod).find(({ name }) => name === 'cvm-quota-monitor')!;
}

/** The volume of the daemon at a path. */
export function mountedAt(pod: Pod, path: string): unknown {
  const mount = daemonOf(pod).volumeMounts?.find(({ mountPath }) => mountPath === path);
  return pod.volumes.find(({ name }) => name === mount?.name);
}

/** The pod selectors of all objects. */
export function podSelectors(manifests: readonly Manifest[]): Record<string, string>[] {
  return manifests
    .map(({ spec = {} }) => spec.podSelector ?? spec.selector)
    .filter((selector) => selector !== undefined)
    .map((selector) => selector.matchLabels ?? selector);
}

/** The named ports that objects refer to. */
export function namedPorts(manifests: readonly Manifest[]): Set<string> {
  const references = JSON.stringify(manifests).matchAll(/"(?:port|targetPort)":"(\w+)"/g);
  return new Set([...references].map(([, port]) => port!));
}
