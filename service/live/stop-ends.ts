import type { Logger } from 'pino'
import type { PlantReader } from '../../api/reports/plant-reader.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { Records } from '../../processors/records/records.ts'
import { resultOf } from '../../schema/commands/command-log.ts'
import type { AnnotationRecord } from '../../schema/records/annotation.ts'
import type { MachineRef } from '../../schema/refs.ts'
import { createSerial } from '../../shared/async/serial.ts'
import { isoText } from '../../shared/time/iso-text.ts'
import { dayMs } from '../../shared/time/units.ts'
import { neverRejects } from '../../shared/async/never-rejects.ts'
import type { LiveFeed } from './feed.ts'

/** Machines whose status or reasons changed are looked at so often, and so many times: their documents follow a little later. */
const lookEveryMs = 2_000
const looksAfterChange = 5
/** Every machine is looked at once in so many turns: a stop also ends with its shift, which no status tells. */
const turnsToAll = 30
/** Stops that begin within this time are asked for at once, and no more than so many. */
const spanMs = 28 * dayMs
const mostAtOnce = 500
/** A stop that is older is looked at from here. */
const mostAgeMs = 365 * dayMs

/** Parts of the process by which annotations end with their stops. */
export interface StopEndsDeps {
  readonly records: Pick<Records, 'onChange' | 'everything' | 'machine'>
  readonly feed: Pick<LiveFeed, 'listen'>
  readonly plant: Pick<PlantReader, 'downtimeRecords' | 'findDowntimeRecords'>
  readonly commands: Pick<CommandClient, 'submit'>
  readonly clock: () => number
  readonly logger: Logger
}

/** Ends annotations with the stops whose reasons they give (`endsWithStop`). Several processes may do so at once. */
export class StopEnds {
  readonly #deps: StopEndsDeps
  /** Annotations that end with a stop, by id. */
  readonly #open = new Map<string, AnnotationRecord>()
  /** Looks that machines still get. */
  readonly #looks = new Map<MachineRef, number>()
  readonly #inTurn = createSerial()
  readonly #stops: readonly (() => void)[]
  #turn = 0
  #isBusy = false

  constructor(deps: StopEndsDeps) {
    this.#deps = deps
    for (const { kind, record } of deps.records.everything())
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind says which record it is
      if (kind === 'annotation') this.#note((record as AnnotationRecord).id, record as AnnotationRecord)
    const forget = deps.records.onChange(change => {
      if (change.kind === 'annotation') this.#note(change.id, change.after)
    })
    const leave = deps.feed.listen({
      status: ({ statuses }) => {
        if (this.#open.size > 0) for (const { machineRef } of statuses) this.#looks.set(machineRef, looksAfterChange)
      },
    })
    const timer = setInterval(() => this.#tick(), lookEveryMs).unref()
    this.#stops = [forget, leave, () => clearInterval(timer)]
  }

  stop(): Promise<void> {
    for (const stop of this.#stops) stop()
    return this.#inTurn(async () => undefined)
  }

  #note(id: string, annotation: AnnotationRecord | null): void {
    if (annotation?.endsWithStop !== true) return void this.#open.delete(id)
    this.#open.set(id, annotation)
    const machine = this.#deps.records.machine(annotation.machineId)
    if (machine) this.#looks.set(machine.ref, looksAfterChange)
  }

  #tick(): void {
    if (this.#open.size === 0) this.#looks.clear()
    if (this.#isBusy || this.#open.size === 0) return
    const isForAll = ++this.#turn % turnsToAll === 0
    const wanted = [...this.#open.values()].filter(({ machineId }) => {
      const machine = this.#deps.records.machine(machineId)
      return machine !== null && (isForAll || this.#looks.has(machine.ref))
    })
    for (const [machineRef, left] of this.#looks)
      if (left > 1) this.#looks.set(machineRef, left - 1)
      else this.#looks.delete(machineRef)
    if (wanted.length === 0) return
    this.#isBusy = true
    // It tells its own failures.
    neverRejects(this.#inTurn(() => this.#look(wanted)).finally(() => (this.#isBusy = false)))
  }

  async #look(wanted: readonly AnnotationRecord[]): Promise<void> {
    const byCompany = new Map<string, AnnotationRecord[]>()
    for (const each of wanted) byCompany.set(each.companyId, [...(byCompany.get(each.companyId) ?? []), each])
    for (const [companyId, annotations] of byCompany)
      for (const some of together(annotations))
        try {
          await this.#endThoseOver(companyId, some)
        } catch (error) {
          // The next turn tries again.
          this.#deps.logger.warn({ err: error }, 'not seen whether stops are over')
        }
  }

  async #endThoseOver(companyId: string, annotations: readonly AnnotationRecord[]): Promise<void> {
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
      const endAt = await this.#endOf(annotation)
      if (endAt !== null) await this.#end(annotation, endAt)
    }
  }

  /**
   * When the stop of an annotation ended: the one in which it begins, or, where late data moved that, the next one with its reason. Where
   * there is none, its time up to now or to the next stop is harmless: nothing of it is downtime. null: the stop goes on.
   */
  async #endOf({ companyId, machineId, startAt, reasonId }: AnnotationRecord): Promise<string | null> {
    const nowMs = this.#deps.clock()
    const fromMs = Math.max(Date.parse(startAt), nowMs - mostAgeMs)
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
    resultOf(await this.#deps.commands.submit('annotation.endWithStop', { id, startAt, endAt }, options))
  }
}

/** Annotations whose starts lie so near that their stops can be asked for at once. */
function together(annotations: readonly AnnotationRecord[]): readonly (readonly AnnotationRecord[])[] {
  const groups: AnnotationRecord[][] = []
  for (const each of annotations.toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))) {
    const group = groups.at(-1)
    const first = group?.[0]
    const fits = group && first && Date.parse(each.startAt) - Date.parse(first.startAt) < spanMs
    if (fits && group.length < mostAtOnce) group.push(each)
    else groups.push([each])
  }
  return groups
}
