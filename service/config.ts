import type { DemoSettings } from '../demo/demo.ts'
import { processRoles, processSettings } from './settings/process-settings.ts'
import { engineSettings } from './settings/engine-settings.ts'
import { requestSettings } from './settings/request-settings.ts'
import { reportSettings } from './settings/report-settings.ts'
import { graphqlSettings } from './settings/graphql-settings.ts'
import { boundSettings } from './settings/bound-settings.ts'
import { liveSettings } from './settings/live-settings.ts'
import { providerSettings } from './settings/provider-settings.ts'
import { readOneOf, type Settings } from './settings/setting.ts'
import { isServiceLink, unknownSettings } from './settings/unknown-settings.ts'

/**
 * The environment, read once: every setting with its default and meaning, in the order of `docs/configuration.md`. They stand in
 * `service/settings/`, one file a subject.
 */
export const settings = {
  ...processSettings,
  ...engineSettings,
  ...requestSettings,
  ...reportSettings,
  ...graphqlSettings,
  ...boundSettings,
  ...liveSettings,
  ...providerSettings,
  TAKT_LOG_LEVEL: {
    default: 'warn',
    meaning: 'What is logged, as lines of JSON on stderr: trace, debug, info, warn, error, fatal or silent.',
    parse: readOneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
} as const satisfies Settings

export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> }

/** Reads every setting; throws one Error that names every fault and every unknown `TAKT_…` variable. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const faults: string[] = []
  const entries = Object.entries(settings).map(([name, setting]) => {
    try {
      const value = isServiceLink(name, env[name]) ? undefined : env[name]
      return [name, setting.parse(value ?? setting.default)]
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return [name, null]
    }
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting was parsed above, or has a fault
  const config = Object.fromEntries(entries) as Config
  // A setting without a value would make others look wrong.
  if (faults.length === 0) faults.push(...faultsTogether(config))
  faults.push(...unknownSettings(env, Object.keys(settings)))
  if (faults.length > 0) throw new Error(`Settings that can't be used:\n  ${faults.join('\n  ')}`)
  return config
}

/** Settings of the simulated plant. */
export function demoSettings(config: Config): DemoSettings {
  return {
    dataDir: config.TAKT_DATA_DIR,
    machines: config.TAKT_DEMO_MACHINES,
    seed: config.TAKT_DEMO_SEED,
    hours: config.TAKT_DEMO_HOURS,
  }
}

/** Settings that only make sense together. */
function faultsTogether(config: Config): readonly string[] {
  const faults: string[] = []
  if (
    config.TAKT_ROLES.length < processRoles.length &&
    (config.CLICKHOUSE_URL === null || config.KAFKA_BROKERS.length === 0)
  )
    faults.push('TAKT_ROLES: a process with only some roles needs CLICKHOUSE_URL and KAFKA_BROKERS')
  if (config.TAKT_OAUTH_JWKS_URL !== null && (config.TAKT_OAUTH_ISSUER === '' || config.TAKT_OAUTH_AUDIENCE === ''))
    faults.push('TAKT_OAUTH_JWKS_URL: needs TAKT_OAUTH_ISSUER and TAKT_OAUTH_AUDIENCE')
  if (config.KAFKA_SASL_MECHANISM !== '' && config.KAFKA_SASL_USERNAME === '')
    faults.push('KAFKA_SASL_USERNAME: KAFKA_SASL_MECHANISM needs a user')
  if (config.KAFKA_SASL_MECHANISM === '' && config.KAFKA_SASL_USERNAME !== '')
    faults.push('KAFKA_SASL_MECHANISM: KAFKA_SASL_USERNAME needs one of plain, scram-sha-256, scram-sha-512')
  if (config.KAFKA_TLS === '0' && (config.KAFKA_TLS_CA_FILE ?? config.KAFKA_TLS_CERT_FILE) !== null)
    faults.push('KAFKA_TLS: its files are named, but it is not 1')
  for (const name of ['KAFKA', 'CLICKHOUSE'] as const) {
    if ((config[`${name}_TLS_CERT_FILE`] === null) !== (config[`${name}_TLS_KEY_FILE`] === null))
      faults.push(`${name}_TLS_CERT_FILE: certificate and key (${name}_TLS_KEY_FILE) go together`)
  }
  if (config.TAKT_OIDC_ISSUER !== null && config.TAKT_OIDC_CLIENT_ID === '')
    faults.push('TAKT_OIDC_CLIENT_ID: TAKT_OIDC_ISSUER needs it')
  if (config.TAKT_OIDC_ISSUER !== null && config.TAKT_PUBLIC_URL === null)
    faults.push('TAKT_PUBLIC_URL: TAKT_OIDC_ISSUER needs it')
  for (const name of ['KAFKA_SASL_PASSWORD', 'CLICKHOUSE_PASSWORD', 'TAKT_OIDC_CLIENT_SECRET'] as const) {
    if (config[name] !== '' && config[`${name}_FILE`] !== null)
      faults.push(`${name}: name either the secret or its file (${name}_FILE)`)
  }
  if (config.CLICKHOUSE_TLS_CERT_FILE !== null && config.CLICKHOUSE_TLS_CA_FILE === null)
    faults.push('CLICKHOUSE_TLS_CA_FILE: CLICKHOUSE_TLS_CERT_FILE needs it')
  if (config.CLICKHOUSE_TLS_CA_FILE !== null && config.CLICKHOUSE_URL?.startsWith('https://') !== true)
    faults.push('CLICKHOUSE_TLS_CA_FILE: CLICKHOUSE_URL must begin with https://')
  return faults
}

/** Whether a simulated plant runs: by default only where everything is embedded. */
export function isDemo(config: Config): boolean {
  return config.TAKT_DEMO === ''
    ? config.CLICKHOUSE_URL === null && config.KAFKA_BROKERS.length === 0
    : config.TAKT_DEMO === '1'
}
