import { noteSkipped } from '../support/skipped.ts'
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { MachineRecord } from '../../schema/records/machine.ts'
import { aMachine } from '../oracle/build.ts'
import { daysOf, hasNist, nistSamples, type NistDay } from '../oracle/nist.ts'
import { builtCommand } from '../support/npm-command.ts'
import { settled, startService, testKey, type TestService } from '../support/service.ts'
import {
  dayText,
  differingHours,
  documentHashes,
  reportedDays,
  reportOf,
  storedDays,
  type ReportedDay,
} from './recorded-days.ts'
import { logsOf, moved, probePath, readLog, recordedMachines, replayLines, shuffled } from './recorded-logs.ts'

/** The clock is shortly after the last recording, so that conditions that were left open last for days, not years. */
const nowMs = Date.parse('2017-06-20T00:00:00Z')
/** Whether all machines are used in each variant (TAKT_RECORDED=all); otherwise some. */
const isThorough = process.env['TAKT_RECORDED'] === 'all'

type Settings = Partial<Pick<MachineRecord, 'partCounter' | 'staleAfterMs'>>

/** Settings by machine. The part counters of these machines do not change, so most of them count cycles instead. */
const counting: Readonly<Record<string, Settings>> = {
  GFAgie01: { partCounter: 'cycle' },
  Mazak03: { partCounter: 'cycle' },
}

/** Later settings of these machines. */
const changed: Readonly<Record<string, Settings>> = {
  Hurco01: { partCounter: 'cycle', staleAfterMs: 90_000 },
  Mazak01: { partCounter: 'cycle', staleAfterMs: 3_600_000 },
}

interface Variant {
  readonly machines: readonly string[]
  readonly arrange: (logs: readonly (readonly string[])[]) => readonly string[]
}

const variants: Readonly<Record<string, Variant>> = {
  'in reverse order': { machines: ['Mazak01'], arrange: logs => logs.toReversed().flat() },
  'in a random order of all lines': {
    machines: ['Hurco01', 'Mazak03'],
    arrange: logs => shuffled(logs.flat(), 20_161_006),
  },
}

describe('recorded days', function () {
  this.timeout(1_800_000)
  let service: TestService
  let first: Outcome

  before(async function () {
    skipWithoutRecordings(this)
    service = await startService({ nowMs })
    const others = recordedMachines().filter(name => name !== 'Mazak01')
    const [summary] = await Promise.all([
      replayCommand(service, 'Mazak01', ...logsOf('Mazak01')),
      ...others.map(name => feed(service, name, logsOf(name).flatMap(readLog))),
    ])
    expect(summary).to.match(
      /^lines read: 162293, of which skipped: 0\nsamples accepted: 162293\nsamples rejected: none\n/,
    )
    first = await outcomeOf(service)
  })
  after(() => service?.stop())

  it('Stored and reported days of the recorded machines equal a recomputation', () => {
    const expected = recomputed(counting)
    expect(first.days).to.deep.equal(expected)
    expect(first.report).to.deep.equal(expected.map(reportOf))
    expect(first.report.reduce((parts, { totalParts }) => parts + totalParts, 0)).to.be.greaterThan(0)
  })

  it('Recorded days are unchanged if the recordings are sent twice', async () => {
    const fed = isThorough ? recordedMachines() : ['GFAgie01', 'Hurco01']
    await Promise.all(fed.map(name => feed(service, name, logsOf(name).flatMap(readLog))))
    expectSame(await outcomeOf(service), first)
  })

  it('Recorded days are recomputed when settings change', async () => {
    const names = Object.keys(changed)
    for (const name of names) await putMachine(service, name, changed[name] ?? {})
    const { hashes, days, report } = outcomeOfMachines(await outcomeOf(service), names)
    expect(differingHours(hashes, outcomeOfMachines(first, names).hashes)).to.not.deep.equal([])
    const expected = recomputed(changed, names)
    expect(days).to.deep.equal(expected)
    expect(report).to.deep.equal(expected.map(reportOf))
  })

  for (const [variant, { machines, arrange }] of Object.entries(variants)) {
    it(`Recorded days are the same if the recordings are sent ${variant}`, async () => {
      const fed = isThorough ? recordedMachines() : machines
      const outcome = await outcomeAfter(one =>
        Promise.all(fed.map(name => feed(one, name, arrange(logsOf(name).map(readLog))))),
      )
      expectSame(outcome, outcomeOfMachines(first, fed))
    })
  }
})

describe('recorded days moved in time and replayed at a speed', function () {
  it('A replay at another time and speed gives the recorded days at that time', async function () {
    skipWithoutRecordings(this)
    const fromUs = Date.parse('2017-05-18T08:57:45.437Z') * 1000 + 500
    const to = '2024-05-06T06:00:00Z'
    const byUs = Date.parse(to) * 1000 - fromUs
    const untilMs = Date.parse('2024-05-07T00:00:00Z')
    const shifted = (nistSamples(['Hurco01']).get('Hurco01') ?? []).map(sample => moved(sample, byUs))
    const expected = recomputedOf('Hurco01', shifted, {}, untilMs)
    expect(expected.find(({ day }) => day === '2024-05-06')).to.include({ cycles: 12 })

    const outcome = await outcomeAfter(
      service => replayCommand(service, 'Hurco01', '--rebase', to, '--speed', '700', ...logsOf('Hurco01')),
      untilMs,
    )
    expect(outcome.days).to.deep.equal(expected)
    expect(outcome.report).to.deep.equal(expected.map(reportOf))
  })
})

function skipWithoutRecordings(test: Mocha.Context): void {
  if (hasNist()) return
  noteSkipped('tests on recorded machines', 'the recordings are not part of the project')
  test.skip()
}

/** Returns the recomputed days of the named machines, by name; without names, of all machines. */
function recomputed(settings: Readonly<Record<string, Settings>>, names: readonly string[] = []): readonly NistDay[] {
  return [...nistSamples(names)].flatMap(([name, samples]) => recomputedOf(name, samples, settings[name] ?? {}, nowMs))
}

function recomputedOf(
  name: string,
  of: Parameters<typeof daysOf>[0],
  settings: Settings,
  untilMs: number,
): readonly NistDay[] {
  return daysOf(of, aMachine({ ...settings, id: name, name }), untilMs)
}

/** Results that must not depend on the arrival of the samples. */
interface Outcome {
  readonly hashes: ReadonlyMap<string, string>
  readonly days: readonly NistDay[]
  readonly report: readonly ReportedDay[]
}

async function outcomeOf(service: TestService, untilMs = nowMs): Promise<Outcome> {
  await settled(service.url, 300_000)
  const [hashes, days] = await Promise.all([documentHashes(service, untilMs), storedDays(service, untilMs)])
  const report = await reportedDays(service, days.map(({ day }) => day).sort()[0] ?? '', dayText(untilMs - 1))
  return { hashes, days, report }
}

function outcomeOfMachines({ hashes, days, report }: Outcome, machines: readonly string[]): Outcome {
  return {
    hashes: new Map([...hashes].filter(([hour]) => machines.some(machine => hour.startsWith(`${machine} `)))),
    days: days.filter(({ machine }) => machines.includes(machine)),
    report: report.filter(({ machine }) => machines.includes(machine)),
  }
}

function expectSame(actual: Outcome, expected: Outcome): void {
  expect(differingHours(actual.hashes, expected.hashes)).to.deep.equal([])
  expect(actual.days).to.deep.equal(expected.days)
  expect(actual.report).to.deep.equal(expected.report)
}

/** Sends samples to a new service and returns its outcome. */
async function outcomeAfter(feeding: (service: TestService) => Promise<unknown>, atMs = nowMs): Promise<Outcome> {
  const service = await startService({ nowMs: atMs })
  try {
    await feeding(service)
    return await outcomeOf(service, atMs)
  } finally {
    await service.stop()
  }
}

async function feed(service: TestService, name: string, lines: readonly string[]): Promise<void> {
  await putMachine(service, name, counting[name] ?? {})
  const summary = await replayLines(service, name, lines)
  expect(summary).to.deep.include({ passedOver: 0, rejected: {} })
  expect(summary.accepted + summary.duplicates).to.equal(lines.length)
}

async function putMachine(service: TestService, name: string, settings: Settings): Promise<void> {
  const known = service.records.machines(service.companyId).find(machine => machine.name === name)
  const { status, body } = await service.call('PUT', `/machines/${known?.id ?? randomUUID()}`, { name, ...settings })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
}

/** Runs the `replay` command and returns its output. */
async function replayCommand(service: TestService, machine: string, ...args: readonly string[]): Promise<string> {
  const all = ['--devices', probePath, '--machine', machine, '--url', service.url, '--key', testKey, ...args]
  const { stdout, stderr, code } = await builtCommand('replay', {}, ...all)
  if (code !== 0) throw new Error(`The replay ended with ${code}: ${stderr}`)
  return stdout
}
