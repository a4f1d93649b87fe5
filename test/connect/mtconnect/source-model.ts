import { createHash } from 'node:crypto'
import type { AgentItem, NumberedObservation } from '../../../demo/mtconnect-agent/agent-model.ts'
import type { WireSample } from '../../../schema/topics.ts'
import { identityOf } from './running-connector.ts'

interface ModelItem extends AgentItem {
  readonly key: string
  readonly machineId: string
  /** Time of the last UNAVAILABLE, or of the last value that was restated after it, UTC µs. */
  heldUs: number | null
  readonly codes: Set<string>
  readonly delivered: Set<string>
}

/** Present observations; their events from a sequence on are delivered again. */
interface Repeated {
  readonly present: readonly NumberedObservation[]
  readonly from: number
}

type Details = Partial<Pick<WireSample, 'nativeCode' | 'message' | 'nativeSeverity' | 'qualifier'>>

/**
 * Naive model of an agent and its connector: which samples the source could still deliver, and where it could not. The
 * test reports what happened to the agent; the model shares no code with the connector.
 */
export class SourceModel {
  /** Expected samples by identity. */
  readonly samples = new Map<string, WireSample>()
  /** Sequence up to which everything was read. */
  next = 0
  lost = 0
  readonly #sourceId: string
  readonly #items = new Map<string, ModelItem>()
  readonly #newestUs = new Map<string, number>()
  /** Present observations whose states the connector delivers again when it has read all others. */
  #repeated: Repeated | null = null
  #contactMs = 0
  #run = 0

  constructor(sourceId: string) {
    this.#sourceId = sourceId
  }

  addItems(machineId: string, items: readonly AgentItem[]): void {
    for (const item of items) {
      const empty = { heldUs: null, codes: new Set<string>(), delivered: new Set<string>() }
      if (!this.#items.has(item.id))
        this.#items.set(item.id, { ...item, key: item.name ?? item.id, machineId, ...empty })
    }
  }

  /** The connector reads a run of the agent from a sequence on. `name`: the instanceId, `#1` after the source if it stayed. */
  begin(instanceId: string, restarts = 0): void {
    const source = restarts === 0 ? this.#sourceId : `${this.#sourceId}#${restarts}`
    const hash = createHash('sha256').update(`${source}\n${instanceId}`).digest().readBigUInt64BE()
    this.#run = Number(hash >> 12n)
    this.next = 0
  }

  /** The connector has read these observations, those that it has read before included. */
  read(observations: readonly NumberedObservation[], contactMs: number): void {
    for (const observation of observations) {
      if (observation.sequence < this.next) continue
      this.#observe(observation)
      this.next = observation.sequence + 1
    }
    this.#contactMs = contactMs
    if (this.#repeated !== null) this.#repeat(this.#repeated)
    this.#repeated = null
  }

  /** The connector delivers the present states again: the active conditions, then the events. */
  #repeat({ present, from }: Repeated): void {
    const conditionTimes = this.#markers()
    for (const item of this.#items.values()) {
      const own = present.filter(({ dataItemId }) => dataItemId === item.id)
      if (item.category !== 'CONDITION' || own.some(({ value }) => value === 'Unavailable')) continue
      const atUs = conditionTimes.get(item.machineId) ?? 0
      this.#mark(item, 'NORMAL', atUs, {})
      for (const { value, attributes = {}, message = '' } of own)
        if (value !== 'Normal')
          this.#add(item, value.toUpperCase(), atUs, { ...attributes, ...(message !== '' && { message }) })
    }
    const times = this.#markers()
    for (const observation of present.filter(({ sequence }) => sequence >= from)) {
      const item = this.#items.get(observation.dataItemId)
      if (item?.category !== 'EVENT' || isCount(item, observation.value) || observation.value === 'UNAVAILABLE')
        continue
      item.heldUs = times.get(item.machineId) ?? 0
      this.#observe(observation)
    }
  }

  /**
   * The agent has discarded the observations before `first`; `present` are the last ones of each item. `killedMs`: the connector was
   * killed, and continues at this time: it may have delivered some of the discarded observations.
   */
  overrun(present: readonly NumberedObservation[], first: number, killedMs: number | null): void {
    const before = this.next
    const markers = this.#markers()
    this.lost += first - before
    for (const item of this.#items.values()) this.#overrunItem(item, present, before, markers.get(item.machineId) ?? 0)
    for (const observation of present.toSorted((a, b) => a.sequence - b.sequence))
      if (observation.sequence >= before && observation.sequence < first) this.#observe(observation)
    this.next = first
    if (killedMs !== null) this.#repeated = { present, from: before }
  }

  /** The agent has begun another run. */
  restart(): void {
    const markers = this.#markers()
    for (const item of this.#items.values()) {
      if (item.category === 'SAMPLE') continue
      this.#mark(item, 'UNAVAILABLE', markers.get(item.machineId) ?? 0)
      item.codes.clear()
    }
  }

  /** The new run no longer has the observations before `first`; otherwise as after an overrun. */
  beginAt(present: readonly NumberedObservation[], first: number, killedMs: number | null): void {
    for (const observation of present.toSorted((a, b) => a.sequence - b.sequence))
      if (observation.sequence < first) this.#observe(observation)
    this.next = first
    if (killedMs !== null && first > 1) this.#repeated = { present, from: 1 }
  }

  #overrunItem(item: ModelItem, present: readonly NumberedObservation[], before: number, atUs: number): void {
    const own = present.filter(({ dataItemId }) => dataItemId === item.id)
    if (item.category === 'EVENT' && own.some(({ sequence }) => sequence >= before))
      this.#mark(item, 'UNAVAILABLE', atUs)
    if (item.category !== 'CONDITION') return
    const unchanged = new Set(
      own.filter(({ sequence }) => sequence < before).map(one => one.attributes?.['nativeCode'] ?? ''),
    )
    for (const code of item.codes) {
      if (unchanged.has(code)) continue
      this.#mark(item, 'NORMAL', atUs, code === '' ? {} : { nativeCode: code })
      item.codes.delete(code)
    }
  }

  #observe({ dataItemId, sequence, timestamp, value, attributes = {}, message = '' }: NumberedObservation): void {
    const item = this.#items.get(dataItemId)
    if (item === undefined) return
    const atUs = Date.parse(timestamp) * 1000
    const discrete = `${atUs} ${value}`
    if (item.discrete === true && item.heldUs !== null && atUs <= item.heldUs && item.delivered.has(discrete)) return
    if (value !== 'UNAVAILABLE') item.delivered.add(discrete)
    const details = { ...attributes, ...(message !== '' && { message }) }
    this.#add(item, value, atUs, details, sequence)
    if (item.category === 'CONDITION') this.#changeCodes(item, value, attributes['nativeCode'] ?? '')
    if (item.category !== 'SAMPLE') this.#restate(item, value, atUs, details)
  }

  #changeCodes({ codes }: ModelItem, value: string, code: string): void {
    if (value === 'Unavailable' || (value === 'Normal' && code === '')) codes.clear()
    else if (value === 'Normal') codes.delete(code)
    else codes.add(code)
  }

  #restate(item: ModelItem, value: string, atUs: number, details: Details): void {
    const isLater = item.heldUs === null || atUs > item.heldUs
    if (isLater) {
      if (value.toUpperCase() === 'UNAVAILABLE') item.heldUs = atUs
      else if (item.category === 'EVENT') item.heldUs = null
      return
    }
    if (item.category === 'EVENT' && isCount(item, value)) return
    item.heldUs = (item.heldUs ?? 0) + 1
    this.#add(item, value, item.heldUs, details)
  }

  #mark(item: ModelItem, value: string, atUs: number, details: Details = {}): void {
    this.#add(item, value, atUs, details)
    item.heldUs = atUs
  }

  /** After the last contact and after all samples of the machine. */
  #markers(): ReadonlyMap<string, number> {
    const machines = new Set([...this.#items.values()].map(({ machineId }) => machineId))
    return new Map(
      [...machines].map(id => [id, Math.max(this.#contactMs * 1000, this.#newestUs.get(id) ?? 0) + 1] as const),
    )
  }

  #add(item: ModelItem, value: string, atUs: number, details: Details, sequence?: number): void {
    const { machineId, key, type, subType, category } = item
    const ms = Math.floor(atUs / 1000)
    const us = atUs - ms * 1000
    const second = new Date(ms).toISOString().slice(0, -1)
    const sample: WireSample = {
      machineId,
      timestamp: us === 0 && sequence !== undefined ? `${second}Z` : `${second}${String(us).padStart(3, '0')}Z`,
      key,
      type,
      value,
      category,
      ...(subType !== undefined && { subtype: subType }),
      ...details,
      ...(sequence !== undefined && { instanceId: this.#run, sequence }),
    }
    this.samples.set(identityOf(sample), sample)
    this.#newestUs.set(machineId, Math.max(atUs, this.#newestUs.get(machineId) ?? 0))
  }
}

/** Whether a value of an event holds no state: a restated one would count twice. */
function isCount({ type, discrete }: AgentItem, value: string): boolean {
  return type === 'PART_COUNT' || discrete === true || /^[\d.+-]+$/.test(value)
}
