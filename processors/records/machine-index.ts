import type { MachineRecord } from '../../schema/records/machine.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { replaceIn } from './replace-in.ts'
import { byName } from './sorted-by-machine.ts'
import { compareTexts } from '../../shared/collections/compare-texts.ts'

/** Index of machines by id, ref, company, ERP id and group. */
export class MachineIndex {
  readonly #byId = new Map<string, MachineRecord>()
  readonly #byRef = new Map<number, MachineRecord>()
  readonly #byName = new Map<string, readonly MachineRecord[]>()
  readonly #byErpId = new Map<string, readonly MachineRecord[]>()
  readonly #members = new Map<string, Set<string>>()

  /** Number of machines. */
  get size(): number {
    return this.#byId.size
  }

  /** Returns the machine with this id (a UUID in any letter case), of any company. */
  byId(id: string): MachineRecord | null {
    return this.#byId.get(id) ?? this.#byId.get(id.toLowerCase()) ?? null
  }

  byRef(ref: MachineRef): MachineRecord | null {
    return this.#byRef.get(ref) ?? null
  }

  /** Returns all machines of the installation. */
  all(): IterableIterator<MachineRecord> {
    return this.#byId.values()
  }

  /** Returns a company's machines by name, then id. After a change they are sorted again, from `list`. */
  byName(companyId: string, list: () => readonly MachineRecord[]): readonly MachineRecord[] {
    let machines = this.#byName.get(companyId)
    if (!machines) {
      machines = [...list()].sort(byName)
      this.#byName.set(companyId, machines)
    }
    return machines
  }

  /** Returns the machine with an ERP id: the one in service, otherwise the most recently decommissioned one. */
  byErpId(companyId: string, erpMachineId: string): MachineRecord | null {
    return this.#byErpId.get(pair(companyId, erpMachineId))?.at(-1) ?? null
  }

  /** Returns the ids of a group's machines. */
  ofGroup(companyId: string, groupId: string): ReadonlySet<string> {
    return this.#members.get(pair(companyId, groupId)) ?? new Set()
  }

  replace(before: MachineRecord | null, after: MachineRecord | null): void {
    replaceIn(this.#byId, before?.id, after?.id, after)
    replaceIn(this.#byRef, before?.ref, after?.ref, after)
    if (before) this.#remove(before)
    if (after) this.#insert(after)
  }

  #remove(machine: MachineRecord): void {
    this.#byName.delete(machine.companyId)
    for (const group of machine.machineGroupIds) this.#members.get(pair(machine.companyId, group))?.delete(machine.id)
    if (machine.erpMachineId === null) return
    const key = pair(machine.companyId, machine.erpMachineId)
    const others = (this.#byErpId.get(key) ?? []).filter(({ id }) => id !== machine.id)
    this.#byErpId.set(key, others)
  }

  #insert(machine: MachineRecord): void {
    this.#byName.delete(machine.companyId)
    for (const group of machine.machineGroupIds) {
      const key = pair(machine.companyId, group)
      const members = this.#members.get(key)
      if (members) members.add(machine.id)
      else this.#members.set(key, new Set([machine.id]))
    }
    if (machine.erpMachineId === null) return
    const key = pair(machine.companyId, machine.erpMachineId)
    const sharing = [...(this.#byErpId.get(key) ?? []), machine]
    this.#byErpId.set(key, sharing.sort(inServiceLast))
  }
}

function inServiceLast(a: MachineRecord, b: MachineRecord): number {
  // '~' sorts behind every date.
  return compareTexts(a.decommissionedAt ?? '~', b.decommissionedAt ?? '~') || a.ref - b.ref
}

function pair(a: string, b: string): string {
  return `${a}\n${b}`
}
