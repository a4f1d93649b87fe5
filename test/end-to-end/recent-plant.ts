/* oxlint-disable oxc/no-map-spread, eslint/no-unused-vars -- records without what a client doesn't tell */
import { demoRecords } from '../../demo/simulate/demo-records.ts'
import { createPlant } from '../../demo/simulate/plant.ts'
import { defaultCompanySettings } from '../../schema/records/company.ts'
import { defaultMachineSettings, type MachineRecord } from '../../schema/records/machine.ts'
import type { WireSample } from '../../schema/topics.ts'
import { aPlant, aSchedule } from '../oracle/build.ts'
import {
  expectSameReport,
  oracleReport,
  productionMetricNames,
  type OraclePlant,
  type OracleRequest,
} from '../oracle/oracle.ts'
import type { TestService } from '../support/service.ts'
import { hourMs } from '../../shared/time/units.ts'
import { asMachineRef } from '../../schema/refs.ts'

/** A plant that has run until the last full hour, for services on the system clock. */
export interface RecentPlant {
  readonly plant: OraclePlant
  /** Requests for reports of past ranges, so that none depends on the time of the request. */
  readonly requests: readonly OracleRequest[]
}

/** Simulates a plant until the last full hour. Equal seeds, options and hours result in equal plants. */
export function recentPlant({ seed = 7, machines = 6, hours = 30 } = {}): RecentPlant {
  const endMs = Math.floor(Date.now() / hourMs) * hourMs
  const startMs = endMs - hours * hourMs
  const simulated = createPlant({ seed, machines, isDaily: true })
  const { schedules, machines: told } = demoRecords(simulated)
  const [schedule] = schedules
  if (!schedule) throw new Error('The simulated plant has no schedule')
  const shifts = (schedule.versions[0]?.shifts ?? []).map((shift, index) => ({ ...shift, ref: index + 1 }))
  const records = told.map((machine, index): MachineRecord => ({
    ...defaultMachineSettings,
    ...machine,
    ref: asMachineRef(index + 1),
    companyId: 'company',
    machineGroupIds: [],
    staleAfterMs: index % 3 === 2 ? 600_000 : null,
    commissionedAt: new Date(startMs - hourMs).toISOString(),
    createdAt: new Date(startMs).toISOString(),
  }))
  const samples = simulated.machines.flatMap(({ id: machineId, index }) =>
    simulated.samples(index, startMs, endMs, { bulk: false }).map((sample): WireSample => ({ machineId, ...sample })),
  )
  const plant = aPlant({
    company: defaultCompanySettings,
    machines: records,
    operations: [],
    schedules: [aSchedule(shifts, { id: schedule.id, name: schedule.name })],
    samples,
    nowMs: endMs,
  })
  return { plant, requests: requestsOver(startMs, endMs) }
}

const groupings = [[], ['machine'], ['day', 'shift'], ['machine', 'hour'], ['shift', 'machine', 'day']]

function requestsOver(startMs: number, endMs: number): readonly OracleRequest[] {
  const data = productionMetricNames.map(metric => ({ metric }))
  return groupings.map((groups, index) => ({
    report: 'production',
    start: new Date(startMs + index * 1_234_567).toISOString(),
    end: new Date(endMs - index * 777_777).toISOString(),
    data,
    groupBy: groups.map(group => ({ group })),
  }))
}

type Call = TestService['call']

/** Creates the plant's schedule and machines as a client would. */
export async function putRecords(call: Call, { plant }: RecentPlant): Promise<void> {
  for (const { id, name, versions } of plant.schedules) {
    const told = versions.map(version => ({ ...version, shifts: version.shifts.map(({ ref: _, ...shift }) => shift) }))
    await put(call, `/schedules/${id}`, { name, versions: told, exceptions: [] })
  }
  for (const { id, ref: _, companyId: __, createdAt: ___, ...machine } of plant.machines) {
    await put(call, `/machines/${id}`, machine)
  }
}

async function put(call: Call, path: string, body: unknown): Promise<void> {
  const answer = await call('PUT', path, body)
  if (answer.status >= 300) throw new Error(`PUT ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
}

/** Requests every report and compares it with the naive recomputation; returns the responses. */
export async function compareAll(call: Call, { plant, requests }: RecentPlant): Promise<readonly unknown[]> {
  const answers: unknown[] = []
  for (const request of requests) {
    const { report: _, ...asked } = request
    const { status, body } = await call('POST', '/reports/production', asked)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    expectSameReport(body, oracleReport({ ...plant, request }))
    answers.push(body)
  }
  return answers
}
