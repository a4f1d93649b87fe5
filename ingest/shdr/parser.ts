import type { Category } from '../../schema/sample.ts'
import { parseInstantUs } from '../../shared/time/instant.ts'
import { parseDecimal } from '../../processors/timeline/values.ts'
import { DataSets, tooLong } from './data-set.ts'
import type { DataItem, DataItemForm, Device } from './devices.ts'
import { splitFields } from './fields.ts'
import { timestampText } from './timestamps.ts'
import { isLevel, isUnavailable } from './words.ts'

/** Value of a data item at a time, as the adapter reported it. */
export interface Observation {
  readonly device: Device
  /** Key of the data item; for a key that the device does not have, the adapter's text. */
  readonly key: string
  /** undefined: the device has no such key. */
  readonly item: DataItem | undefined
  readonly category: Category
  /** The adapter's text without a duration, or the time of receipt. */
  readonly timestamp: string
  /** UTC µs. */
  readonly atUs: number
  readonly value: string
  readonly nativeCode?: string
  readonly nativeSeverity?: string
  readonly qualifier?: string
  readonly message?: string
}

/** Reason why a line, or a part of it, gives no observation or not the one that was sent. */
export type FaultCode =
  | 'not_shdr'
  | 'missing_value'
  | 'invalid_key'
  | 'invalid_data_set'
  | 'data_set_too_long'
  | 'no_device'
  | 'unknown_device'
  | 'line_too_long'
  | 'too_many_values'
  | 'multiline_too_long'
  | 'multiline_without_end'

/** Fault of a line; `detail` names the key or device, if there is one. */
export interface ShdrFault {
  readonly code: FaultCode
  readonly detail: string
}

/** Command of the protocol: `* PONG 10000` has the name `pong`, `* device: Mill` the name `device`. */
export interface ShdrCommand {
  readonly name: string
  readonly value: string
}

/** Content of one line. */
export interface ParsedLine {
  readonly observations: readonly Observation[]
  readonly faults: readonly ShdrFault[]
  readonly command: ShdrCommand | null
}

export interface ShdrParserOptions {
  readonly devices: readonly Device[]
  /**
   * Device of lines before the first `* device:`; by default the only device. undefined: these lines are skipped if
   * there are several.
   */
  readonly device?: Device | undefined
}

interface LineTime {
  readonly text: string
  readonly atUs: number
}

/** The lines of a value of several lines that have been read. */
interface OpenValue {
  readonly lines: string[]
  /** The line that ends the value. */
  readonly end: string
  length: number
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
const multilineMark = '--multiline--'
/** Limit of a value of several lines, in UTF-16 units. */
const maxMultilineLength = 1_048_576

const nothing: ParsedLine = { observations: [], faults: [], command: null }

/**
 * Parses the lines of an SHDR adapter in their order: observations of devices, and commands that change the device.
 * Never throws. https://docs.mtconnect.org (SHDR, adapter agent protocol); forms that it leaves open are read as the
 * MTConnect agent does.
 */
export class ShdrParser {
  /** By uuid and name. */
  readonly #devices: ReadonlyMap<string, Device>
  readonly #dataSets = new DataSets()
  /** Device of keys without a device. undefined: there is none; a string: the document does not have it. */
  #device: Device | string | undefined
  #open: OpenValue | null = null
  #lastTime: LineTime = { text: '', atUs: 0 }

  constructor({ devices, device }: ShdrParserOptions) {
    const named = (name: 'uuid' | 'name') => devices.map(device => [device[name] ?? '', device] as const)
    this.#devices = new Map([...named('name'), ...named('uuid')])
    this.#device = device ?? (devices.length === 1 ? devices[0] : undefined)
  }

  /**
   * Parses a line, null for one above the limit of length. `receivedUs`: time of lines without a time, UTC µs; null:
   * such lines are faults. Returns null if the line is a part of a value that continues.
   */
  parse(line: string | null, receivedUs: number | null): ParsedLine | null {
    if (line === null) return withFault('line_too_long')
    if (this.#open !== null) return this.#continue(this.#open, line, receivedUs)
    const mark = line.indexOf(multilineMark)
    if (mark < 0) return this.#parseWhole(line, receivedUs)
    this.#open = { lines: [line.slice(0, mark)], end: line.slice(mark).trimEnd(), length: mark }
    return null
  }

  /** Ends the input; returns the fault of a value that continues. */
  end(): ParsedLine {
    const isOpen = this.#open !== null
    this.#open = null
    return isOpen ? withFault('multiline_without_end') : nothing
  }

  #continue(open: OpenValue, line: string, receivedUs: number | null): ParsedLine | null {
    const isEnd = line.trimEnd() === open.end
    open.length += line.length + 1
    if (!isEnd && open.length <= maxMultilineLength) {
      open.lines.push(line)
      return null
    }
    this.#open = null
    return isEnd ? this.#parseWhole(open.lines.join('\n'), receivedUs) : withFault('multiline_too_long')
  }

  #parseWhole(text: string, receivedUs: number | null): ParsedLine {
    const line = text.trim()
    if (line === '') return nothing
    if (line.startsWith('*')) return this.#command(line)
    const fields = splitFields(line)
    const isAsset = fields[1]?.startsWith('@') === true
    const time = this.#time(fields[0] ?? '', receivedUs)
    if (time === null) return isAsset ? nothing : withFault('not_shdr')
    if (fields.length < 3 && !isAsset) return withFault('not_shdr')
    return new LineParser(this.#device, this.#devices, this.#dataSets, fields, time).parse()
  }

  #command(line: string): ParsedLine {
    const text = line.slice(1).trim()
    const colon = text.indexOf(':')
    const end = colon < 0 ? text.search(/\s|$/) : colon
    const command = { name: text.slice(0, end).trim().toLowerCase(), value: text.slice(end + 1).trim() }
    if (command.name === 'device') this.#device = this.#devices.get(command.value) ?? command.value
    return { ...nothing, command }
  }

  /** A relative time, in milliseconds, is read as no time: its start is unknown. */
  #time(field: string, receivedUs: number | null): LineTime | null {
    const duration = field.indexOf('@')
    const text = duration < 0 ? field : field.slice(0, duration).trimEnd()
    if (text !== '' && text === this.#lastTime.text) return this.#lastTime
    const atUs = parseInstantUs(text)
    if (atUs !== null) return (this.#lastTime = { text, atUs })
    const isMissing = text === '' || parseDecimal(text) !== null
    return isMissing && receivedUs !== null ? { text: timestampText(receivedUs), atUs: receivedUs } : null
  }
}

function withFault(code: FaultCode, detail = ''): ParsedLine {
  return { ...nothing, faults: [{ code, detail }] }
}

/** Longest key of a sample, UTF-16 units. */
const maxKeyLength = 256
/** Limits of the observations of a line: each change of a data set gives all of its entries. Values in UTF-16 units. */
const lineLimits = { observations: 2_000, values: 4_194_304 } as const

/** Parses the fields of one line after its time. */
class LineParser {
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
