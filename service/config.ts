import type { DemoSettings } from '../demo/demo.ts'
import { coreRoles, processSettings } from './settings/process-settings.ts'
import { engineSettings } from './settings/engine-settings.ts'
import { requestSettings } from './settings/request-settings.ts'
import { reportSettings } from './settings/report-settings.ts'
import { graphqlSettings } from './settings/graphql-settings.ts'
import { limitSettings } from './settings/bound-settings.ts'
import { liveSettings } from './settings/live-settings.ts'
import { alertSettings } from './settings/alert-settings.ts'
import { connectSettings } from './settings/connect-settings.ts'
import { providerSettings } from './settings/provider-settings.ts'
import { readOneOf, setting, type Settings } from './settings/setting.ts'
import { isServiceLink, unknownSettings } from './settings/unknown-settings.ts'

/**
 * All settings with default and meaning, in the order of `docs/configuration.md`; each subject has a file in
 * `service/settings/`.
 */
export const settings = {
  ...processSettings,
  ...engineSettings,
  ...requestSettings,
  ...reportSettings,
  ...graphqlSettings,
  ...limitSettings,
  ...liveSettings,
  ...connectSettings,
  ...alertSettings,
  ...providerSettings,
  TAKT_LOG_LEVEL: setting(
    'Log level of the JSON lines on stderr: trace, debug, info, warn, error, fatal or silent.',
  ).parsed('warn', readOneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')),
} satisfies Settings

/** The parsed values of all settings. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']> }

/** Parses all settings; throws one Error that lists every invalid setting and every unknown `TAKT_…` variable. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const errors: string[] = []
  const entries = Object.entries(settings).map(([name, setting]) => {
    try {
      const value = isServiceLink(name, env[name]) ? undefined : env[name]
      return [name, setting.parse(value ?? setting.default)]
    } catch (error) {
      errors.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      return [name, null]
    }
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting was parsed above, or has an entry in `errors`
  const config = Object.fromEntries(entries) as Config
  // Combinations are checked only if each setting is valid, because an invalid setting would cause further errors.
  if (errors.length === 0) errors.push(...findCombinationErrors(config))
  errors.push(...unknownSettings(env, Object.keys(settings)))
  if (errors.length > 0) throw new Error(`Invalid settings:\n  ${errors.join('\n  ')}`)
  return config
}

/** Returns the settings of the simulated plant. */
export function demoSettings(config: Config): DemoSettings {
  return {
    dataDir: config.TAKT_DATA_DIR,
    machines: config.TAKT_DEMO_MACHINES,
    seed: config.TAKT_DEMO_SEED,
    hours: config.TAKT_DEMO_HOURS,
    language: config.TAKT_DEMO_LANGUAGE,
  }
}

/** Lists the errors of settings that depend on each other. */
function findCombinationErrors(config: Config): readonly string[] {
  const errors: string[] = []
  if (
    coreRoles.some(role => !config.TAKT_ROLES.includes(role)) &&
    (config.CLICKHOUSE_URL === null || config.KAFKA_BROKERS.length === 0)
  )
    errors.push('TAKT_ROLES: a process with only some roles needs CLICKHOUSE_URL and KAFKA_BROKERS')
  if (config.TAKT_OAUTH_JWKS_URL !== null && (config.TAKT_OAUTH_ISSUER === '' || config.TAKT_OAUTH_AUDIENCE === ''))
    errors.push('TAKT_OAUTH_JWKS_URL: needs TAKT_OAUTH_ISSUER and TAKT_OAUTH_AUDIENCE')
  if (config.KAFKA_SASL_MECHANISM !== '' && config.KAFKA_SASL_USERNAME === '')
    errors.push('KAFKA_SASL_USERNAME: required by KAFKA_SASL_MECHANISM')
  if (config.KAFKA_SASL_MECHANISM === '' && config.KAFKA_SASL_USERNAME !== '')
    errors.push('KAFKA_SASL_MECHANISM: KAFKA_SASL_USERNAME needs one of plain, scram-sha-256, scram-sha-512')
  if (config.KAFKA_TLS === '0' && (config.KAFKA_TLS_CA_FILE ?? config.KAFKA_TLS_CERT_FILE) !== null)
    errors.push('KAFKA_TLS: must be 1 if its files are set')
  for (const name of ['KAFKA', 'CLICKHOUSE'] as const) {
    if ((config[`${name}_TLS_CERT_FILE`] === null) !== (config[`${name}_TLS_KEY_FILE`] === null))
      errors.push(
        `${name}_TLS_CERT_FILE: a client certificate requires ${name}_TLS_KEY_FILE, and a key requires a certificate`,
      )
  }
  if (config.TAKT_OIDC_ISSUER !== null && config.TAKT_OIDC_CLIENT_ID === '')
    errors.push('TAKT_OIDC_CLIENT_ID: required by TAKT_OIDC_ISSUER')
  if (config.TAKT_OIDC_ISSUER !== null && config.TAKT_PUBLIC_URL === null)
    errors.push('TAKT_PUBLIC_URL: required by TAKT_OIDC_ISSUER')
  if (config.TAKT_SMTP_URL !== null && config.TAKT_SMTP_FROM === '')
    errors.push('TAKT_SMTP_FROM: required by TAKT_SMTP_URL')
  const smtpUser = config.TAKT_SMTP_URL === null ? '' : new URL(config.TAKT_SMTP_URL).username
  if ((smtpUser === '') !== (config.TAKT_SMTP_PASSWORD_FILE === null))
    errors.push('TAKT_SMTP_PASSWORD_FILE: a password requires a user in TAKT_SMTP_URL, and a user requires a password')
  for (const name of ['KAFKA_SASL_PASSWORD', 'CLICKHOUSE_PASSWORD', 'TAKT_OIDC_CLIENT_SECRET'] as const) {
    if (config[name] !== '' && config[`${name}_FILE`] !== null)
      errors.push(`${name}: set either ${name} or ${name}_FILE, not both`)
  }
  if (config.CLICKHOUSE_TLS_CERT_FILE !== null && config.CLICKHOUSE_TLS_CA_FILE === null)
    errors.push('CLICKHOUSE_TLS_CA_FILE: required by CLICKHOUSE_TLS_CERT_FILE')
  if (config.CLICKHOUSE_TLS_CA_FILE !== null && config.CLICKHOUSE_URL?.startsWith('https://') !== true)
    errors.push('CLICKHOUSE_TLS_CA_FILE: CLICKHOUSE_URL must begin with https://')
  return errors
}

/** Whether a simulated plant runs; default: only if log and store are embedded. */
export function isDemo(config: Config): boolean {
  return config.TAKT_DEMO === ''
    ? config.CLICKHOUSE_URL === null && config.KAFKA_BROKERS.length === 0
    : config.TAKT_DEMO === '1'
}
