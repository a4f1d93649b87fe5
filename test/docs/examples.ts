import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { built } from '../support/built.ts'
import { environmentWithoutTakt } from '../support/child-service.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

/** Address of the service in the guides; the service of the test has another one. */
const guideUrl = 'http://127.0.0.1:8080'

/** Time of the responses in the guides. */
const guideDay = '2026-11-23'
const guideTime = '09:30'

/** A bash script, the documented statuses of its requests in order, and the last response if the guide shows it. */
export interface Example {
  readonly heading: string
  readonly script: string
  readonly statuses: readonly number[]
  readonly answer: unknown
}

/** Finds every `sh` block. `# 200` at the end of a line is a status; a `json` block after it is the response to its last request. */
function examplesIn(text: string): readonly Example[] {
  const blocks = [...text.matchAll(/^## (?<heading>.*)$|^```(?<language>sh|json)\n(?<body>[^]*?)^```$/gm)]
  let heading = firstLine(text)
  return blocks.flatMap(({ groups = {} }, index) => {
    heading = groups['heading'] ?? heading
    if (groups['language'] !== 'sh') return []
    const script = groups['body'] ?? ''
    const statuses = [...script.matchAll(/# (\d{3})$/gm)].map(([, status]) => Number(status))
    const next = blocks[index + 1]?.groups
    const answer: unknown = next?.['language'] === 'json' ? JSON.parse(next['body'] ?? '') : undefined
    return { heading, script, statuses, answer }
  })
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends the commands to the test's service, at the guides' time, and prints the status below each response. Omits the lines
 * that npm itself writes.
 */
const redirections = `
curl() { command curl "\${@/#${guideUrl.replaceAll('/', '\\/')}/$TEST_URL}" -w '\\n%{http_code}\\n'; }
date() { [ "$*" = '-u +%F' ] && echo ${guideDay}; }
npm() {
  case "$*" in
    'run --silent company -- '*) node "$BUILT/company.js" "\${@:5}" ;;
    'run --silent connect -- '*) node "$BUILT/connect.js" "\${@:5}" 2>&1 ;;
    'run replay -- '*) node "$BUILT/replay.js" --url "$TEST_URL" "\${@:4}" 2>/dev/null ;;
    'run dead-letters'*) node "$BUILT/dead-letters.js" "\${@:4}" ;;
    *) echo "npm $* is not known here" >&2 ;;
  esac
}
`

async function run(script: string, service: TestService, dataDir: string): Promise<readonly Answer[]> {
  const ownServers = { CLICKHOUSE_URL: '', KAFKA_BROKERS: '' }
  const env = {
    ...environmentWithoutTakt(),
    ...ownServers,
    TAKT_ADMIN_KEY: testKey,
    TAKT_DATA_DIR: dataDir,
    TEST_URL: service.url,
    BUILT: dirname(await built('service/commands/company.ts')),
  }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', `set -eu\n${redirections}${script}`], { env })
  expect(stderr).to.equal('')
  return [...stdout.matchAll(/^(?<body>.*)\n(?<status>\d{3})\n/gm)].map(({ groups = {} }) => {
    const body: unknown = JSON.parse(groups['body'] ?? '')
    return { status: Number(groups['status']), body }
  })
}

/** Variables and functions of the examples above, which the shell of a reader still has. */
function definitionsIn(script: string): readonly string[] {
  return [...script.matchAll(/^(?:export )?[A-Z_]+=.*$|^[a-z]+\(\).*$/gm)].map(([line]) => line)
}

function firstLine(text: string): string {
  return text.slice(0, text.indexOf('\n'))
}

/** A response with each string truncated where that of the guide ends with `…`. */
function cutAs(shown: unknown, told: unknown): unknown {
  if (typeof shown === 'string' && typeof told === 'string' && shown.endsWith('…'))
    return told.startsWith(shown.slice(0, -1)) ? shown : told
  if (Array.isArray(shown) && Array.isArray(told)) return told.map((item, index) => cutAs(shown[index], item))
  if (typeof shown !== 'object' || shown === null || typeof told !== 'object' || told === null) return told
  const texts: Readonly<Record<string, unknown>> = { ...shown }
  return Object.fromEntries(
    Object.entries(told).map(([key, value]: [string, unknown]) => [key, cutAs(texts[key], value)]),
  )
}

/** Runs every example of a guide in order against a fresh service, and compares statuses and responses. */
export function describeExamples(file: string): readonly Example[] {
  const guide = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  const examples = examplesIn(guide)
  describe(file, () => {
    let service: TestService
    let dataDir: string
    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), 'takt-guide-'))
      const env = { TAKT_DATA_DIR: dataDir }
      service = await startService({ nowMs: Date.parse(`${guideDay}T${guideTime}Z`), env })
    })
    after(async () => {
      await service.stop()
      rmSync(dataDir, { recursive: true })
    })

    examples.forEach(({ heading, script, statuses, answer }, index) => {
      it(`The example of ${heading} succeeds: ${firstLine(script)}`, async () => {
        await service.settled()
        const earlier = examples.slice(0, index).flatMap(example => definitionsIn(example.script))
        const answers = await run(earlier.concat(script).join('\n'), service, dataDir)
        const told = answers.map(({ status, body }) => (status < 400 ? status : `${status} ${JSON.stringify(body)}`))
        expect(
          answers.map(({ status }) => status),
          told.join('\n'),
        ).to.deep.equal(statuses)
        if (answer !== undefined) expect(cutAs(answer, answers.at(-1)?.body)).to.deep.equal(answer)
      })
    })

    it('The guide states the time of its responses', () => {
      expect(guide).to.match(new RegExp(`${guideDay}\\sat\\s${guideTime}\\sUTC`))
    })
  })
  return examples
}
