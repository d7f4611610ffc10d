{{- define "cvm-quota-monitor.name" -}}
{{- $release := .Release.Name }}
{{- if not (contains "cvm-quota-monitor" $release) }}{{ $release = printf "%s-cvm-quota-monitor" $release }}{{ end }}
{{- .Values.fullnameOverride | default $release | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "cvm-quota-monitor.labels" -}}
app.kubernetes.io/name: cvm-quota-monitor
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cvm-quota-monitor.valkeyLabels" -}}
app.kubernetes.io/name: valkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cvm-quota-monitor.metadata" -}}
name: {{ include "cvm-quota-monitor.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "cvm-quota-monitor.labels" . | nindent 2 }}
{{- end }}

{{- define "cvm-quota-monitor.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "cvm-quota-monitor.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{- define "cvm-quota-monitor.image" -}}
{{- with .Values.image }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ with .digest }}@{{ . }}{{ end }}{{ end }}
{{- end }}

{{- /* The text of the configuration. */}}
{{- define "cvm-quota-monitor.config" -}}
{{- $text := .Values.config }}
{{- if not (kindIs "string" $text) }}{{ $text = toYaml $text }}{{ end }}
{{- if regexMatch "(?m)^[\"']?cluster[\"']?:" $text }}{{ fail "config: `cluster` is made from the values `cluster`; leave it out" }}{{ end }}
{{- $text | trimSuffix "\n" }}
{{- if .Values.cluster.enabled }}
cluster:
  name: {{ .Values.cluster.name }}
  redis:
    url: {{ include "cvm-quota-monitor.redisUrl" . }}
    {{- with .Values.cluster.redis }}
    {{- with .username }}
    username: {{ . }}
    {{- end }}
    password_file: /var/run/secrets/valkey/password
    {{- if .caKey }}
    ca_file: /var/run/secrets/valkey/ca.crt
    {{- end }}
    {{- end }}
{{- end }}
{{ end }}

{{- define "cvm-quota-monitor.redisUrl" -}}
{{- if .Values.valkey.enabled }}redis://{{ .Values.valkey.fullname }}:6379/0
{{- else }}{{ required "cluster.redis.url is needed, or valkey.enabled=true" .Values.cluster.redis.url }}
{{- end }}
{{- end }}

{{- /* Its name ends with a hash of its content: a changed configuration replaces the pods. */}}
{{- define "cvm-quota-monitor.configMap" -}}
{{- if and .Values.existingConfigMap .Values.config }}{{ fail "set config or existingConfigMap, not both" }}{{ end }}
{{- if .Values.existingConfigMap }}{{ .Values.existingConfigMap }}
{{- else if .Values.config }}{{ include "cvm-quota-monitor.name" . }}-{{ include "cvm-quota-monitor.config" . | sha256sum | trunc 10 }}
{{- else }}{{ fail "no configuration: write --set-file config=config.yaml, or set existingConfigMap" }}{{ include "cvm-quota-monitor.name" . }}
{{- end }}
{{- end }}
