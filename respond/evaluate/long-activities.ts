import type { MachineRef } from '../../schema/refs.ts'

/** Limits for the memory of the process: 12,000 runs of a machine take about 1 MB. */
const maxMachines = 20
const maxOfCompany = 10

/** The machines of this process whose activity in memory may be as long as the longest history. */
export class LongActivities {
  /** With the object that holds the activity. */
  readonly #machines = new Map<MachineRef, object>()
  readonly #companyIdOf: (machineRef: MachineRef) => string | undefined

  constructor(companyIdOf: (machineRef: MachineRef) => string | undefined) {
    this.#companyIdOf = companyIdOf
  }

  has(machineRef: MachineRef, owner: object): boolean {
    return this.#machines.get(machineRef) === owner
  }

  /** Adds a machine, unless this exceeds a limit. */
  add(machineRef: MachineRef, owner: object): void {
    const companyId = this.#companyIdOf(machineRef)
    let ofCompany = 0
    for (const ref of this.#machines.keys()) if (this.#companyIdOf(ref) === companyId) ofCompany++
    const isFull = this.#machines.size >= maxMachines || ofCompany >= maxOfCompany
    if (!isFull || this.#machines.has(machineRef)) this.#machines.set(machineRef, owner)
  }

  /** Removes the machines that do not need a long activity any more. */
  retain(needs: (machineRef: MachineRef, owner: object) => boolean): void {
    for (const [machineRef, owner] of this.#machines) if (!needs(machineRef, owner)) this.#machines.delete(machineRef)
  }
}
