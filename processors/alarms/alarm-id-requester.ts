import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Log, NewRecord } from '../../log/log.ts'
import type { Command } from '../../schema/commands/command-log.ts'
import { groups, topics } from '../../schema/topics.ts'
import type { Records } from '../records/records.ts'
import { pause } from '../../shared/async/waiting.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import { AlarmIdProgress } from './alarm-id-progress.ts'
import { assignAlarmIds, type AssignAlarmIds } from './assign-alarm-ids.ts'
import {
  alarmCodeOf,
  alarmIdentityOf,
  instanceOf,
  type AlarmIdStore,
  type AlarmInstance,
} from '../../schema/alarm-instance.ts'
import type { CompanyRef, MachineRef } from '../../schema/refs.ts'

export interface AlarmIdRequesterDeps {
  readonly store: AlarmIdStore
  readonly log: Log
  readonly records: Records
  readonly clock: () => number
  readonly logger: Logger
  /** Names this process in its commands. */
  readonly owner: string
  /** Whether documents are being recomputed: then requests wait, so that ids are assigned in order of start. */
  readonly isBusy: () => boolean
  /** Told of machines whose alarms were given ids. */
  readonly onAssigned?: (machines: readonly MachineRef[]) => void
  /** How many instances are held in memory; more than that are read from the store again once there is room. */
  readonly maxPending?: number
}

interface Pending {
  readonly partition: number
  readonly companyRef: CompanyRef
  readonly instance: AlarmInstance
  readonly version: bigint
  attempts: number
}

/** By `keyOf`. */
type Wanted = readonly [string, Pending]

/** Bounds of one command. */
const commandSize = 500
const commandChars = 500_000
/** Bound of one round. */
const roundSize = 5000
const defaultMaxPending = 50_000
const maxRemembered = 20_000
/** Documents of one look into the store. */
const scanSize = 2000
/** A round waits for quiet, but no longer than this. */
const quietMs = 60
const waitMs = 1000
const backOffMs = 1000
const maxAttempts = 5

/**
 * Requests ids for alarm instances: reads from the store the instances of written documents that have started and lack
 * an id, and sends them to the registrar until none is left. Documents never wait for ids. Instances that lack an id
 * after a crash are found by the versions of documents: `AlarmIdProgress` is stored.
 */
export class AlarmIdRequester {
  readonly #deps: AlarmIdRequesterDeps
  readonly #pending = new Map<string, Pending>()
  /** Instances that surely have ids, the latest ones. */
  readonly #done = new Set<string>()
  readonly #progress: AlarmIdProgress
  readonly #stopping = new AbortController()
  readonly #maxPending: number
  #running: Promise<void> | null = null
  #lastAddMs = 0

  constructor(deps: AlarmIdRequesterDeps) {
    this.#deps = deps
    this.#maxPending = deps.maxPending ?? defaultMaxPending
    this.#progress = new AlarmIdProgress(deps.store)
  }

  /** Takes a partition over: what was written before and may have alarms without an id, which it looks for. */
  async takeOver(partition: number, companies: readonly CompanyRef[]): Promise<void> {
    this.release(partition)
    await this.#progress.takeOver(partition, companies)
    this.#kick()
  }

  /** The partition is someone else's now. */
  release(partition: number): void {
    this.#progress.release(partition)
    for (const [key, pending] of this.#pending) if (pending.partition === partition) this.#pending.delete(key)
  }

  /** Documents of a partition were written. */
  add(partition: number, documents: readonly VersionedDocument[]): void {
    const before = this.#pending.size
    for (const { companyRef, machineRef, alarms, version } of documents) {
      this.#progress.written(partition, version)
      for (const piece of alarms) this.#want(partition, companyRef, version, instanceOf(machineRef, piece))
    }
    if (this.#pending.size > before) this.#lastAddMs = performance.now()
    this.#kick()
  }

  /** How many instances of a partition should have an id and perhaps have none. */
  due(partition: number): number {
    const nowMs = this.#deps.clock()
    let due = this.#progress.scansOf(partition)
    for (const each of this.#pending.values()) if (each.partition === partition && each.instance.startMs <= nowMs) due++
    return due
  }

  /** Time has passed: instances begin, and what is done is noted. Call it every second. */
  async tick(): Promise<void> {
    this.#kick()
    await this.#progress.store(partition => this.#firstPending(partition))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #want(partition: number, companyRef: CompanyRef, version: bigint, instance: AlarmInstance): void {
    const key = keyOf(instance)
    if (this.#done.has(key) || this.#pending.has(key)) return
    if (this.#pending.size < this.#maxPending)
      this.#pending.set(key, { partition, companyRef, instance, version, attempts: 0 })
    else this.#progress.scanFrom(partition, companyRef, version)
  }

  #firstPending(partition: number): bigint | null {
    let first: bigint | null = null
    for (const each of this.#pending.values())
      if (each.partition === partition && (first === null || each.version < first)) first = each.version
    return first
  }

  #kick(): void {
    if (this.#running || this.#stopping.signal.aborted || !this.#hasWork()) return
    this.#running = this.#run().finally(() => {
      this.#running = null
    })
  }

  #hasWork(): boolean {
    const nowMs = this.#deps.clock()
    if (this.#progress.nextScan()) return true
    for (const { instance } of this.#pending.values()) if (instance.startMs <= nowMs) return true
    return false
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted && this.#hasWork()) {
      try {
        await this.#gather()
        await this.#scan()
        await this.#request()
      } catch (error) {
        this.#deps.logger.warn({ err: error }, 'Failed to request ids of alarm instances, retrying')
        await pause(backOffMs, signal)
      }
    }
  }

  /** Waits until documents come no more for a moment. */
  async #gather(): Promise<void> {
    const untilMs = performance.now() + waitMs
    const isQuiet = (): boolean => performance.now() - this.#lastAddMs >= quietMs && !this.#deps.isBusy()
    while (!isQuiet() && performance.now() < untilMs && !this.#stopping.signal.aborted) {
      await pause(quietMs / 3, this.#stopping.signal)
    }
  }

  /** Looks a little further through what was written before, while there is room. */
  async #scan(): Promise<void> {
    const scan = this.#progress.nextScan()
    if (!scan || this.#pending.size > this.#maxPending / 2) return
    const { partition, companyRef, from } = scan
    const found = await this.#deps.store.writtenSince(companyRef, from, scanSize)
    // Before they are wanted: where there is no room for one of them, the scan goes back to it.
    const last = found.at(-1)
    this.#progress.scanned(scan, found.length === scanSize && last ? last.version + 1n : null)
    for (const { version, instances } of found)
      for (const instance of instances) this.#want(partition, companyRef, version, instance)
  }

  async #request(): Promise<void> {
    const nowMs = this.#deps.clock()
    const due = [...this.#pending].filter(([, { instance }]) => instance.startMs <= nowMs)
    due.sort(([, a], [, b]) => a.instance.startMs - b.instance.startMs)
    const commands: NewRecord[] = []
    const told: Pending[] = []
    for (const [companyRef, ofCompany] of byCompany(due.slice(0, roundSize))) {
      for (const chunk of chunksOf(ofCompany)) {
        const unknown = await this.#settle(companyRef, chunk)
        told.push(...unknown)
        if (unknown.length > 0) commands.push(this.#command(companyRef, unknown))
      }
    }
    if (commands.length === 0) return
    await this.#tell(commands)
    for (const pending of told) pending.attempts++
  }

  /** Returns the instances of the chunk that have no id; forgets the others, which are done. */
  async #settle(companyRef: CompanyRef, chunk: readonly Wanted[]): Promise<readonly Pending[]> {
    const known = await this.#deps.store.known(
      companyRef,
      chunk.map(([, { instance }]) => instance),
    )
    const assigned: MachineRef[] = []
    const unknown = chunk.flatMap(([key, pending]) => {
      const { instance, attempts } = pending
      const isKnown = known.instances.has(alarmIdentityOf(instance)) && known.codes.has(alarmCodeOf(instance))
      if (!isKnown && attempts < maxAttempts) return [pending]
      if (!isKnown) this.#deps.logger.error({ instance }, 'an alarm instance gets no id')
      if (isKnown && attempts > 0) assigned.push(instance.machineRef)
      this.#pending.delete(key)
      this.#remember(key)
      return []
    })
    if (assigned.length > 0) this.#deps.onAssigned?.(assigned)
    return unknown
  }

  #remember(key: string): void {
    this.#done.add(key)
    if (this.#done.size <= maxRemembered) return
    for (const oldest of this.#done) {
      this.#done.delete(oldest)
      return
    }
  }

  #command(companyRef: CompanyRef, unknown: readonly Pending[]): NewRecord {
    const { records, clock, owner } = this.#deps
    const nowMs = clock()
    const companyId = records.companyByRef(companyRef)?.id ?? null
    const instances = unknown.map(({ instance }) => ({
      ...instance,
      machineId: records.machineByRef(instance.machineRef)?.id ?? '',
    }))
    const payload: AssignAlarmIds = { companyRef, instances }
    const command: Command = {
      id: randomUUID(),
      deadlineMs: nowMs,
      nowMs,
      freshIds: [],
      companyId,
      actor: owner,
      name: assignAlarmIds,
      payload,
    }
    return { key: companyId, value: Buffer.from(JSON.stringify(command)), partition: 0 }
  }

  /** Resolves when the registrar is past the commands: it has done them then. */
  async #tell(commands: readonly NewRecord[]): Promise<void> {
    const { log } = this.#deps
    const positions = await log.append(topics.commands, commands)
    const last = Math.max(...positions.map(({ offset }) => offset))
    for (let waitedMs = 5; !this.#stopping.signal.aborted; waitedMs = Math.min(waitedMs * 1.5, 200)) {
      const [next] = await log.committed(groups.registrar, topics.commands)
      if ((next ?? 0) > last) return
      await pause(waitedMs, this.#stopping.signal)
    }
  }
}

/** A message that changes makes another native code of the same instance. */
function keyOf(instance: AlarmInstance): string {
  return `${alarmIdentityOf(instance)}${instance.message}`
}

function byCompany(wanted: readonly Wanted[]): ReadonlyMap<CompanyRef, readonly Wanted[]> {
  const groups = new Map<CompanyRef, Wanted[]>()
  for (const each of wanted) {
    const group = groups.get(each[1].companyRef)
    if (group) group.push(each)
    else groups.set(each[1].companyRef, [each])
  }
  return groups
}

/** Cuts instances into the chunks that one command carries. */
function* chunksOf(wanted: readonly Wanted[]): Generator<readonly Wanted[]> {
  let chunk: Wanted[] = []
  let chars = 0
  for (const each of wanted) {
    if (chunk.length === commandSize || (chars + each[0].length > commandChars && chunk.length > 0)) {
      yield chunk
      chunk = []
      chars = 0
    }
    chunk.push(each)
    chars += each[0].length
  }
  if (chunk.length > 0) yield chunk
}
