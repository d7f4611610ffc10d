/**
 * Creates a certificate for the emulator at its start, with its own authority (RFC 5280). Node.js can sign,
 * but cannot create certificates, so this file writes their DER.
 */
import {
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface MadeCertificate {
  /** The certificate and its key, in PEM. */
  readonly cert: string;
  readonly key: string;
  /** The certificate of the authority, in PEM. Clients that trust it also trust the emulator. */
  readonly authority: string;
}

/** @param hosts names, IPv4 addresses and `::1` that clients may use */
export function makeCertificate(hosts: readonly string[]): MadeCertificate {
  const authority = newKeys();
  const server = newKeys();
  const authorityName = 'cvm-quota-monitor emulator authority';
  return {
    authority: certificate({
      issuer: authorityName,
      issuerKey: authority.privateKey,
      subject: authorityName,
      publicKey: authority.publicKey,
      extensions: [
        extension('551d13', sequence(tlv(0x01, Buffer.from([0xff]))), true),
        extension('551d0f', tlv(0x03, Buffer.from([0x02, 0x04])), true),
        extension('551d0e', tlv(0x04, keyId(authority.publicKey))),
      ],
    }),
    cert: certificate({
      issuer: authorityName,
      issuerKey: authority.privateKey,
      subject: 'cvm-quota-monitor emulator',
      publicKey: server.publicKey,
      extensions: [
        extension('551d13', sequence(), true),
        extension('551d0f', tlv(0x03, Buffer.from([0x07, 0x80])), true),
        extension('551d25', sequence(oid('2b06010505070301'))),
        extension('551d23', sequence(tlv(0x80, keyId(authority.publicKey)))),
        extension('551d11', sequence(...hosts.map(alternativeName))),
      ],
    }),
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

interface CertificateParts {
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** Valid for every time that the clock of a test can have. */
const validity = ['000101000000Z', '491231235959Z'].map((time) => tlv(0x17, Buffer.from(time)));

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

function certificate(parts: CertificateParts): string {
  const serial = randomBytes(16);
  serial[0] = 0x40 | (serial.readUInt8(0) & 0x3f);
  const toSign = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, serial),
    ecdsaWithSha256,
    distinguishedName(parts.issuer),
    sequence(...validity),
    distinguishedName(parts.subject),
    parts.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...parts.extensions)),
  );
  const signature = sign('sha256', toSign, parts.issuerKey);
  const der = sequence(toSign, ecdsaWithSha256, bitString(signature));
  const lines = der.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function newKeys(): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function keyId(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function distinguishedName(commonName: string): Buffer {
  const name = sequence(oid('550403'), tlv(0x0c, Buffer.from(commonName)));
  return sequence(tlv(0x31, name));
}

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return tlv(0x87, Buffer.from(host.split('.').map(Number)));
  return host === '::1' ? tlv(0x87, Buffer.from([...Array<number>(15).fill(0), 1])) : dnsName(host);
}

function dnsName(host: string): Buffer {
  return tlv(0x82, Buffer.from(host));
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [tlv(0x01, Buffer.from([0xff]))] : [];
  return sequence(oid(id), ...critical, tlv(0x04, value));
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'));
}

function bitString(content: Buffer): Buffer {
  return tlv(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tlv(0x30, ...content);
}

/** A DER element: tag, length, value. */
function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}
