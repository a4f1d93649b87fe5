import type { ServerTls } from '../clickhouse/client/server-store.ts'
import type { KafkaLogOptions } from '../log/kafka/client.ts'
import type { Config } from './config.ts'
import { readNamedFile, readSecret } from './secret-files.ts'

/**
 * Reads the TLS files and credentials for Kafka that the settings name. Rejects with a `StartError` if a file is
 * unreadable.
 */
export async function readKafkaAccess(config: Config): Promise<Pick<KafkaLogOptions, 'ssl' | 'sasl'>> {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username } = config
  const password = await readSecret(
    config.KAFKA_SASL_PASSWORD,
    config.KAFKA_SASL_PASSWORD_FILE,
    'KAFKA_SASL_PASSWORD_FILE',
  )
  const tls = await readTls(config, 'KAFKA')
  return {
    ...(config.KAFKA_TLS === '1' && { ssl: { ...(tls.ca && { ca: [tls.ca] }), ...tls.client } }),
    ...(mechanism !== '' && { sasl: { mechanism, username, password } }),
  }
}

/**
 * Reads the TLS files and credentials for ClickHouse that the settings name. Rejects with a `StartError` if a file is
 * unreadable.
 */
export async function readClickhouseAccess(
  config: Config,
): Promise<{ readonly username: string; readonly password: string; readonly tls?: ServerTls }> {
  const password = await readSecret(
    config.CLICKHOUSE_PASSWORD,
    config.CLICKHOUSE_PASSWORD_FILE,
    'CLICKHOUSE_PASSWORD_FILE',
  )
  const { ca, client } = await readTls(config, 'CLICKHOUSE')
  const access = { username: config.CLICKHOUSE_USER, password }
  return ca ? { ...access, tls: { ca, ...(client && { client }) } } : access
}

interface Tls {
  readonly ca: Buffer | null
  readonly client: { readonly cert: Buffer; readonly key: Buffer } | null
}

async function readTls(config: Config, server: 'KAFKA' | 'CLICKHOUSE'): Promise<Tls> {
  const read = async (name: 'CA' | 'CERT' | 'KEY') => {
    const variable = `${server}_TLS_${name}_FILE` as const
    const path = config[variable]
    return path === null ? null : readNamedFile(path, variable)
  }
  const [ca, cert, key] = await Promise.all([read('CA'), read('CERT'), read('KEY')])
  return { ca, client: cert && key ? { cert, key } : null }
}
