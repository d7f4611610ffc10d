/** A real Prometheus scrapes a daemon with TLS, users and client certificates. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tlsConfigFile } from '../../support/certificate-authority.ts';
import { emulate } from '../../support/emulator.ts';
import { configOf, spawnDaemon } from '../../support/program.ts';
import { hasProgram } from '../../support/programs.ts';
import { PrometheusApi } from '../../support/prometheus/prometheus-api.ts';
import { startPrometheus } from '../../support/prometheus/servers.ts';

test.runIf(hasProgram('prometheus', 'prometheus') && hasProgram('openssl', 'openssl'))(
  'Prometheus scrapes over TLS 1.2 and 1.3 with its user and its certificate, and no other client does',
  async () => {
    const login = { username: 'prometheus', password: 'right' };
    const wrong = { ...login, password: 'wrong' };
    // Whether their scrapes succeed.
    const jobs = [
      { name: 'tls-1.2', isUp: true, version: 'TLS12', login, certificate: 'prometheus' },
      { name: 'tls-1.3', isUp: true, version: 'TLS13', login, certificate: 'prometheus' },
      { name: 'no-user', isUp: false, version: 'TLS13', login: wrong, certificate: 'prometheus' },
      { name: 'no-certificate', isUp: false, version: 'TLS12', login, certificate: null },
    ];
    const { authority, file: webConfig } = await tlsConfigFile(
      { prometheus: 'right' },
      {
        client_ca_file: 'authority.crt',
        client_auth_type: 'RequireAndVerifyClientCert',
      },
    );
    authority.issue('prometheus', 'clientAuth', 'DNS:prometheus.example.com');
    const emulator = await emulate();
    const daemon = await spawnDaemon({
      config: configOf(emulator, {}),
      flags: [`--web.config.file=${webConfig}`],
    });
    const address = (await daemon.url()).replace('https://', '');
    const file = (name: string) => join(authority.directory, name);
    const prometheusFile = file('prometheus.yaml');
    await writeFile(
      prometheusFile,
      JSON.stringify({
        global: { scrape_interval: '1s' },
        scrape_configs: jobs.map(({ name, version, login, certificate }) => ({
          job_name: name,
          scheme: 'https',
          static_configs: [{ targets: [address] }],
          basic_auth: login,
          tls_config: {
            ca_file: authority.file,
            min_version: version,
            max_version: version,
            ...(certificate !== null && {
              cert_file: file(`${certificate}.crt`),
              key_file: file(`${certificate}.key`),
            }),
          },
        })),
      }),
    );

    const prometheus = new PrometheusApi(await startPrometheus(prometheusFile));

    const ups = async () =>
      Object.fromEntries(
        (await prometheus.query('up')).map(({ metric, value: [, up] }) => [metric.job, up === '1']),
      );
    await expect.poll(ups).toEqual(Object.fromEntries(jobs.map(({ name, isUp }) => [name, isUp])));
    expect(await prometheus.numbers('sum(cvm_quota_limit) by (job) > bool 0')).toEqual([1, 1]);
  },
);
