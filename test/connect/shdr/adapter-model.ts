import type { WireSample } from '../../../schema/topics.ts'
import type { Sent } from './adapter.ts'

interface Item {
  readonly machineId: string
  readonly key: string
  type: string
  readonly category: 'SAMPLE' | 'EVENT' | 'CONDITION'
  readonly isDiscrete?: boolean
}

interface Seen {
  readonly us: number
  readonly atUs: number
  readonly code: string
  readonly content: string
  readonly value: string
}

/**
 * Naive model of an adapter and its connector, from what the test sends: which samples the log should have. It keeps the
 * whole history of each key and searches it; it shares no code with the connector.
 */
export class AdapterModel {
  readonly samples = new Map<string, WireSample>()
  duplicates = 0
  gaps = 0
  readonly #items: readonly Item[]
  readonly #offsetMs: number
  readonly #history = new Map<Item, Seen[]>()
  /** Time from which an item is unknown, or of the value that was restated last, UTC µs. */
  readonly #unknownUs = new Map<Item, number>()
  readonly #marked = new Set<Item>()
  #contactMs: number | null = null

  constructor(items: readonly Item[], offsetMs = 0) {
    this.#items = items.map(item => ({ ...item }))
    this.#offsetMs = offsetMs
  }

  /** The probe document has another type of a key from now on. */
  setType(key: string, type: string): void {
    for (const item of this.#items) if (item.key === key) item.type = type
  }

  /** A connection begins. */
  connect(): void {
    const newest = new Map<string, number>()
    for (const { machineId, timestamp } of this.samples.values())
      newest.set(machineId, Math.max(newest.get(machineId) ?? 0, toUs(timestamp)))
    let isGap = false
    for (const item of this.#items) {
      if (item.category === 'SAMPLE' || !this.#history.has(item) || this.#marked.has(item)) continue
      const atUs = Math.max((this.#contactMs ?? 0) * 1000, newest.get(item.machineId) ?? 0) + 1
      this.#marked.add(item)
      this.#unknownUs.set(item, atUs)
      this.#add(item, 'UNAVAILABLE', atUs)
      isGap = true
    }
    if (isGap) this.gaps++
  }

  /** Bytes are received at a time, UTC ms. */
  contact(ms: number): void {
    this.#contactMs = ms
  }

  /** A value is received at a time, UTC ms. */
  receive(sent: Sent, receivedMs: number): void {
    const item = this.#items.find(({ machineId, key }) => key === sent.key && (sent.device ?? machineId) === machineId)
    if (item === undefined) return
    const us = sent.ms === null ? receivedMs * 1000 : (sent.ms + this.#offsetMs) * 1000
    const seen = this.#history.get(item) ?? []
    this.#history.set(item, seen)
    this.#marked.delete(item)
    const code = sent.code ?? ''
    const content = [sent.value, code, sent.message].join('|')
    const atUs = this.#isAgain(item, seen, { us, code, content, value: sent.value }) ? null : timeAfter(seen.at(-1), us)
    if (atUs === null) this.duplicates++
    else {
      seen.push({ us, atUs, code, content, value: sent.value })
      this.#add(item, sent.value, atUs, sent)
    }
    if (item.category !== 'SAMPLE') this.#restate(item, sent, atUs ?? us)
  }

  #isAgain({ category }: Item, seen: readonly Seen[], { us, code, content, value }: Omit<Seen, 'atUs'>): boolean {
    if (category !== 'CONDITION') return seen.at(-1)?.content === content && us <= (seen.at(-1)?.us ?? 0)
    const ended = seen.findLastIndex(one => one.code === '' && /^(?:normal|unavailable)$/i.test(one.value))
    const since = seen.slice(Math.max(0, ended))
    const last = since.findLast(one => one.code === code)
    const isEnd = code === '' && /^(?:normal|unavailable)$/i.test(value)
    return last !== undefined && last.content === content && us <= last.us && (!isEnd || since.length === 1)
  }

  #restate(item: Item, sent: Sent, atUs: number): void {
    const unknownUs = this.#unknownUs.get(item)
    if (unknownUs === undefined || atUs > unknownUs) {
      if (/^unavailable$/i.test(sent.value)) this.#unknownUs.set(item, atUs)
      else if (item.category === 'EVENT') this.#unknownUs.delete(item)
      return
    }
    if (item.category === 'EVENT' && (item.isDiscrete === true || /^[\d.]+$/.test(sent.value))) return
    this.#unknownUs.set(item, unknownUs + 1)
    this.#add(item, sent.value, unknownUs + 1, sent)
  }

  #add(
    { machineId, key, type, category }: Item,
    value: string,
    atUs: number,
    { code, message }: Partial<Sent> = {},
  ): void {
    const sample: WireSample = {
      machineId,
      timestamp: toText(atUs),
      key,
      type,
      value,
      category,
      ...(code !== undefined && code !== '' && { nativeCode: code }),
      ...(message !== undefined && message !== '' && { message }),
    }
    this.samples.set(JSON.stringify(sample), sample)
  }
}

function timeAfter(last: Seen | undefined, us: number): number {
  return last !== undefined && us >= last.us && us <= last.atUs ? last.atUs + 1 : us
}

function toUs(timestamp: string): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * 1000 + Number(timestamp.slice(23, 26))
}

function toText(us: number): string {
  return new Date(Math.floor(us / 1000)).toISOString().replace('Z', `${String(us % 1000).padStart(3, '0')}Z`)
}
