import { isDemo, type Config } from './config.ts'

export interface GreetingFacts {
  readonly config: Config
  readonly version: string
  readonly url: string
  /** Generated at this start; null: supplied, known from an earlier start, or missing. */
  readonly generatedKey: string | null
  /** Token for the first-time setup; null: a user exists. */
  readonly setUpToken: string | null
  /** Whether a person reads the text. Otherwise it contains no secret, because a log collector may store it. */
  readonly isTerminal: boolean
  /** UTC ms. */
  readonly nowMs: number
}

const metrics = ['oee', 'availability', 'performance', 'quality', 'goodParts']

/** Text that `npm start` prints first: address of the application and sign-in. Contains no supplied secret. */
export function greeting(facts: GreetingFacts): string {
  const { version, generatedKey } = facts
  const address = addressOf(facts)
  return [
    '',
    `  Takt ${version}`,
    '',
    `  Page   ${address}/${generatedKey === null ? '' : `#key=${encodeURIComponent(generatedKey)}`}`,
    `  Key    ${keyText(facts)}`,
    ...userLines(facts, address),
    '',
    '',
  ].join('\n')
}

/** Text with the command of a report of today, to be printed when the data of today is complete. Holds no supplied secret. */
export function firstReport(facts: GreetingFacts): string {
  const { generatedKey, nowMs } = facts
  const authorization =
    generatedKey === null ? '"Authorization: Bearer $TAKT_ADMIN_KEY"' : quote(`Authorization: Bearer ${generatedKey}`)
  return ['', '  A first report:', '', curl(addressOf(facts), authorization, nowMs), '', ''].join('\n')
}

function addressOf({ url }: GreetingFacts): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

const indent = '\n         '

function keyText({ config, generatedKey, isTerminal }: GreetingFacts): string {
  if (generatedKey !== null)
    return `${generatedKey}${indent}Generated at this first start and not shown again: store it.`
  if (config.TAKT_ADMIN_KEY !== null) return 'the one in TAKT_ADMIN_KEY'
  if (!isTerminal) return `To create a key:${indent}npm run --silent key`
  return `printed at the first start. To create another one in the shell:${indent}export TAKT_ADMIN_KEY=$(npm run --silent key)`
}

function userLines({ setUpToken, isTerminal }: GreetingFacts, address: string): readonly string[] {
  if (setUpToken === null) return []
  if (!isTerminal)
    return [`  User   To create the first user:${indent}npm run company -- add-user you@example.com --role it_admin`]
  return [
    `  Set up ${address}/app/set-up#token=${setUpToken}`,
    '         No user yet: the link creates the first one, with the rights to manage keys and users. Valid once, for an hour.',
  ]
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

/** Quotes a text as one word of a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** States whether a simulated plant runs, and how to start or remove it. */
export function demoLine(config: Config, isLeft = false): string {
  if (isLeft) return '  The simulated plant was removed (npm run leave-demo).\n'
  const { TAKT_DEMO_MACHINES: machines } = config
  return isDemo(config)
    ? `  A simulated plant of ${machines} ${machines === 1 ? 'machine' : 'machines'} runs here; npm run leave-demo removes it.\n`
    : '  No simulated plant runs here; TAKT_DEMO=1 starts one.\n'
}
