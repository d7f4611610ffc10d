/** Decides whether a client may go on after its handshake. */
import type { X509Certificate } from 'node:crypto';
import { SocketAddress, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { TlsConfig } from './web-config.ts';

/** How Node.js must ask for a certificate. */
export function requestOf({ clientAuth }: TlsConfig) {
  return {
    requestCert: clientAuth !== 'NoClientCert',
    rejectUnauthorized: clientAuth === 'RequireAndVerifyClientCert',
  };
}

/** Whether the certificate of the client, or its absence, is as the configuration wants it. */
export function isAccepted(tls: TlsConfig, socket: TLSSocket): boolean {
  try {
    return hasAcceptedCertificate(tls, socket);
  } catch {
    // Node.js cannot read the certificate.
    return false;
  }
}

function hasAcceptedCertificate(
  { clientAuth, allowedSans }: TlsConfig,
  socket: TLSSocket,
): boolean {
  if (clientAuth === 'NoClientCert') return true;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) {
    return !clientAuth.startsWith('Require') && allowedSans === null;
  }
  if (clientAuth.includes('Verify') && !socket.authorized) return false;
  return allowedSans === null || sansOf(certificate).some((san) => allowedSans.includes(san));
}

const sanKinds = new Set(['DNS', 'email', 'IP Address', 'URI']);

/** A name with a comma or a quote is quoted as in JSON. */
const sanPattern = /([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy;

/** The names of a certificate: DNS names, addresses, e-mail addresses and URIs. */
export function sansOf({ subjectAltName = '' }: Pick<X509Certificate, 'subjectAltName'>): string[] {
  return [...subjectAltName.matchAll(sanPattern)].flatMap(([, kind = '', value = '']) => {
    if (!sanKinds.has(kind)) return [];
    const name = value.startsWith('"') ? String(JSON.parse(value)) : value;
    return [kind === 'IP Address' && isIPv6(name) ? shortened(name) : name];
  });
}

/** The usual form of an IPv6 address, such as `::1`. */
function shortened(address: string): string {
  return new SocketAddress({ address, family: 'ipv6' }).address;
}
