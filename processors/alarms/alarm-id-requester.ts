import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Log, NewRecord } from '../../log/log.ts'
import type { Command } from '../../schema/commands/command-log.ts'
import { groups, topics } from '../../schema/topics.ts'
import type { Records } from '../records/records.ts'
import { pause } from '../../shared/async/waiting.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import type { VersionedDocument } from '../../schema/document-store.ts'
import { AlarmIdProgress } from './alarm-id-progress.ts'
import { assignAlarmIds, type AssignAlarmIds } from './assign-alarm-ids.ts'
import {
  alarmCodeOf,
  alarmIdentityOf,
  toAlarmInstance,
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
  readonly owner: string
  /** Whether documents are being recomputed: requests then wait, so that ids are assigned in order of start. */
  readonly isBusy: () => boolean
  /** Called with the machines whose alarms were assigned ids. */
  readonly onAssigned?: (machines: readonly MachineRef[]) => void
  /** Maximum number of instances in memory; further ones are read from the store later. */
  readonly maxPending?: number
}

interface Pending {
  readonly partition: number
  readonly companyRef: CompanyRef
  readonly instance: AlarmInstance
  readonly version: bigint
  attempts: number
}

/** Key (`keyOf`) and instance. */
type KeyedPending = readonly [string, Pending]

/** Limits of one command: instances, and characters of their keys. */
const commandSize = 500
const commandChars = 500_000
/** Maximum number of instances per round of requests. */
const roundSize = 5000
const defaultMaxPending = 50_000
const maxDone = 20_000
/** Maximum number of documents per query of the store. */
const scanSize = 2000
/** A round waits until no document was added for `quietMs`, but at most `waitMs`. */
const quietMs = 60
const waitMs = 1000
const backOffMs = 1000
const maxAttempts = 5

/**
 * Requests ids for alarm instances: reads from the store the instances of written documents that have started and lack
 * an id, and sends them to the registrar until none is left. Writing documents never waits for ids. After a crash,
 * instances without an id are found by the stored `AlarmIdProgress`.
 */
export class AlarmIdRequester {
  readonly #deps: AlarmIdRequesterDeps
  readonly #pending = new Map<string, Pending>()
  /** The latest instances that have an id. */
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

  /**
   * Starts to request ids for a partition. Documents that earlier owners wrote after the stored progress are searched
   * for alarms without an id.
   */
  async takeOver(partition: number, companies: readonly CompanyRef[]): Promise<void> {
    this.release(partition)
    await this.#progress.takeOver(partition, companies)
    this.#startRun()
  }

  /** Stops requests for a partition that this process no longer owns. */
  release(partition: number): void {
    this.#progress.release(partition)
    for (const [key, pending] of this.#pending) if (pending.partition === partition) this.#pending.delete(key)
  }

  /** Adds the alarm instances of newly written documents. */
  add(partition: number, documents: readonly VersionedDocument[]): void {
    const before = this.#pending.size
    for (const { companyRef, machineRef, alarms, version } of documents) {
      this.#progress.written(partition, version)
      for (const element of alarms)
        this.#addPending(partition, companyRef, version, toAlarmInstance(machineRef, element))
    }
    if (this.#pending.size > before) this.#lastAddMs = performance.now()
    this.#startRun()
  }

  /** Returns the number of started instances of a partition that may lack an id, plus the number of pending scans. */
  due(partition: number): number {
    const nowMs = this.#deps.clock()
    let due = this.#progress.scansOf(partition)
    for (const each of this.#pending.values()) if (each.partition === partition && each.instance.startMs <= nowMs) due++
    return due
  }

  /** Requests ids of instances that have started meanwhile, and stores the progress. Call it every second. */
  async tick(): Promise<void> {
    this.#startRun()
    await this.#progress.store(partition => this.#firstPending(partition))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #addPending(partition: number, companyRef: CompanyRef, version: bigint, instance: AlarmInstance): void {
    const key = keyOf(instance)
    if (this.#done.has(key) || this.#pending.has(key)) return
    if (this.#pending.size < this.#maxPending)
      this.#pending.set(key, { partition, companyRef, instance, version, attempts: 0 })
    else this.#progress.rewindScan(partition, companyRef, version)
  }

  #firstPending(partition: number): bigint | null {
    let first: bigint | null = null
    for (const each of this.#pending.values())
      if (each.partition === partition && (first === null || each.version < first)) first = each.version
    return first
  }

  #startRun(): void {
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
        await this.#waitForQuiet()
        await this.#scan()
        await this.#request()
      } catch (error) {
        this.#deps.logger.warn({ err: error }, 'Failed to request ids of alarm instances, retrying')
        await pause(backOffMs, signal)
      }
    }
  }

  /** Waits until no documents were added for `quietMs`, at most `waitMs`. */
  async #waitForQuiet(): Promise<void> {
    const untilMs = performance.now() + waitMs
    const isQuiet = (): boolean => performance.now() - this.#lastAddMs >= quietMs && !this.#deps.isBusy()
    while (!isQuiet() && performance.now() < untilMs && !this.#stopping.signal.aborted) {
      await pause(quietMs / 3, this.#stopping.signal)
    }
  }

  /** Reads the next documents that earlier owners wrote, if there is memory for their instances. */
  async #scan(): Promise<void> {
    const scan = this.#progress.nextScan()
    if (!scan || this.#pending.size > this.#maxPending / 2) return
    const { partition, companyRef, from } = scan
    const found = await this.#deps.store.writtenSince(companyRef, from, scanSize)
    // Before the instances are added: if there is no memory for one of them, `rewindScan` moves the scan back to its
    // document.
    const last = found.at(-1)
    this.#progress.advanceScan(scan, found.length === scanSize && last ? last.version + 1n : null)
    for (const { version, instances } of found)
      for (const instance of instances) this.#addPending(partition, companyRef, version, instance)
  }

  async #request(): Promise<void> {
    const nowMs = this.#deps.clock()
    const due = [...this.#pending].filter(([, { instance }]) => instance.startMs <= nowMs)
    due.sort(([, a], [, b]) => a.instance.startMs - b.instance.startMs)
    const commands: NewRecord[] = []
    const requested: Pending[] = []
    for (const [companyRef, ofCompany] of groupBy(due.slice(0, roundSize), ([, pending]) => pending.companyRef)) {
      for (const chunk of splitIntoChunks(ofCompany)) {
        const unknown = await this.#removeIdentified(companyRef, chunk)
        requested.push(...unknown)
        if (unknown.length > 0) commands.push(this.#command(companyRef, unknown))
      }
    }
    if (commands.length === 0) return
    await this.#execute(commands)
    for (const pending of requested) pending.attempts++
  }

  /** Returns the instances of the chunk that lack an id, and removes the others from the pending ones. */
  async #removeIdentified(companyRef: CompanyRef, chunk: readonly KeyedPending[]): Promise<readonly Pending[]> {
    const instances = chunk.map(([, { instance }]) => instance)
    const known = await this.#deps.store.known(companyRef, instances)
    const assigned: MachineRef[] = []
    const unknown = chunk.flatMap(([key, pending]) => {
      const { instance, attempts } = pending
      const isKnown = known.instances.has(alarmIdentityOf(instance)) && known.codes.has(alarmCodeOf(instance))
      if (!isKnown && attempts < maxAttempts) return [pending]
      if (!isKnown) this.#deps.logger.error({ instance }, 'Failed to assign an id to an alarm instance')
      if (isKnown && attempts > 0) assigned.push(instance.machineRef)
      this.#pending.delete(key)
      this.#markDone(key)
      return []
    })
    if (assigned.length > 0) this.#deps.onAssigned?.(assigned)
    return unknown
  }

  #markDone(key: string): void {
    this.#done.add(key)
    if (this.#done.size <= maxDone) return
    for (const oldest of this.#done) {
      this.#done.delete(oldest)
      return
    }
  }

  #command(companyRef: CompanyRef, unknown: readonly Pending[]): NewRecord {
    const { records, clock, owner } = this.#deps
    const nowMs = clock()
    const companyId = records.companyByRef(companyRef)?.id ?? null
    const machineIdOf = (machineRef: MachineRef) => records.machineByRef(machineRef)?.id ?? ''
    const instances = unknown.map(({ instance }) => ({ ...instance, machineId: machineIdOf(instance.machineRef) }))
    const payload: AssignAlarmIds = { companyRef, instances }
    const head = { id: randomUUID(), deadlineMs: nowMs, nowMs, freshIds: [], companyId, actor: owner }
    const command: Command = { ...head, name: assignAlarmIds, payload }
    return { key: companyId, value: Buffer.from(JSON.stringify(command)), partition: 0 }
  }

  /** Appends commands; resolves when the registrar has committed a later offset, and thus has executed them. */
  async #execute(commands: readonly NewRecord[]): Promise<void> {
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

/**
 * Returns the key of an instance. It contains the message, because another message of the same instance is another
 * native code.
 */
function keyOf(instance: AlarmInstance): string {
  return `${alarmIdentityOf(instance)}${instance.message}`
}

/** Splits instances into chunks, one per command. */
function* splitIntoChunks(instances: readonly KeyedPending[]): Generator<readonly KeyedPending[]> {
  let chunk: KeyedPending[] = []
  let chars = 0
  for (const each of instances) {
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
