import { createDocumentStore } from '../../../clickhouse/documents/documents.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import { MachineInputCache } from '../../../processors/records/machine-input-cache.ts'
import { Partition } from '../../../processors/partitions/partition.ts'
import type { DocumentStore } from '../../../schema/document-store.ts'
import { stateSamplesPartition, type StateSamplesMessage } from '../../../schema/topics.ts'
import type { CompanySettings } from '../../../schema/records/company.ts'
import type { MachineRecord } from '../../../schema/records/machine.ts'
import type { Bucket } from '../../../processors/calendar/types.ts'
import { calendarOf, sample, TestPlant } from '../../api/reports/plant-support.ts'
import { expectTrueDays, type Seen } from '../../support/day-documents.ts'
import { hourMs } from '../../../shared/time/units.ts'
import { asCompanyRef, noCompany } from '../../../schema/refs.ts'

export const dayMs = 24 * hourMs

/** A plant with a clock and a store, whose partitions can be taken over repeatedly. */
export class DayWorld {
  readonly plant: TestPlant
  readonly store: Store
  nowMs: number
  #fence = 0

  constructor(store: Store, nowMs: number, settings: Partial<CompanySettings> = {}) {
    this.plant = new TestPlant(settings)
    this.store = store
    this.nowMs = nowMs
  }

  get companyRef(): number {
    return this.plant.company.ref
  }

  get settings(): CompanySettings {
    return this.plant.records.companyByRef(asCompanyRef(this.companyRef))?.settings ?? this.plant.company.settings
  }

  /** Shop days that overlap [fromMs, now). */
  days(fromMs: number): readonly Bucket[] {
    return calendarOf(this.settings, null).bucketsOf('day', fromMs, this.nowMs)
  }

  /** Returns the document store, wrapped by `around`. */
  documents(around: (store: DocumentStore) => DocumentStore = store => store): DocumentStore {
    return around(createDocumentStore(this.store))
  }

  /** Takes over a partition. `companies`: the companies that the owner knows at take-over. */
  async takeOver({
    partition = 0,
    partitions = 1,
    store = this.documents(),
    companies = this.plant.records.companies().map(({ ref }) => ref),
  } = {}): Promise<Partition> {
    const { records } = this.plant
    const inputs = new MachineInputCache({ records, calendarOf })
    const owner = new Partition({
      partition,
      partitions,
      fence: ++this.#fence,
      store,
      clock: () => this.nowMs,
      inputs: {
        parametersOf: ref => {
          const machine = records.machineByRef(ref)
          return machine ? inputs.parametersOf(machine) : undefined
        },
        read: (refs, range) =>
          inputs.read(
            refs.flatMap(ref => records.machineByRef(ref) ?? []),
            range,
          ),
      },
      calendarOf: ref => {
        const settings = records.companyByRef(ref)?.settings
        if (!settings) return undefined
        return { bounds: `${settings.timeZone} ${settings.startOfDay}`, calendar: calendarOf(settings, null) }
      },
      onCurrent: () => undefined,
    })
    const machines = [...records.allMachines()].filter(
      ({ ref }) => stateSamplesPartition(ref, partitions) === partition,
    )
    await owner.takeOver(machines, ({ companyId }) => records.company(companyId)?.ref ?? noCompany, companies)
    return owner
  }

  /** Changes the settings of the company, and notifies the owners. */
  async changeSettings(settings: Partial<CompanySettings>, owners: readonly Partition[]): Promise<void> {
    this.plant.put('company', { ...this.plant.company, settings: { ...this.settings, ...settings } })
    const machines = [...this.plant.records.allMachines()]
    const affected = machines.map(({ ref }) => ({ machineRef: ref, fromMs: 0, toMs: null }))
    for (const owner of owners) await owner.recordsChanged(affected, asCompanyRef(this.companyRef))
  }

  /** Returns the days that a report would read from day documents, after checking that these equal their hours. */
  see(fromMs: number): Promise<Seen> {
    return expectTrueDays(this.store, asCompanyRef(this.companyRef), this.days(fromMs))
  }
}

/** Returns one message of state samples: EXECUTION values of the machine by their instants. */
export function messageOf(machine: MachineRecord, values: Readonly<Record<number, string>>): StateSamplesMessage {
  const entries = Object.entries(values).map(([atMs, value]) => [Number(atMs), value] as const)
  const samples = entries.map(([atMs, value]) => sample(machine, atMs, 'EXECUTION', value))
  return { samples, seen: entries.map(([atMs]) => [machine.ref, atMs, atMs] as const) }
}

/** Passes one message to the owner (see `messageOf`). */
export function passMessage(
  owner: Partition,
  machine: MachineRecord,
  values: Readonly<Record<number, string>>,
): Promise<void> {
  return owner.consume([messageOf(machine, values)])
}

/** Computes all dirty hours, but builds no days. */
export async function computeDirtyHours(owner: Partition): Promise<void> {
  await owner.tick()
  while (await owner.work());
}

/** Computes all dirty hours, and builds all days that need it. */
export async function computeAll(owner: Partition): Promise<void> {
  await computeDirtyHours(owner)
  while (await owner.workOnDays());
}
