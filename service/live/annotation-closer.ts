import type { Logger } from 'pino'
import type { PlantReader } from '../../api/reports/plant-reader.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { Records } from '../../processors/records/records.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { groupBy } from '../../shared/collections/group-by.ts'
import { every } from '../../shared/async/every.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { dayMs } from '../../shared/time/units.ts'
import { crashOnRejection } from '../../shared/async/crash-on-rejection.ts'
import type { LiveFeed } from './feed.ts'

/**
 * Interval and number of checks of a machine after its status or its reasons changed, because its documents are written
 * a little later.
 */
const checkEveryMs = 2_000
const checksAfterChange = 5
/**
 * Each machine is checked once in this number of intervals, because a stop can also end with its shift, without a
 * change of status.
 */
const roundsToAll = 30
/** Limits of one query: the stops that start within this time, and their number. */
const spanMs = 28 * dayMs
const maxPerQuery = 500
/** A stop that started before this time is read from this time on. */
const maxAgeMs = 365 * dayMs

/** Dependencies of `AnnotationCloser`. */
export interface AnnotationCloserDeps {
  readonly records: Pick<Records, 'onChange' | 'companies' | 'list' | 'machine'>
  readonly feed: Pick<LiveFeed, 'listen'>
  readonly plant: Pick<PlantReader, 'downtimeRecords' | 'findDowntimeRecords'>
  readonly commands: Pick<CommandClient, 'submit'>
  readonly clock: () => number
  readonly logger: Logger
}

/**
 * Ends annotations with `endsWithStop` when the stop ends to which they assign a reason. Several processes may do so
 * concurrently.
 */
export class AnnotationCloser {
  readonly #deps: AnnotationCloserDeps
  /** Annotations that end with a stop, by id. */
  readonly #open = new Map<string, AnnotationRecord>()
  readonly #checks = new Map<MachineRef, number>()
  readonly #inTurn = createSerial()
  readonly #stops: readonly (() => void)[]
  #round = 0
  #isBusy = false

  constructor(deps: AnnotationCloserDeps) {
    this.#deps = deps
    for (const { id } of deps.records.companies())
      for (const annotation of deps.records.list('annotation', id)) this.#note(annotation.id, annotation)
    const forget = deps.records.onChange(change => {
      if (change.kind === 'annotation') this.#note(change.id, change.after)
    })
    const leave = deps.feed.listen({
      status: ({ statuses }) => {
        if (this.#open.size > 0) for (const { machineRef } of statuses) this.#checks.set(machineRef, checksAfterChange)
      },
    })
    this.#stops = [forget, leave, every(checkEveryMs, () => this.#tick())]
  }

  stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    return this.#inTurn(async () => undefined)
  }

  #note(id: string, annotation: AnnotationRecord | null): void {
    if (annotation?.endsWithStop !== true) return void this.#open.delete(id)
    this.#open.set(id, annotation)
    const machine = this.#deps.records.machine(annotation.machineId)
    if (machine) this.#checks.set(machine.ref, checksAfterChange)
  }

  #tick(): void {
    if (this.#open.size === 0) this.#checks.clear()
    if (this.#isBusy || this.#open.size === 0) return
    const isForAll = ++this.#round % roundsToAll === 0
    const annotations = [...this.#open.values()].filter(({ machineId }) => {
      const machine = this.#deps.records.machine(machineId)
      return machine !== null && (isForAll || this.#checks.has(machine.ref))
    })
    for (const [machineRef, left] of this.#checks)
      if (left > 1) this.#checks.set(machineRef, left - 1)
      else this.#checks.delete(machineRef)
    if (annotations.length === 0) return
    this.#isBusy = true
    // `#check` logs its failures.
    crashOnRejection(this.#inTurn(() => this.#check(annotations)).finally(() => (this.#isBusy = false)))
  }

  async #check(annotations: readonly AnnotationRecord[]): Promise<void> {
    for (const [companyId, own] of groupBy(annotations, each => each.companyId))
      for (const some of groupByStart(own))
        try {
          await this.#endCompleted(companyId, some)
        } catch (error) {
          // The next interval retries.
          this.#deps.logger.warn({ err: error }, 'Failed to check ended stops')
        }
  }

  async #endCompleted(companyId: string, annotations: readonly AnnotationRecord[]): Promise<void> {
    const { plant, records } = this.#deps
    const keyOf = ({ machineId, startAt }: AnnotationRecord) => {
      const machine = records.machine(machineId)
      return machine ? [{ machineRef: machine.ref, startMs: Date.parse(startAt) }] : []
    }
    const found = await plant.findDowntimeRecords(companyId, annotations.flatMap(keyOf))
    for (const annotation of annotations) {
      const [key] = keyOf(annotation)
      const isKey = (each: { readonly machineRef: MachineRef; readonly startMs: number }) =>
        each.machineRef === key?.machineRef && each.startMs === key.startMs
      if (found.find(isKey)?.endMs === null) continue
      const endAt = await this.#findEnd(annotation)
      if (endAt !== null) await this.#end(annotation, endAt)
    }
  }

  /**
   * Returns the end of the stop to which an annotation belongs: the stop in which it starts or, after late data, the
   * next stop with its reason. If there is no such stop, returns the current time or the start of the next stop, so
   * that the annotation contains no downtime. null: the stop is open.
   */
  async #findEnd({ companyId, machineId, startAt, reasonId }: AnnotationRecord): Promise<string | null> {
    const nowMs = this.#deps.clock()
    const fromMs = Math.max(Date.parse(startAt), nowMs - maxAgeMs)
    if (fromMs >= nowMs) return null
    const range = { start: isoText(fromMs), end: isoText(nowMs) }
    const query = { machineId: [machineId], ...range, orderBy: 'start', direction: 'ASC', limit: 1 } as const
    const { records } = await this.#deps.plant.downtimeRecords(companyId, query)
    const [first] = records
    if (!first) return range.end
    const isOwn = first.startAt <= range.start || first.reasonId === String(reasonId)
    return isOwn ? first.endAt : first.startAt
  }

  async #end({ id, companyId, startAt }: AnnotationRecord, endAt: string): Promise<void> {
    const by = { kind: 'service', name: 'Takt' } as const
    const options = { companyId, actor: 'service', by }
    resultOrThrow(await this.#deps.commands.submit('annotation.endWithStop', { id, startAt, endAt }, options))
  }
}

/** Groups annotations whose stops fit one query. */
function groupByStart(annotations: readonly AnnotationRecord[]): readonly (readonly AnnotationRecord[])[] {
  const groups: AnnotationRecord[][] = []
  for (const each of annotations.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))) {
    const group = groups.at(-1)
    const first = group?.[0]
    const fits = group && first && Date.parse(each.startAt) - Date.parse(first.startAt) < spanMs
    if (fits && group.length < maxPerQuery) group.push(each)
    else groups.push([each])
  }
  return groups
}
