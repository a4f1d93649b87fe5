import { closestMatch } from 'leven'

type Environment = Readonly<Record<string, string | undefined>>

/** Variables of the documentation and of the image build, which start like settings. */
const otherVariables: ReadonlySet<string> = new Set(['TAKT_KEY', 'TAKT_EMBEDDED'])

/** Maximum edit distance at which the name of a variable resembles the name of a setting. */
const maxEdits = 2

/** A variable whose name resembles a setting. */
export interface NearMiss {
  readonly variable: string
  readonly setting: string
}

/**
 * Lists the unknown `TAKT_…` variables, each with the closest name of a setting. Values are not shown, because they may
 * be secrets.
 */
export function unknownSettings(env: Environment, settings: readonly string[]): readonly string[] {
  return variablesBeside(env, settings)
    .filter(isTakt)
    .map(name => `${name}: unknown setting. The closest known name is ${closestMatch(name.toUpperCase(), settings)}`)
}

/**
 * Lists variables whose names differ by a typing error from a setting of Kafka or ClickHouse, such as `KAFKA_BROKER`.
 */
export function findNearMisses(env: Environment, settings: readonly string[]): readonly NearMiss[] {
  const ofServers = settings.filter(setting => !isTakt(setting))
  return variablesBeside(env, settings)
    .filter(name => !isTakt(name))
    .flatMap(variable => {
      const setting = resembledSetting(variable.toUpperCase(), ofServers)
      return setting === undefined ? [] : [{ variable, setting }]
    })
}

/**
 * Whether Kubernetes or Docker set this variable for a service of the cluster: a service named `takt` gives
 * `TAKT_PORT=tcp://…`. https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function isServiceLink(name: string, value: string | undefined): boolean {
  if (name.endsWith('_SERVICE_HOST') || /_SERVICE_PORT(?:_|$)/.test(name)) return true
  if (/_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value ?? '')
}

function variablesBeside(env: Environment, settings: readonly string[]): readonly string[] {
  return Object.keys(env).filter(
    name =>
      env[name] !== undefined &&
      !settings.includes(name) &&
      !otherVariables.has(name) &&
      !isServiceLink(name, env[name]),
  )
}

function isTakt(name: string): boolean {
  return name.toUpperCase().startsWith('TAKT_')
}

/**
 * Finds the setting that a name resembles. A name may also be the beginning of a setting, or start with one:
 * `CLICKHOUSE_PASS`, `CLICKHOUSE_USERNAME`.
 */
function resembledSetting(name: string, settings: readonly string[]): string | undefined {
  const beginning = /^(?:KAFKA|CLICKHOUSE)_\w{4}/.test(name)
    ? settings.find(setting => setting.startsWith(name) || name.startsWith(setting))
    : undefined
  return closestMatch(name, settings, { maxDistance: maxEdits }) ?? beginning
}
