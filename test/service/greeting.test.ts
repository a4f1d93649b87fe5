import { execFileSync } from 'node:child_process'
import { assert, expect } from 'chai'
import { readConfig } from '../../service/config.ts'
import { firstReportText, greetingText } from '../../service/greeting.ts'

const nowMs = Date.parse('2026-03-02T10:00:00Z')
const key = "it's a key; of 32 characters & more $HOME"
const servers = { CLICKHOUSE_URL: 'http://store:8123', KAFKA_BROKERS: 'a:9092' }

function greet(
  env: Readonly<Record<string, string>>,
  generatedKey: string | null = null,
  setUpToken: string | null = null,
  isTerminal = true,
): string {
  const config = readConfig(env)
  const facts = { config, version: '1.2.3', url: 'http://0.0.0.0:8080', generatedKey, setUpToken, isTerminal, nowMs }
  const text = greetingText(facts)
  assert.notInclude(text, 'curl')
  return text + firstReportText(facts)
}

/** The arguments that a shell passes to the printed curl. */
function curlArguments(text: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const command = text.slice(text.indexOf('curl -s'))
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { ...env, HOME: '/root' } })
    .split('\0')
    .slice(0, -1)
}

describe('greeting', () => {
  it('The greeting links to the page with the generated key', () => {
    const text = greet({}, 'takt_made')
    assert.include(text, 'http://127.0.0.1:8080/#key=takt_made\n')
    assert.include(text, 'not shown again')
  })

  it('The greeting prints a report command that a shell runs, with any characters in the key', () => {
    const [flag, url, , authorization, , type, , body] = curlArguments(greet({}, key))
    expect([flag, url]).to.deep.equal(['-s', 'http://127.0.0.1:8080/reports/production'])
    expect(authorization).to.equal(`Authorization: Bearer ${key}`)
    expect(type).to.equal('Content-Type: application/json')
    expect(JSON.parse(body ?? '')).to.deep.include({ startDay: '2026-03-02', endDay: '2026-03-02' })
  })

  it('The greeting links to the first-time setup until a user exists', () => {
    assert.include(greet({}, 'takt_made', 'a-token'), 'http://127.0.0.1:8080/app/set-up#token=a-token\n')
    assert.notInclude(greet({}, 'takt_made'), 'set-up')
  })

  it('At a later start, the greeting explains where the key was printed and how to create another one', () => {
    const text = greet({})
    assert.include(text, 'printed at the first start')
    assert.include(text, 'Page   http://127.0.0.1:8080/\n')
    expect(curlArguments(text, { TAKT_ADMIN_KEY: 'mine' })).to.include('Authorization: Bearer mine')
  })

  it('The greeting contains no supplied key, with any engines', () => {
    for (const env of [{}, servers]) {
      const text = greet({ ...env, TAKT_ADMIN_KEY: key })
      assert.notInclude(text, key)
      assert.notInclude(text, encodeURIComponent(key))
      assert.include(text, 'the value of TAKT_ADMIN_KEY')
      expect(curlArguments(text, { TAKT_ADMIN_KEY: key })).to.include(`Authorization: Bearer ${key}`)
    }
  })

  it('If standard output is not a terminal, the greeting has commands that create a key and a user instead of links', () => {
    const text = greet({}, null, 'a-token', false)
    assert.notInclude(text, 'a-token')
    assert.include(text, 'npm run --silent key\n')
    assert.include(text, 'npm run company -- add-user you@example.com --role it_admin\n')
    assert.notInclude(greet({}, null, null, false), 'add-user')
    assert.notInclude(greet({ TAKT_ADMIN_KEY: key }, null, null, false), 'npm run --silent key')
  })
})
