/** Renders manifests with kubectl, without a cluster. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { hasProgram } from './programs.ts';

/** An object of Kubernetes. Its form is not checked yet. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

/**
 * Whether {@link kustomize} can run: kubectl is installed, or can be extracted from the Debian package. The
 * package is never installed, because it conflicts with the kubectl of Kubernetes' own repository.
 */
export function hasKubectl(): boolean {
  return onPath('kubectl') || hasProgram('apt-get', 'apt');
}

/** The output of `kubectl kustomize`, read with the YAML version that kubectl uses. */
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
