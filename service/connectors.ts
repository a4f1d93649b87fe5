import type { ConnectorsPort } from '../api/ports/ports.ts'
import { AllowedNetworks } from '../shared/allowed-networks.ts'
import { SecretBox } from '../shared/secret-box.ts'
import type { Config } from './config.ts'
import { readNamedFile } from './secret-files.ts'
import { StartError } from './start-error.ts'

const variable = 'TAKT_CONNECT_SECRET_FILE'
const minSecretBytes = 32

/** Returns the secrets and addresses of connectors according to the settings. Rejects if the key is too short. */
export async function configureConnectors(config: Config): Promise<Omit<ConnectorsPort, 'connectorHealth'>> {
  return {
    connectorSecrets: await readSecretBox(config[variable]),
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
