import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'

/** Writes PEM files to a folder: an authority, and a certificate of localhost that it signed, with its key. Needs openssl. */
export function makeCertificate(folder: string) {
  const file = (name: string) => join(folder, name)
  const [caFile, caKeyFile] = [file('ca.pem'), file('ca-key.pem')]
  const [certFile, keyFile] = [file('cert.pem'), file('key.pem')]
  const openssl = (...args: readonly string[]) => runCommand('openssl', args)
  const fresh = ['-newkey', 'rsa:2048', '-nodes', '-days', '2']
  openssl('req', '-x509', ...fresh, '-subj', '/CN=Test authority', '-keyout', caKeyFile, '-out', caFile)
  openssl('req', ...fresh.slice(0, 3), '-subj', '/CN=localhost', '-keyout', keyFile, '-out', file('request.pem'))
  writeFileSync(file('names.txt'), 'subjectAltName=DNS:localhost,IP:127.0.0.1')
  const signed = ['-CA', caFile, '-CAkey', caKeyFile, '-CAcreateserial', '-days', '2', '-extfile', file('names.txt')]
  openssl('x509', '-req', '-in', file('request.pem'), ...signed, '-out', certFile)
  const storeFile = file('store.pem')
  writeFileSync(storeFile, readFileSync(keyFile, 'utf8') + readFileSync(certFile, 'utf8'))
  return { caFile, certFile, keyFile, storeFile }
}
