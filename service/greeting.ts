import { isDemo, type Config } from './config.ts'

export interface GreetingFacts {
  readonly config: Config
  readonly version: string
  readonly url: string
  /** Made up at this start; null: given, or known from an earlier start. */
  readonly generatedKey: string | null
  /** Opens the first set-up; null: somebody can sign in already. */
  readonly setUpToken: string | null
  /** UTC ms */
  readonly nowMs: number
}

const metrics = ['oee', 'availability', 'performance', 'quality', 'goodParts']

/** Text that `npm start` prints: the page's address, the key that opens it, and a first report to copy. */
export function greeting({ config, version, url, generatedKey, setUpToken, nowMs }: GreetingFacts): string {
  const address = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  const known = generatedKey ?? (isTrial(config) ? config.TAKT_ADMIN_KEY : null)
  return [
    '',
    `  Takt ${version}`,
    '',
    `  Page   ${address}/${known === null ? '' : `#key=${encodeURIComponent(known)}`}`,
    `  Key    ${keyLine(config, generatedKey)}`,
    ...(setUpToken === null ? [] : [`  Set up ${address}/app/set-up#token=${setUpToken}`, setUpNote]),
    '',
    '  A first report:',
    '',
    curl(
      address,
      known === null ? '"Authorization: Bearer $TAKT_ADMIN_KEY"' : quote(`Authorization: Bearer ${known}`),
      nowMs,
    ),
    '',
    '',
  ].join('\n')
}

/** Where everything is embedded somebody tries Takt out; elsewhere output goes to a collector, where a given key has no place. */
function isTrial(config: Config): boolean {
  return config.CLICKHOUSE_URL === null && config.KAFKA_BROKERS.length === 0
}

const setUpNote =
  '         Nobody can sign in yet: this makes the first user, who manages keys and users. Good once, for an hour.'

function keyLine(config: Config, generatedKey: string | null): string {
  if (generatedKey !== null) return `${generatedKey}\n         Made at this first start and not shown again: keep it.`
  if (config.TAKT_ADMIN_KEY !== null) return 'the one in TAKT_ADMIN_KEY'
  return [
    'printed at the first start. Another one, into the shell:',
    'export TAKT_ADMIN_KEY=$(npm run --silent key)',
  ].join('\n         ')
}

function curl(address: string, authorization: string, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10)
  const data = metrics.map(metric => ({ metric }))
  const body = { startDay: day, endDay: day, data, groupBy: [{ group: 'machineGroup' }] }
  return [
    `  curl -s ${address}/reports/production \\`,
    `    -H ${authorization} -H 'Content-Type: application/json' \\`,
    `    -d ${quote(JSON.stringify(body))}`,
  ].join('\n')
}

/** As one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Line that says whether a simulated plant runs, and how to start one or take it out. */
export function demoLine(config: Config, isLeft = false): string {
  if (isLeft) return '  The simulated plant was left (npm run leave-demo).\n'
  const { TAKT_DEMO_MACHINES: machines } = config
  return isDemo(config)
    ? `  A simulated plant of ${machines} ${machines === 1 ? 'machine' : 'machines'} runs here; npm run leave-demo takes it out.\n`
    : '  No simulated plant runs here; TAKT_DEMO=1 starts one.\n'
}
