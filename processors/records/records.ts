import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { Change, RecordKind, RecordKinds } from '../../schema/records.ts'
import type { ClaimRecord } from '../../schema/records/claim.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import type { InstallationRecord } from '../../schema/records/installation.ts'
import type { JobOperationRecord } from '../../schema/records/job-operation.ts'
import type { JobRunRecord } from '../../schema/records/job-run.ts'
import type { KeyRecord } from '../../schema/records/key.ts'
import type { MachineRecord } from '../../schema/records/machine.ts'
import type { OperatorRunRecord } from '../../schema/records/operator-run.ts'
import type { PartAdjustmentRecord } from '../../schema/records/part-adjustment.ts'
import type { RebuildRecord } from '../../schema/records/rebuild.ts'
import type { RecordEntry } from '../../schema/command-log.ts'
import type { ScheduleRecord } from '../../schema/records/schedule.ts'
import type { SessionRecord } from '../../schema/records/session.ts'
import type { UserRecord } from '../../schema/records/user.ts'
import { companyOf } from '../../schema/company-of.ts'
import { inSlices } from '../../shared/async/steps.ts'
import { JobOperationTable } from './job-operation-table.ts'
import type { JobNames, JobOperations } from './job-operations.ts'
import { SortedByMachine, byText } from './sorted-by-machine.ts'
import { type RecordTable, Table } from './table.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

/** Kinds that belong to a company. */
export type CompanyKind = Exclude<RecordKind, 'company' | 'claim' | 'installation'>

/** A change that listeners are told of: of job operations too many may change at once, and nobody follows each. */
export type FollowedChange = Exclude<Change, { readonly kind: 'jobOperation' }>
/** Told after each such change, when the records hold it and nothing later. */
export type ChangeListener = (change: FollowedChange, offset: number) => void
/** Told after all changes of an entry. */
export type EntryListener = (entry: RecordEntry, offset: number) => void

export type { JobNames } from './job-operations.ts'

type Tables = { readonly [K in RecordKind]: RecordTable<RecordKinds[K]> }
type ChangeOf<K extends RecordKind> = {
  readonly [P in K]: {
    readonly kind: P
    readonly id: string
    readonly before: RecordKinds[P] | null
    readonly after: RecordKinds[P] | null
  }
}[K]

/**
 * The plant's records in memory, as every process keeps them by following records.v1. Records are immutable: a changed one is
 * another object. Every look-up of a company's record names the company, so that none can see another's; only machines, companies
 * and what authenticates can be found without (by what is unique in the installation). Lists of a machine are live views, valid until
 * the next change.
 */
export class Records {
  #offset = -1
  #commandOffset = -1
  readonly #operations = new JobOperationTable()
  readonly #tables: Tables = {
    installation: new Table(),
    company: new Table(),
    key: new Table(),
    user: new Table(),
    session: new Table(),
    machine: new Table(),
    schedule: new Table(),
    machineGroup: new Table(),
    operator: new Table(),
    operatorRun: new Table(),
    downtimeReason: new Table(),
    annotation: new Table(),
    partAdjustmentType: new Table(),
    partAdjustment: new Table(),
    jobOperation: this.#operations,
    jobRun: new Table(),
    claim: new Table(),
    rebuild: new Table(),
  }
  readonly #companyByRef = new Map<number, CompanyRecord>()
  readonly #machineById = new Map<string, MachineRecord>()
  readonly #machineByRef = new Map<number, MachineRecord>()
  readonly #machinesByName = new Map<string, readonly MachineRecord[]>()
  readonly #machinesByErpId = new Map<string, readonly MachineRecord[]>()
  readonly #members = new Map<string, Set<string>>()
  readonly #keyById = new Map<string, KeyRecord>()
  readonly #keyByHash = new Map<string, KeyRecord>()
  readonly #userById = new Map<string, UserRecord>()
  readonly #usersByEmail = new Map<string, readonly UserRecord[]>()
  readonly #sessionById = new Map<string, SessionRecord>()
  readonly #runs = new SortedByMachine<JobRunRecord>(
    (a, b) => byText(a.startAt, b.startAt) || a.startSequence - b.startSequence,
  )
  readonly #operatorRuns = new SortedByMachine<OperatorRunRecord>(
    (a, b) => byText(a.startAt, b.startAt) || byText(a.id, b.id),
  )
  readonly #annotations = new SortedByMachine<AnnotationRecord>(
    (a, b) => byText(a.startAt, b.startAt) || byText(a.id, b.id),
  )
  readonly #adjustments = new SortedByMachine<PartAdjustmentRecord>(
    (a, b) => byText(a.adjustmentTime, b.adjustmentTime) || byText(a.id, b.id),
  )
  readonly #changeListeners = new Set<ChangeListener>()
  readonly #entryListeners = new Set<EntryListener>()
  readonly #waiting = new Set<{ readonly offset: number; readonly resolve: () => void }>()

  /** Offset of the last entry applied; -1: none. */
  get offset(): number {
    return this.#offset
  }

  /** `commandOffset` of the last entry that changed something here; -1: none. */
  get commandOffset(): number {
    return this.#commandOffset
  }

  /**
   * Applies an entry of records.v1. What is known already is passed over: entries at or below `offset`, and those that say again what
   * a command came to. Commands are decided in their order, so the offset of each is above those before.
   */
  apply(entry: RecordEntry, offset: number): void {
    if (offset <= this.#offset) return
    this.#offset = offset
    if (entry.commandOffset > this.#commandOffset) this.#applyChanges(entry, offset)
    this.#resolveWaiting()
  }

  /**
   * As `apply`, but others get their turn while an import's many job operations are taken over: until the end they read those before,
   * then all at once those after. No other entry may be applied meanwhile.
   */
  async applyInTurns(entry: RecordEntry, offset: number): Promise<void> {
    const companyId = entry.changes.length > manyChanges ? companyOfOperations(entry.changes) : null
    if (companyId === null || offset <= this.#offset || entry.commandOffset <= this.#commandOffset)
      return this.apply(entry, offset)
    const operations = await inSlices(this.#operations.changed(companyId, entry.changes))
    this.#operations.replace(companyId, operations)
    this.#offset = offset
    this.#commandOffset = entry.commandOffset
    for (const listener of this.#entryListeners) listener(entry, offset)
    this.#resolveWaiting()
  }

  /** Calls the listener after every change but of job operations, in order; returns what ends it. */
  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener)
    return () => this.#changeListeners.delete(listener)
  }

  /** Calls the listener after every entry, in order; returns what ends it. */
  onEntry(listener: EntryListener): () => void {
    this.#entryListeners.add(listener)
    return () => this.#entryListeners.delete(listener)
  }

  /** Resolves when the entry at `offset` has been applied. */
  async waitFor(offset: number): Promise<void> {
    if (offset <= this.#offset) return
    await new Promise<void>(resolve => {
      const waiter = {
        offset,
        resolve: () => {
          this.#waiting.delete(waiter)
          resolve()
        },
      }
      this.#waiting.add(waiter)
    })
  }

  /** One record of a company; null where it has none of that id. UUIDs are found in any letter case, but for an ERP's ids of runs. */
  get<K extends CompanyKind>(kind: K, companyId: string, id: string | number): RecordKinds[K] | null {
    return this.#tables[kind].get(companyId, kind === 'jobRun' ? String(id) : canonicalId(String(id)))
  }

  /** A company's records of a kind, oldest first. */
  list<K extends CompanyKind>(kind: K, companyId: string): readonly RecordKinds[K][] {
    return this.#tables[kind].list(companyId)
  }

  /** The installation that the log belongs to; null: nothing has been written to it. */
  installation(): InstallationRecord | null {
    return this.#tables.installation.get('', installationKey)
  }

  company(id: string): CompanyRecord | null {
    return this.#tables.company.get('', id)
  }

  companyByRef(ref: CompanyRef): CompanyRecord | null {
    return this.#companyByRef.get(ref) ?? null
  }

  /** Every company, by ref. */
  companies(): readonly CompanyRecord[] {
    return [...this.#companyByRef.values()].sort((a, b) => a.ref - b.ref)
  }

  /** The machine with this id (a UUID in any letter case), of whatever company. */
  machine(id: string): MachineRecord | null {
    return this.#machineById.get(id) ?? this.#machineById.get(id.toLowerCase()) ?? null
  }

  machineByRef(ref: MachineRef): MachineRecord | null {
    return this.#machineByRef.get(ref) ?? null
  }

  /** Every machine of the installation. */
  allMachines(): IterableIterator<MachineRecord> {
    return this.#machineById.values()
  }

  /** A company's machines, decommissioned ones too, by name, then id. */
  machines(companyId: string): readonly MachineRecord[] {
    let machines = this.#machinesByName.get(companyId)
    if (!machines) {
      machines = [...this.list('machine', companyId)].sort((a, b) => byText(a.name, b.name) || byText(a.id, b.id))
      this.#machinesByName.set(companyId, machines)
    }
    return machines
  }

  /** The machine that an ERP means: the one in service, else the one decommissioned last. */
  machineByErpId(companyId: string, erpMachineId: string): MachineRecord | null {
    return this.#machinesByErpId.get(pair(companyId, erpMachineId))?.at(-1) ?? null
  }

  /** Ids of a group's machines. */
  machinesOfGroup(companyId: string, groupId: string): ReadonlySet<string> {
    return this.#members.get(pair(companyId, canonicalId(groupId))) ?? new Set()
  }

  keyByHash(hash: string): KeyRecord | null {
    return this.#keyByHash.get(hash) ?? null
  }

  keyById(id: string): KeyRecord | null {
    return this.#keyById.get(id) ?? null
  }

  userById(id: string): UserRecord | null {
    return this.#userById.get(id) ?? null
  }

  /** Users of all companies with this address, in any letter case; of each company there is one at most. */
  usersByEmail(email: string): readonly UserRecord[] {
    return this.#usersByEmail.get(email.toLowerCase()) ?? []
  }

  sessionById(id: string): SessionRecord | null {
    return this.#sessionById.get(id) ?? null
  }

  /** The schedule that a machine follows; null: it works around the clock. */
  scheduleOf(machine: MachineRecord): ScheduleRecord | null {
    return machine.scheduleId === null ? null : this.get('schedule', machine.companyId, machine.scheduleId)
  }

  jobOperation(companyId: string, names: JobNames): JobOperationRecord | null {
    return this.jobOperations(companyId).byNames(names)
  }

  /** A company's job operations; valid until the next change. */
  jobOperations(companyId: string): JobOperations {
    return this.#operations.of(companyId)
  }

  /** A machine's job runs as told, by (startAt, startSequence). */
  runsOf(machineId: string): readonly JobRunRecord[] {
    return this.#runs.of(machineId)
  }

  /** A machine's sign-ins, by startAt. */
  operatorRunsOf(machineId: string): readonly OperatorRunRecord[] {
    return this.#operatorRuns.of(machineId)
  }

  /** A machine's annotations, by startAt; they don't overlap. */
  annotationsOf(machineId: string): readonly AnnotationRecord[] {
    return this.#annotations.of(machineId)
  }

  /** A machine's adjustments, by adjustmentTime. */
  adjustmentsOf(machineId: string): readonly PartAdjustmentRecord[] {
    return this.#adjustments.of(machineId)
  }

  claim(id: string): ClaimRecord | null {
    return this.#tables.claim.get('', id)
  }

  /** Every record that there is, of every kind. */
  *everything(): Generator<{
    readonly kind: RecordKind
    readonly id: string
    readonly record: RecordKinds[RecordKind]
  }> {
    for (const kind of kindsOf(this.#tables))
      for (const record of this.#tables[kind].all()) yield { kind, id: String(record.id), record }
  }

  /** Every rebuild, of whatever company. */
  rebuilds(): readonly RebuildRecord[] {
    return [...this.#tables.rebuild.all()]
  }

  #applyChanges(entry: RecordEntry, offset: number): void {
    this.#commandOffset = entry.commandOffset
    for (const change of entry.changes) {
      this.#store(change)
      this.#index(change)
      if (change.kind === 'jobOperation') continue
      for (const listener of this.#changeListeners) listener(change, offset)
    }
    for (const listener of this.#entryListeners) listener(entry, offset)
  }

  #resolveWaiting(): void {
    for (const waiter of this.#waiting) if (waiter.offset <= this.#offset) waiter.resolve()
  }

  #store<K extends RecordKind>(change: ChangeOf<K>): void {
    const table: RecordTable<RecordKinds[K]> = this.#tables[change.kind]
    const { before, after } = change
    if (after) table.put(companyOf(after), change.id, after)
    else if (before) table.delete(companyOf(before), change.id)
  }

  #index(change: Change): void {
    switch (change.kind) {
      case 'company':
        replaceIn(this.#companyByRef, change.before?.ref, change.after?.ref, change.after)
        break
      case 'machine':
        this.#indexMachine(change.before, change.after)
        break
      case 'key':
        replaceIn(this.#keyById, change.before?.id, change.after?.id, change.after)
        replaceIn(this.#keyByHash, change.before?.hash, change.after?.hash, change.after)
        break
      case 'user':
        replaceIn(this.#userById, change.before?.id, change.after?.id, change.after)
        this.#indexEmail(change.before, change.after)
        break
      case 'session':
        replaceIn(this.#sessionById, change.before?.id, change.after?.id, change.after)
        break
      case 'jobRun':
        this.#runs.replace(change.before, change.after)
        break
      case 'operatorRun':
        this.#operatorRuns.replace(change.before, change.after)
        break
      case 'annotation':
        this.#annotations.replace(change.before, change.after)
        break
      case 'partAdjustment':
        this.#adjustments.replace(change.before, change.after)
        break
      case 'schedule':
      case 'machineGroup':
      case 'operator':
      case 'downtimeReason':
      case 'partAdjustmentType':
      case 'jobOperation':
      case 'claim':
      case 'rebuild':
      case 'installation':
        break
    }
  }

  #indexEmail(before: UserRecord | null, after: UserRecord | null): void {
    if (before) {
      const others = this.usersByEmail(before.email).filter(({ id }) => id !== before.id)
      if (others.length > 0) this.#usersByEmail.set(before.email, others)
      else this.#usersByEmail.delete(before.email)
    }
    if (after) this.#usersByEmail.set(after.email, [...this.usersByEmail(after.email), after])
  }

  #indexMachine(before: MachineRecord | null, after: MachineRecord | null): void {
    replaceIn(this.#machineById, before?.id, after?.id, after)
    replaceIn(this.#machineByRef, before?.ref, after?.ref, after)
    if (before) this.#leaveIndexes(before)
    if (after) this.#enterIndexes(after)
  }

  #leaveIndexes(machine: MachineRecord): void {
    this.#machinesByName.delete(machine.companyId)
    for (const group of machine.machineGroupIds) this.#members.get(pair(machine.companyId, group))?.delete(machine.id)
    if (machine.erpMachineId === null) return
    const key = pair(machine.companyId, machine.erpMachineId)
    const others = (this.#machinesByErpId.get(key) ?? []).filter(({ id }) => id !== machine.id)
    this.#machinesByErpId.set(key, others)
  }

  #enterIndexes(machine: MachineRecord): void {
    this.#machinesByName.delete(machine.companyId)
    for (const group of machine.machineGroupIds) {
      const key = pair(machine.companyId, group)
      const members = this.#members.get(key)
      if (members) members.add(machine.id)
      else this.#members.set(key, new Set([machine.id]))
    }
    if (machine.erpMachineId === null) return
    const key = pair(machine.companyId, machine.erpMachineId)
    const sharing = [...(this.#machinesByErpId.get(key) ?? []), machine]
    this.#machinesByErpId.set(key, sharing.sort(inServiceLast))
  }
}

/** The id of the only record of its kind. */
export const installationKey = 'installation'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** How an id is kept: UUIDs in lower case, other ids as they are. */
export function canonicalId(id: string): string {
  return id.length === 36 && uuid.test(id) ? id.toLowerCase() : id
}

function kindsOf(tables: Tables): readonly RecordKind[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the type
  return Object.keys(tables) as RecordKind[]
}

function replaceIn<Key, T>(map: Map<Key, T>, before: Key | undefined, after: Key | undefined, record: T | null): void {
  if (before !== undefined) map.delete(before)
  if (after !== undefined && record !== null) map.set(after, record)
}

function inServiceLast(a: MachineRecord, b: MachineRecord): number {
  // '~' sorts behind every date.
  return byText(a.decommissionedAt ?? '~', b.decommissionedAt ?? '~') || a.ref - b.ref
}

function pair(a: string, b: string): string {
  return `${a}\n${b}`
}

/** More are applied in turns, where they are of job operations. */
const manyChanges = 500

/** The company whose job operations are all that changes; null: other records change too. */
function companyOfOperations(changes: readonly Change[]): string | null {
  const [first] = changes
  const record = first?.after ?? first?.before
  if (!record) return null
  const companyId = companyOf(record)
  const isAlike = ({ kind, before, after }: Change): boolean =>
    kind === 'jobOperation' && (after ?? before)?.companyId === companyId
  return changes.every(isAlike) ? companyId : null
}
