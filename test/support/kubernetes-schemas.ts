/** Validates manifests with the schemas of Kubernetes and of the Prometheus operator. */
import { AlertmanagerConfig } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1/AlertmanagerConfig';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from './directories.ts';
import type { Manifest } from './kubectl.ts';
import { runProgram } from './run-program.ts';

const operator = '@kubernetes-models/prometheus-operator';

/** Each allowed kind, and the module with its schema. */
const kinds = {
  AlertmanagerConfig: [
    AlertmanagerConfig,
    `${operator}/monitoring.coreos.com/v1alpha1/AlertmanagerConfig`,
  ],
  ConfigMap: [ConfigMap, 'kubernetes-models/v1/ConfigMap'],
  Deployment: [Deployment, 'kubernetes-models/apps/v1/Deployment'],
  Namespace: [Namespace, 'kubernetes-models/v1/Namespace'],
  NetworkPolicy: [NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'],
  PersistentVolumeClaim: [PersistentVolumeClaim, 'kubernetes-models/v1/PersistentVolumeClaim'],
  PodDisruptionBudget: [PodDisruptionBudget, 'kubernetes-models/policy/v1/PodDisruptionBudget'],
  PodMonitor: [PodMonitor, `${operator}/monitoring.coreos.com/v1/PodMonitor`],
  PrometheusRule: [PrometheusRule, `${operator}/monitoring.coreos.com/v1/PrometheusRule`],
  Service: [Service, 'kubernetes-models/v1/Service'],
  ServiceMonitor: [ServiceMonitor, `${operator}/monitoring.coreos.com/v1/ServiceMonitor`],
  StatefulSet: [StatefulSet, 'kubernetes-models/apps/v1/StatefulSet'],
} as const;

const isKnown = (kind: string): kind is keyof typeof kinds => Object.hasOwn(kinds, kind);

/** The schema of PrometheusRule does not have this field. The operator has it since 0.64. */
const newerThanSchemas = new Set(['keep_firing_for']);

/** The mistakes in the values of one manifest: types, required fields, enums, quantities. */
export function schemaErrors(manifest: Manifest): string[] {
  const { apiVersion, kind, metadata } = manifest;
  if (!isKnown(kind)) return [`${kind} ${metadata.name}: no schema`];
  const [Model] = kinds[kind];
  if (apiVersion !== Model.apiVersion) return [`${kind} ${metadata.name}: not in ${apiVersion}`];
  try {
    new Model(manifest as never).validate();
    return [];
  } catch (error) {
    return [`${kind} ${metadata.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/**
 * Fields that no schema has. A cluster drops these, at most with a warning, and the schemas accept them. The
 * TypeScript compiler refuses them if a manifest is a literal of the type of its schema.
 */
export async function unknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const known = manifests.filter(({ kind }) => isKnown(kind));
  const source = known.map((manifest, index) => {
    const [, module] = kinds[manifest.kind as keyof typeof kinds];
    const type = `import('${module}').I${manifest.kind}`;
    const literal = JSON.stringify(manifest, (key: string, value: unknown) =>
      newerThanSchemas.has(key) ? undefined : value,
    );
    return `export const manifest${index}: ${type} = ${literal};\n`;
  });
  return compileErrors(source.join(''));
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
