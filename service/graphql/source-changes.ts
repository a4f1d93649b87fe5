import type { Source } from '../../api/graphql/model/source-reads.ts'
import type { SourceChange } from '../../api/graphql/subscriptions/subscription-index.ts'
import type { Records } from '../../processors/records/records.ts'
import type { MachineRef } from '../../schema/refs.ts'

/** Publishes changes of sources to the caches that depend on them. */
export class SourceChanges {
  readonly #records: Pick<Records, 'machineByRef' | 'companies'>
  readonly #listeners: ((change: SourceChange) => void)[] = []

  constructor(records: Pick<Records, 'machineByRef' | 'companies'>) {
    this.#records = records
  }

  /** Adds a listener, which is never removed. */
  listen(listener: (change: SourceChange) => void): void {
    this.#listeners.push(listener)
  }

  publish(change: SourceChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  /** Publishes a change of all keys of these machines. */
  publishMachines(source: Source, machines: Iterable<MachineRef>): void {
    for (const machineRef of machines) {
      const companyId = this.findCompany(machineRef)
      if (companyId !== null) this.publish({ companyId, source, machineRef, key: null })
    }
  }

  /** Publishes a change of a company that is not limited to machines. */
  publishCompany(source: Source, companyId: string): void {
    this.publish({ companyId, source, machineRef: null, key: null })
  }

  publishAll(source: Source): void {
    for (const { id } of this.#records.companies()) this.publishCompany(source, id)
  }

  /** Returns the id of a machine's company; null: unknown machine. */
  findCompany(machineRef: MachineRef): string | null {
    return this.#records.machineByRef(machineRef)?.companyId ?? null
  }
}
