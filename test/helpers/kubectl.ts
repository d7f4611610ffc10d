/** Renders manifests with kubectl; no cluster is asked. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { hasProgram } from './programs.ts';

/** An object of Kubernetes, before it is known to be of the right form. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/**
 * Whether {@link kustomize} can run: kubectl is there, or can be taken from Debian's package. That
 * is never installed, because it clashes with the kubectl of Kubernetes' own repository.
 */
export function hasKubectl(): boolean {
  return onPath('kubectl') || hasProgram('apt-get', 'apt');
}

/** What `kubectl apply -k` would send to the cluster, read as the version of YAML that it reads. */
export function kustomize(directory: string): Manifest[] {
  const program = onPath('kubectl') ? 'kubectl' : debianKubectl();
  const rendered = execFileSync(program, ['kustomize', directory], { encoding: 'utf8' });
  return parseAllDocuments(rendered, { version: '1.1' }).map((document) => {
    const manifest: Manifest = document.toJS();
    return manifest;
  });
}

function onPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v "${program}"`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function debianKubectl(): string {
  const directory = join(tmpdir(), 'cvm-quota-monitor-kubectl');
  const program = join(directory, 'usr/bin/kubectl');
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true });
  execFileSync('apt-get', ['download', 'kubernetes-client'], { cwd: directory, stdio: 'ignore' });
  const archive = readdirSync(directory).find((name) => name.endsWith('.deb'));
  execFileSync('dpkg-deb', ['--extract', join(directory, archive ?? ''), directory]);
  return program;
}
