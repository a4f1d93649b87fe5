import { parseInstantUs } from '../../shared/time/instant.ts'
import { parseDecimal } from '../../processors/timeline/values.ts'
import { DataSets } from './data-set.ts'
import type { Device } from './devices.ts'
import { splitFields } from './fields.ts'
import { LineParser, type LineTime } from './line-parser.ts'
import { emptyLine, type FaultCode, type ParsedLine } from './parsed-line.ts'
import { timestampText } from './timestamps.ts'

export interface ShdrParserOptions {
  readonly devices: readonly Device[]
  /**
   * Device of lines before the first `* device:`; by default the only device. undefined: these lines are skipped if
   * there are several.
   */
  readonly device?: Device | undefined
}

/** The lines of a value of several lines that have been read. */
interface OpenValue {
  readonly lines: string[]
  /** The line that ends the value. */
  readonly end: string
  length: number
}

const multilineMark = '--multiline--'
/** Limit of a value of several lines, in UTF-16 units. */
const maxMultilineLength = 1_048_576

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
    return isOpen ? withFault('multiline_without_end') : emptyLine
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
    if (line === '') return emptyLine
    if (line.startsWith('*')) return this.#command(line)
    const fields = splitFields(line)
    const isAsset = fields[1]?.startsWith('@') === true
    const time = this.#time(fields[0] ?? '', receivedUs)
    if (time === null) return isAsset ? emptyLine : withFault('not_shdr')
    if (fields.length < 3 && !isAsset) return withFault('not_shdr')
    return new LineParser(this.#device, this.#devices, this.#dataSets, fields, time).parse()
  }

  #command(line: string): ParsedLine {
    const text = line.slice(1).trim()
    const colon = text.indexOf(':')
    const end = colon < 0 ? text.search(/\s|$/) : colon
    const command = { name: text.slice(0, end).trim().toLowerCase(), value: text.slice(end + 1).trim() }
    if (command.name === 'device') this.#device = this.#devices.get(command.value) ?? command.value
    return { ...emptyLine, command }
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
  return { ...emptyLine, faults: [{ code, detail }] }
}
