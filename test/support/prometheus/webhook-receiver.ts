/** Receives the notifications of Alertmanager. */
import { text } from 'node:stream/consumers';
import { listenLocally } from './local-server.ts';

/** One alert of a notification. */
export interface Notification {
  /** The path of the notification: the name of the receiver. */
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface WebhookReceiver {
  /** `host:port`. */
  readonly address: string;
  /** The notifications of an alert, oldest first. */
  readonly of: (alertname: string) => readonly Notification[];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const notifications: Notification[] = [];
  const address = await listenLocally((request, response) => {
    void text(request).then((body) => {
      const { alerts } = JSON.parse(body) as { alerts: Omit<Notification, 'receiver'>[] };
      const receiver = (request.url ?? '').slice(1);
      notifications.push(...alerts.map((alert) => ({ ...alert, receiver })));
      response.end();
    });
  });
  return {
    address,
    of: (alertname) => notifications.filter(({ labels }) => labels.alertname === alertname),
  };
}
