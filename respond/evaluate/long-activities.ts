import type { MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'

/** Limit for the memory of the process: 12,000 runs of a machine take about 1 MB. */
export const maxMachines = 20

/** The machines of this process whose activity in memory may be as long as the longest history. */
export class LongActivities {
  /** With the object that holds the activity; in the order in which they were added. */
  readonly #machines = new Map<MachineRef, object>()
  readonly #companyIdOf: (machineRef: MachineRef) => string | undefined

  constructor(companyIdOf: (machineRef: MachineRef) => string | undefined) {
    this.#companyIdOf = companyIdOf
  }

  has(machineRef: MachineRef, owner: object): boolean {
    return this.#machines.get(machineRef) === owner
  }

  /**
   * Adds a machine, unless this exceeds the limit: then only if another company has more machines than its own would have,
   * instead of the first of them.
   */
  add(machineRef: MachineRef, owner: object): void {
    if (!this.#machines.has(machineRef) && this.#machines.size >= maxMachines) {
      const byCompany = groupBy([...this.#machines.keys()], this.#companyIdOf)
      const count = (byCompany.get(this.#companyIdOf(machineRef)) ?? []).length + 1
      const most = [...byCompany.values()].reduce((a, b) => (b.length > a.length ? b : a))
      const [first] = most
      if (first === undefined || most.length <= count) return
      this.#machines.delete(first)
    }
    this.#machines.set(machineRef, owner)
  }

  /** Removes the machines that do not need a long activity any more. */
  retain(needs: (machineRef: MachineRef, owner: object) => boolean): void {
    for (const [machineRef, owner] of this.#machines) if (!needs(machineRef, owner)) this.#machines.delete(machineRef)
  }
}
