/** Turns a file of rule tests of promtool into the same for two daemons that serve the same series. */

interface RuleTest {
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly alert_rule_test?: readonly { readonly exp_alerts: readonly ExpectedAlert[] }[];
  readonly promql_expr_test?: readonly { readonly exp_samples: readonly ExpectedSample[] }[];
}
interface ExpectedAlert {
  readonly exp_labels: Readonly<Record<string, string>>;
  readonly exp_annotations: Readonly<Record<string, string>>;
}
interface ExpectedSample {
  readonly labels: string;
  /** A number, as a text before the change. */
  readonly value: string | number;
}
export interface RuleTestFile {
  readonly tests: readonly RuleTest[];
}

/**
 * Each series exists once more, from another daemon in another pod. What names no daemon stays as it is expected:
 * two daemons must not change it. What names one is expected of the other one too.
 */
export function forTwoDaemons<File extends RuleTestFile>(file: File): File {
  return {
    ...file,
    tests: file.tests.map((test) => ({
      ...test,
      input_series: test.input_series.flatMap(({ series, values }) => [
        { series, values },
        { series: twinOfSeries(series), values },
      ]),
      alert_rule_test: (test.alert_rule_test ?? []).map((expectation) => ({
        ...expectation,
        exp_alerts: expectation.exp_alerts.flatMap((alert) => [alert, ...twinOfAlert(alert)]),
      })),
      promql_expr_test: (test.promql_expr_test ?? []).map((expectation) => ({
        ...expectation,
        exp_samples: expectation.exp_samples.flatMap(({ labels, value }) =>
          [...new Set([labels, withTwinInstance(labels)])].map((each) => ({
            labels: each,
            value: Number(value),
          })),
        ),
      })),
    })),
  };
}

function withTwinInstance(labels: string): string {
  return labels.replace(/\binstance="([^"]+)"/, 'instance="twin-of-$1"');
}

function twinOfSeries(series: string): string {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  const withoutPod = labels.replace(/,pod="[^"]*"/, '');
  const twin = withoutPod.includes('instance=')
    ? withTwinInstance(withoutPod)
    : [withoutPod, 'instance="twin"'].filter((part) => part !== '').join(',');
  return `${name}{${twin},pod="twin"}`;
}

function twinOfAlert({ exp_labels: labels, exp_annotations: annotations }: ExpectedAlert) {
  const { instance } = labels;
  if (instance === undefined) return [];
  const twin = `twin-of-${instance}`;
  return [
    {
      exp_labels: { ...labels, instance: twin, pod: 'twin' },
      exp_annotations: Object.fromEntries(
        Object.entries(annotations).map(([name, text]) => [name, text.replaceAll(instance, twin)]),
      ),
    },
  ];
}
