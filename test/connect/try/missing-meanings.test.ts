import { assert } from 'chai'
import * as fc from 'fast-check'
import { TrialMachines } from '../../../connect/try/trial-machines.ts'
import { findDeterminingKeys, findMissing } from '../../../processors/timeline/determining-keys.ts'
import { defaultMachineSettings, type StateSettings, stateSettings } from '../../../schema/records/machine.ts'
import type { Category } from '../../../schema/sample.ts'
import { forAll } from '../../support/for-all.ts'

const machineId = '0d5a6a3e-5d0b-4f60-9a3c-1d2f7c0b8e11'
const startMs = Date.parse('2026-03-01T10:00:00Z')

/** Values that make a machine with such a key start and end a program. */
const values: Readonly<Record<string, readonly string[]>> = {
  EXECUTION: ['READY', 'ACTIVE', 'PROGRAM_COMPLETED', 'READY'],
  EMERGENCY_STOP: ['ARMED'],
}
const counts = ['1', '2', '3', '4']

interface Names {
  readonly key: string
  readonly type: string
  readonly subtype: string
  readonly category: Category
}

const anyNames: fc.Arbitrary<Names> = fc.record({
  key: fc.constantFrom('a', 'b', 'Part_Key'),
  type: fc.constantFrom('EXECUTION', 'EMERGENCY_STOP', 'PART_COUNT', 'ROTARY_VELOCITY', 'LOAD'),
  subtype: fc.constantFrom('', 'ALL', 'GOOD', 'ACTUAL'),
  category: fc.constantFrom<Category>('EVENT', 'CONDITION'),
})
/** The key that a setting names for parts has numbers. */
const names = anyNames.filter(
  ({ key, type, category }) => key !== 'Part_Key' || (values[type] === undefined && category !== 'CONDITION'),
)
const machineSettings = fc.record({
  partCounter: fc.constantFrom<StateSettings['partCounter']>('counter', 'increment', 'cycle', 'program', 'none'),
  partCountKey: fc.constantFrom<string | null>(null, 'partkey'),
})

describe('what no key of a machine determines', () => {
  it('State and parts are missing exactly if samples of all keys determine none', async () => {
    const property = fc.property(
      fc.uniqueArray(names, { maxLength: 4, selector: ({ key }) => key }),
      machineSettings,
      (keys, changes) => {
        const settings: StateSettings = { ...stateSettings(defaultMachineSettings), ...changes }
        const missing = findMissing(findDeterminingKeys(keys, settings), settings)
        const { status, partCount } = replayed(keys, settings)
        assert.equal(missing.includes('state'), status === 'UNAVAILABLE', 'state')
        if (settings.partCounter !== 'none')
          assert.equal(
            missing.includes('parts'),
            partCount === 0,
            `parts ${JSON.stringify({ keys, changes, partCount })}`,
          )
      },
    )
    await forAll(property, { numRuns: 300 })
  })

  it('The key of the cut signal counts as spindle, and a condition of the spindle does not', () => {
    const settings = { ...stateSettings(defaultMachineSettings), cutSignal: { key: 'S_load', above: 20 } }
    const load = { key: 'Sload', type: 'LOAD', subtype: '', category: 'SAMPLE' } as const
    const speed = { key: 'S', type: 'ROTARY_VELOCITY', subtype: '' } as const
    const missing = (...keys: Parameters<typeof findDeterminingKeys>[0][]) =>
      keys.map(each => findMissing(findDeterminingKeys(each, settings), settings).includes('spindle'))
    assert.deepEqual(missing([], [load], [{ ...speed, category: 'CONDITION' }], [{ ...speed, category: 'SAMPLE' }]), [
      true,
      false,
      true,
      false,
    ])
  })
})

/** The machine after samples of all keys. */
function replayed(keys: readonly Names[], settings: StateSettings) {
  const machines = new TrialMachines(() => settings)
  // A sample that determines nothing, so that the machine is known.
  const all = [{ key: 'other', type: 'LINE', subtype: '', category: 'EVENT' as const }, ...keys]
  for (let step = 0; step < counts.length; step++)
    for (const { key, type, subtype, category } of all) {
      const of = values[type] ?? counts
      const value = category === 'CONDITION' ? 'NORMAL' : (of[Math.min(step, of.length - 1)] ?? '')
      const timestamp = new Date(startMs + step * 10_000).toISOString()
      machines.add({ machineId, timestamp, key, type, subtype, category, value }, startMs + 60_000)
    }
  const [machine] = machines.read(startMs + 60_000)
  assert.isDefined(machine)
  return machine
}
