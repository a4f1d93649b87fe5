import type { ConnectorsPort } from '../api/ports/ports.ts'
import { SourceError } from '../connect/source/source.ts'
import type { ConnectorRecord } from '../schema/records/connector.ts'
import { connectorSecretNames, type ConnectorSecrets } from '../schema/records/connector-secrets.ts'
import { AllowedNetworks } from '../shared/allowed-networks.ts'
import { SecretBox } from '../shared/secret-box.ts'
import type { Config } from './config.ts'
import { readNamedFile } from './secret-files.ts'
import { SecretFolder } from './secret-folder.ts'
import { StartError } from './start-error.ts'

const variable = 'TAKT_CONNECT_SECRET_FILE'
const minSecretBytes = 32

/** Secrets and addresses of connectors in this process. */
interface ConnectorAccess extends Omit<ConnectorsPort, 'connectorHealth'> {
  readonly secretFolder: SecretFolder
}

/**
 * Returns the secrets and addresses of connectors according to the settings. Rejects if the key is too short, or if a
 * file or folder cannot be read.
 */
export async function configureConnectors(config: Config): Promise<ConnectorAccess> {
  const secretFolder = await SecretFolder.open(config.TAKT_CONNECT_SECRETS)
  return {
    connectorSecrets: await readSecretBox(config[variable]),
    secretFolder,
    hasSecretFolder: secretFolder.isSet,
    connectorNetworks: new AllowedNetworks(config.TAKT_CONNECT_ALLOW),
  }
}

async function readSecretBox(path: string | null): Promise<SecretBox | null> {
  if (path === null) return null
  const secret = await readNamedFile(path, variable)
  if (secret.length >= minSecretBytes) return new SecretBox(secret)
  throw new StartError(
    `The file ${path} of ${variable} has ${secret.length} bytes, but at least ${minSecretBytes} are required.\n` +
      `What to do: create it with \`openssl rand -base64 48 > ${path}\`.`,
  )
}

/**
 * Returns the secrets of a connector in clear text. Rejects with a `SourceError` if one was encrypted with another key, or
 * a file cannot be read.
 */
export async function readSecrets(
  { id, companyId, secrets }: ConnectorRecord,
  { connectorSecrets: box, secretFolder }: Pick<ConnectorAccess, 'connectorSecrets' | 'secretFolder'>,
): Promise<ConnectorSecrets> {
  const decrypted = connectorSecretNames.flatMap(name => {
    const sealed = secrets[name]
    if (sealed === undefined) return []
    if (box?.isReadable(sealed) !== true)
      throw new SourceError(`${variable} is not the key with which a secret was encrypted`, 'secret_unavailable')
    return [[name, box.decrypt(sealed, `${companyId}/${id}/${name}`)] as const]
  })
  return { ...Object.fromEntries(decrypted), ...(await secretFolder.read(companyId, secrets)) }
}
