import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { MachineRecord } from '../../schema/records.ts'
import { aMachine } from '../oracle/build.ts'
import { daysOf, hasNist, nistSamples, type NistDay } from '../oracle/nist.ts'
import { settled, startService, testKey, type TestService } from '../support/service.ts'
import {
  differingHours,
  documentHashes,
  reportedDays,
  reportOf,
  storedDays,
  type ReportedDay,
} from './recorded-days.ts'
import { logsOf, probePath, readLog, recordedMachines, replayLines, shuffled } from './recorded-logs.ts'

const nowMs = Date.parse('2017-06-20T00:00:00Z')
const root = fileURLToPath(new URL('../..', import.meta.url))

type Settings = Partial<Pick<MachineRecord, 'partCounter' | 'staleAfterMs'>>

/** The part counters of these machines stand still, so that most machines count cycles. */
const settingsOf: Readonly<Record<string, Settings>> = {
  GFAgie01: { partCounter: 'cycle' },
  Hurco01: {},
  Mazak01: {},
  Mazak03: { partCounter: 'cycle' },
}

function expectedDays(settings: Readonly<Record<string, Settings>>): readonly NistDay[] {
  const days = [...nistSamples()].map(([name, samples]) =>
    daysOf(samples, aMachine({ ...settings[name], id: name, name }), nowMs).filter(({ statusMs }) => sum(statusMs) > 0),
  )
  return days.flat().sort((a, b) => (a.machine < b.machine ? -1 : a.machine > b.machine ? 1 : 0))
}

function sum(numbers: Readonly<Record<string, number>>): number {
  return Object.values(numbers).reduce((a, b) => a + b, 0)
}

interface Outcome {
  readonly hashes: ReadonlyMap<string, string>
  readonly days: readonly NistDay[]
  readonly report: readonly ReportedDay[]
}

async function outcomeOf(service: TestService): Promise<Outcome> {
  await settled(service.url, 300_000)
  const [hashes, days, report] = await Promise.all([
    documentHashes(service, nowMs),
    storedDays(service, nowMs),
    reportedDays(service, '2016-10-06', '2017-06-19'),
  ])
  return { hashes, days, report }
}

async function putMachine(service: TestService, name: string, settings: Settings): Promise<void> {
  const known = service.records.machines(service.companyId).find(machine => machine.name === name)
  const { status, body } = await service.call('PUT', `/machines/${known?.id ?? randomUUID()}`, { name, ...settings })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
}

/** Runs `npm run replay`; answers what it prints. */
async function replayCommand(service: TestService, machine: string, ...args: readonly string[]): Promise<string> {
  const all = ['--devices', probePath, '--machine', machine, '--url', service.url, '--key', testKey, ...args]
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'replay', '--', ...all], { cwd: root })
  return stdout
}

/** A fresh service that was fed, settled and asked. */
async function outcomeAfter(feed: (service: TestService) => Promise<unknown>): Promise<Outcome> {
  const service = await startService({ nowMs })
  try {
    await feed(service)
    return await outcomeOf(service)
  } finally {
    await service.stop()
  }
}

describe('recorded days', function () {
  this.timeout(400_000)
  let inOrder: TestService
  let first: Outcome

  before(async function () {
    if (!hasNist()) {
      console.log('      (the recordings are missing)')
      this.skip()
    }
    inOrder = await startService({ nowMs })
    console.time('in order')
    const byCommand = replayCommand(inOrder, 'Mazak01', ...logsOf('Mazak01'))
    const others = recordedMachines().filter(name => name !== 'Mazak01')
    await Promise.all(others.map(name => feed(inOrder, name, logsOf(name).flatMap(readLog))))
    expect(await byCommand).to.contain('samples accepted: 162293\nsamples rejected: none')
    console.timeLog('in order', 'fed')
    first = await outcomeOf(inOrder)
    console.timeEnd('in order')
  })
  after(() => inOrder?.stop())

  it('are stored as the recomputation has them', () => {
    expect(first.days).to.deep.equal(expectedDays(settingsOf))
  })

  it('are reported as the recomputation has them', () => {
    expect(first.report).to.deep.equal(expectedDays(settingsOf).map(reportOf))
  })

  const variants: Readonly<Record<string, (logs: readonly (readonly string[])[]) => readonly string[]>> = {
    'fed twice': logs => [...logs, ...logs].flat(),
    'fed in reverse order': logs => logs.toReversed().flat(),
    'with their lines in any order': logs => shuffled(logs.flat(), 20_161_006),
  }
  for (const [variant, arrange] of Object.entries(variants)) {
    it(`are the same ${variant}`, async () => {
      console.time(variant)
      const outcome = await outcomeAfter(async service => {
        await Promise.all(recordedMachines().map(name => feed(service, name, arrange(logsOf(name).map(readLog)))))
        console.timeLog(variant, 'fed')
      })
      console.timeEnd(variant)
      expect(differingHours(outcome.hashes, first.hashes)).to.deep.equal([])
      expect(outcome.days).to.deep.equal(first.days)
      expect(outcome.report).to.deep.equal(first.report)
    })
  }
})

async function feed(service: TestService, name: string, lines: readonly string[]): Promise<void> {
  await putMachine(service, name, settingsOf[name] ?? {})
  const summary = await replayLines(service, name, lines)
  expect(summary).to.deep.include({ passedOver: 0, accepted: lines.length, rejected: {} })
}
