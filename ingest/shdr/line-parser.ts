import type { Category } from '../../schema/sample.ts'
import { parseDecimal } from '../../processors/timeline/values.ts'
import { type DataSets, tooLong } from './data-set.ts'
import type { DataItem, DataItemForm, Device } from './devices.ts'
import type { FaultCode, Observation, ParsedLine, ShdrFault } from './parsed-line.ts'
import { isLevel, isUnavailable } from './words.ts'

/** Time of a line. */
export interface LineTime {
  readonly text: string
  readonly atUs: number
}

type Details = Pick<Observation, 'value' | 'nativeCode' | 'nativeSeverity' | 'qualifier' | 'message'>

/** Number of fields after the key. */
const fieldCounts: Readonly<Record<DataItemForm, number>> = {
  value: 1,
  condition: 5,
  message: 2,
  alarm: 5,
  asset: 2,
  timeSeries: 3,
  dataSet: 1,
  table: 1,
}
/** Forms whose last field is text, in which an adapter may have left `|` without quotes. */
const formsWithText: ReadonlySet<DataItemForm> = new Set(['condition', 'message', 'alarm'])
/** Longest key of a sample, UTF-16 units. */
const maxKeyLength = 256
/** Limits of the observations of a line: each change of a data set gives all of its entries. Values in UTF-16 units. */
const lineLimits = { observations: 2_000, values: 4_194_304 } as const

/** Parses the fields of one line after its time. */
export class LineParser {
  readonly #device: Device | string | undefined
  readonly #devices: ReadonlyMap<string, Device>
  readonly #dataSets: DataSets
  readonly #fields: readonly string[]
  readonly #time: LineTime
  readonly #observations: Observation[] = []
  readonly #faults: ShdrFault[] = []
  #valuesLength = 0
  #at = 1

  constructor(
    device: Device | string | undefined,
    devices: ReadonlyMap<string, Device>,
    dataSets: DataSets,
    fields: readonly string[],
    time: LineTime,
  ) {
    this.#device = device
    this.#devices = devices
    this.#dataSets = dataSets
    this.#fields = fields
    this.#time = time
  }

  parse(): ParsedLine {
    while (this.#at < this.#fields.length && !this.#isFull) this.#next()
    if (this.#at < this.#fields.length) this.#fault('too_many_values', '')
    return { observations: this.#observations, faults: this.#faults, command: null }
  }

  get #isFull(): boolean {
    return this.#observations.length >= lineLimits.observations || this.#valuesLength >= lineLimits.values
  }

  #next(): void {
    const text = this.#fields[this.#at] ?? ''
    if (text.startsWith('@')) return this.#skipAsset(text)
    if (text === '') return this.#skipEmpty()
    const { device, key, item } = this.#find(text)
    if (item !== undefined && typeof device === 'object') return this.#known(device, item)
    if (isNumber(text)) return this.#skipTo(this.#nextStart(this.#at + 1), 'invalid_key', text)
    this.#unknown(device, key)
  }

  #known(device: Device, item: DataItem): void {
    const start = this.#at + 1
    const end = item.form === 'value' ? start + 1 : this.#endOf(item.form, start)
    const values = this.#fields.slice(start, end)
    const first = values[0]
    if (first === undefined) return this.#skipTo(end, 'missing_value', item.key)
    const details = this.#details(item, values)
    if (details !== null) this.#add(device, item.key, item, item.category, details)
    this.#at = end
  }

  /** For a key that the device does not have, the shape of the fields determines their form. */
  #unknown(device: Device | string | undefined, key: string): void {
    const start = this.#at + 1
    const isCondition = this.#hasConditionShape(this.#at)
    const end = isCondition ? this.#endOf('condition', start) : start + 1
    const values = this.#fields.slice(start, end)
    const [value] = values
    if (value === undefined) return this.#skipTo(end, 'missing_value', key)
    this.#at = end
    if (key.length > maxKeyLength) return this.#fault('invalid_key', key.slice(0, maxKeyLength))
    if (device === undefined) return this.#fault('no_device', key)
    if (typeof device === 'string') return this.#fault('unknown_device', device)
    const category = isCondition ? 'CONDITION' : parseDecimal(value) === null ? 'EVENT' : 'SAMPLE'
    this.#add(device, key, undefined, category, isCondition ? conditionOf(values) : { value })
  }

  #add(device: Device, key: string, item: DataItem | undefined, category: Category, details: Details): void {
    const { text, atUs } = this.#time
    this.#valuesLength += details.value.length
    this.#observations.push({ device, key, item, category, timestamp: text, atUs, ...details })
  }

  /** null: the values have a fault. */
  #details(item: DataItem, values: readonly string[]): Details | null {
    const [first = '', second = '', third = ''] = values
    switch (item.form) {
      case 'value':
        return { value: item.hasResetTrigger === true ? withoutTrigger(first) : first }
      case 'condition':
        return conditionOf(values)
      case 'message':
        return values.length === 1 ? { value: first } : { value: textFrom(values, 1), nativeCode: first }
      case 'alarm':
        if (isOnlyUnavailable(values)) return { value: first }
        return {
          value: textFrom(values, 4),
          nativeCode: second,
          nativeSeverity: third,
          qualifier: values[3] ?? '',
        }
      case 'asset':
        return { value: values.length === 1 ? first : second }
      case 'timeSeries':
        if (isOnlyUnavailable(values)) return { value: first }
        if (values.length === 3) return { value: third.split(/\s+/).at(-1) ?? '' }
        this.#fault('missing_value', item.key)
        return null
      case 'dataSet':
      case 'table':
        return this.#changeDataSet(item, first)
      default:
        return item.form satisfies never
    }
  }

  #changeDataSet(item: DataItem, text: string): Details | null {
    const value = this.#dataSets.change(item, text)
    if (value === null) this.#fault('invalid_data_set', item.key)
    if (value === tooLong) this.#fault('data_set_too_long', item.key)
    return value === null ? null : { value }
  }

  /** Index after the fields of a form; UNAVAILABLE may be the only field. */
  #endOf(form: DataItemForm, start: number): number {
    if (isUnavailable(this.#fields[start] ?? '') && this.#isStart(start + 1)) return start + 1
    const end = Math.min(this.#fields.length, start + fieldCounts[form])
    return formsWithText.has(form) && end < this.#fields.length ? this.#nextStart(end) : end
  }

  /** Index of the next field that certainly begins an observation, from an index on. */
  #nextStart(from: number): number {
    let at = from
    while (at < this.#fields.length && !this.#isStart(at)) at++
    return at
  }

  #isStart(at: number): boolean {
    const text = this.#fields[at] ?? ''
    return text !== '' && (this.#find(text).item !== undefined || this.#hasConditionShape(at))
  }

  #hasConditionShape(at: number): boolean {
    const { length } = this.#fields
    if (length < at + 6 || !isLevel(this.#fields[at + 1] ?? '')) return false
    return [2, 4].every(offset => this.#find(this.#fields[at + offset] ?? '').item === undefined)
  }

  #find(text: string): {
    readonly device: Device | string | undefined
    readonly key: string
    readonly item: DataItem | undefined
  } {
    const device = this.#device
    const item = typeof device === 'object' ? device.items.get(text) : undefined
    const colon = item === undefined ? text.indexOf(':') : -1
    const named = colon < 0 ? undefined : this.#devices.get(text.slice(0, colon))
    if (named === undefined) return { device, key: text, item }
    const key = text.slice(colon + 1)
    return { device: named, key, item: named.items.get(key) }
  }

  #skipEmpty(): void {
    const next = this.#at + 1
    const value = this.#fields[next] ?? ''
    this.#at = this.#isStart(next) ? next : next + 1
    if (value !== '') this.#fault('invalid_key', '')
  }

  #skipAsset(command: string): void {
    const next = this.#at + 1
    if (command === '@REMOVE_ASSET@') this.#at = next + 1
    else if (command === '@REMOVE_ALL_ASSETS@') this.#at = this.#isStart(next) ? next : next + 1
    else this.#at = this.#fields.length
  }

  #skipTo(at: number, code: FaultCode, detail: string): void {
    this.#at = at
    this.#fault(code, detail)
  }

  /** Only the first fault of each code: a line may have hundreds of thousands of fields. */
  #fault(code: FaultCode, detail: string): void {
    if (!this.#faults.some(fault => fault.code === code)) this.#faults.push({ code, detail })
  }
}

function isOnlyUnavailable(values: readonly string[]): boolean {
  return values.length === 1 && isUnavailable(values[0] ?? '')
}

function conditionOf(values: readonly string[]): Details {
  const [value = '', nativeCode = '', nativeSeverity = '', qualifier = ''] = values
  return { value, nativeCode, nativeSeverity, qualifier, message: textFrom(values, 4) }
}

/** Joins the fields of a text that contains `|` without quotes. */
function textFrom(values: readonly string[], index: number): string {
  const last = values.findLastIndex(value => value !== '')
  return values.slice(index, last + 1).join('|')
}

function withoutTrigger(value: string): string {
  const colon = value.indexOf(':')
  return colon < 0 ? value : value.slice(0, colon).trimEnd()
}

/** Whether a text consists of numbers: such a field is a value that was left over, not a key. */
function isNumber(text: string): boolean {
  return /^[-+.\d][-+.\deE\s]*$/.test(text)
}
