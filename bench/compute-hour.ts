/** Hours per second that `computeHour` computes: quiet ones, as most hours of a rebuild, and busy ones. `npx tsx bench/compute-hour.ts` */
import { hourMs } from '../shared/time/units.ts'
import type { Sample } from '../schema/sample.ts'
import { computeHour } from '../processors/timeline/compute-hour.ts'
import { sortAndDeduplicate } from '../processors/timeline/order.ts'
import { initialState, type MachineState } from '../processors/timeline/state.ts'
import type { MachineInputs } from '../processors/timeline/types.ts'
import { asCompanyRef, asMachineRef } from '../schema/refs.ts'
import { defaultSettings } from '../test/processors/timeline/support.ts'

const slotMs = Date.UTC(2026, 0, 5, 8)

const inputs: MachineInputs = {
  companyRef: asCompanyRef(1),
  machineRef: asMachineRef(1),
  settings: defaultSettings,
  commissioned: { fromMs: null, createdMs: slotMs - hourMs, toMs: null },
  scheduledBy: 'shift',
  autoProduction: false,
  calendar: (fromMs, toMs) => [
    { startMs: fromMs, endMs: toMs, cellMs: fromMs, shift: 1, optional: false, nonOptional: true },
  ],
  runs: [{ run: 7, startMs: slotMs - hourMs, endMs: Infinity, startInSetup: false, productionMs: null }],
  operators: [{ operator: 3, startMs: slotMs - hourMs, endMs: Infinity }],
  annotations: [],
  adjustments: [],
}

/** 30 cycles of two minutes, each with a spindle and a part, some with a change of a condition. */
function busyHour(): Sample[] {
  return sortAndDeduplicate(
    Array.from({ length: 30 }, (_, index) => index * 120_000).flatMap((atMs, index) =>
      [
        sample(atMs, 'execution', 'EXECUTION', 'ACTIVE'),
        sample(atMs + 5_000, 'Srpm', 'ROTARY_VELOCITY', '8000'),
        sample(atMs + 80_000, 'Srpm', 'ROTARY_VELOCITY', '0'),
        sample(atMs + 90_000, 'execution', 'EXECUTION', 'READY'),
        sample(atMs + 90_000, 'PartCount', 'PART_COUNT', String(index + 1)),
      ].concat(index % 10 === 0 ? alarmAt(atMs + 91_000) : []),
    ),
  )
}

function alarmAt(atMs: number): readonly Sample[] {
  return [alarm(atMs, 'WARNING'), alarm(atMs + 4_000, 'NORMAL')]
}

function sample(offsetMs: number, key: string, type: string, value: string): Sample {
  const atUs = (slotMs + offsetMs) * 1000
  const rest = { nativeSeverity: '', qualifier: '', message: '', instanceId: null, sequence: null }
  return {
    machineRef: asMachineRef(1),
    atUs,
    key,
    type,
    subtype: '',
    category: 'EVENT',
    value,
    nativeCode: '',
    ...rest,
  }
}

function alarm(offsetMs: number, value: string): Sample {
  return { ...sample(offsetMs, 'system', 'SYSTEM', value), category: 'CONDITION', nativeCode: '42', message: 'door' }
}

function measure(name: string, state: MachineState, samples: readonly Sample[], forMs: number): void {
  let hours = 0
  let segments = 0
  const startMs = performance.now()
  const start = process.cpuUsage()
  while (performance.now() - startMs < forMs) {
    for (let index = 0; index < 100; index++) {
      segments = computeHour(inputs, slotMs, state, samples, []).document.segments.length
    }
    hours += 100
  }
  const { user, system } = process.cpuUsage(start)
  const perSecond = Math.round((hours * 1_000_000) / (user + system))
  console.log(`${name}: ${perSecond} hours per second of CPU (${samples.length} samples, ${segments} segments)`)
}

const busy = busyHour()
const { stateOut } = computeHour(inputs, slotMs - hourMs, initialState(), [], [])
for (const forMs of [300, 1500]) {
  measure('quiet', stateOut, [], forMs)
  measure('busy', stateOut, busy, forMs)
}
