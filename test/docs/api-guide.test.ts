import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startService, testKey, type TestService } from '../support/service.ts'

const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8')

/** Where the guide's service is; the test's own is somewhere else. */
const guideUrl = 'http://127.0.0.1:8080'

/** When its answers are said to have come. */
const guideDay = '2026-11-23'
const guideTime = '09:30'

/** A piece of bash and the statuses that it is said to bring about, in order, and the last answer where it is shown. */
interface Example {
  readonly heading: string
  readonly script: string
  readonly statuses: readonly number[]
  readonly answer: unknown
}

/** Every `sh` block; a `json` block after it is what its last command answers, `# 200` at a line's end is a status. */
function examplesIn(text: string): readonly Example[] {
  const blocks = [...text.matchAll(/^## (?<heading>.*)$|^```(?<language>sh|json)\n(?<body>[^]*?)^```$/gm)]
  let heading = 'API guide'
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

/** Makes the guide's commands talk to the test's service, at its time and without what npm says of its own, and tell the status below each answer. */
const redirections = `
curl() { command curl "\${@/#${guideUrl.replaceAll('/', '\\/')}/$TEST_URL}" -w '\\n%{http_code}\\n'; }
date() { [ "$*" = '-u +%F' ] && echo ${guideDay}; }
npm() { [ "$1 $2 $3 $4" = 'run --silent company --' ] && node --import tsx service/commands/company.ts "\${@:5}"; }
`

async function run(script: string, service: TestService, dataDir: string): Promise<readonly Answer[]> {
  const ownServers = { CLICKHOUSE_URL: '', KAFKA_BROKERS: '' }
  const env = { ...process.env, ...ownServers, TAKT_ADMIN_KEY: testKey, TAKT_DATA_DIR: dataDir, TEST_URL: service.url }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', `set -eu\n${redirections}${script}`], { env })
  expect(stderr).to.equal('')
  return [...stdout.matchAll(/^(?<body>.*)\n(?<status>\d{3})\n/gm)].map(({ groups = {} }) => {
    const body: unknown = JSON.parse(groups['body'] ?? '')
    return { status: Number(groups['status']), body }
  })
}

/** What the guide's reader has in the shell by then: the variables and functions of the examples above. */
function definitionsIn(script: string): readonly string[] {
  return [...script.matchAll(/^(?:export )?[A-Z_]+=.*$|^[a-z]+\(\).*$/gm)].map(([line]) => line)
}

function firstLine(text: string): string {
  return text.slice(0, text.indexOf('\n'))
}

describe('docs/api-guide.md', () => {
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

  const examples = examplesIn(guide)
  examples.forEach(({ heading, script, statuses, answer }, index) => {
    it(`${heading}: ${firstLine(script)}`, async () => {
      await service.settled()
      const earlier = examples.slice(0, index).flatMap(example => definitionsIn(example.script))
      const answers = await run(earlier.concat(script).join('\n'), service, dataDir)
      const told = answers.map(({ status, body }) => (status < 400 ? status : `${status} ${JSON.stringify(body)}`))
      expect(
        answers.map(({ status }) => status),
        told.join('\n'),
      ).to.deep.equal(statuses)
      if (answer !== undefined) expect(answers.at(-1)?.body).to.deep.equal(answer)
    })
  })

  it('says when its answers came, and shows one of each kind', () => {
    expect(guide).to.match(new RegExp(`${guideDay}\\sat\\s${guideTime}\\sUTC`))
    expect(examples.filter(({ answer }) => answer !== undefined)).to.have.lengthOf(7)
  })
})
