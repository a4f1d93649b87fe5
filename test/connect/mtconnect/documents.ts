import { readDevices, type Device } from '../../../ingest/shdr/devices.ts'
import { readDocument, type StreamsDocument } from '../../../connect/mtconnect/document.ts'
import { SampleStream, type SampleStreamOptions } from '../../../connect/mtconnect/sample-stream.ts'
import type { StreamPosition } from '../../../connect/mtconnect/position.ts'
import type { WireSample } from '../../../schema/topics.ts'

export const machineId = '11111111-1111-4111-8111-111111111111'
/** Instant from which the tests count milliseconds. */
const startMs = Date.parse('2024-05-06T06:00:00Z')

/** Timestamp of milliseconds after the start, with microseconds. */
export function time(ms: number): string {
  const us = Math.round(ms * 1000)
  const whole = Math.floor(us / 1000)
  return new Date(startMs + whole).toISOString().replace('Z', `${String(us - whole * 1000).padStart(3, '0')}Z`)
}

/** Data items of the tests, by id. */
const dataItems = `
  <DataItem id="exec" name="execution" category="EVENT" type="EXECUTION"/>
  <DataItem id="mode" name="mode" category="EVENT" type="CONTROLLER_MODE"/>
  <DataItem id="prog" name="program" category="EVENT" type="PROGRAM"/>
  <DataItem id="count" name="PartCount" category="EVENT" type="PART_COUNT"/>
  <DataItem id="part" name="part" category="EVENT" type="PART_COUNT" discrete="true"/>
  <DataItem id="sys" name="system" category="CONDITION" type="SYSTEM"/>
  <DataItem id="logic" category="CONDITION" type="LOGIC_PROGRAM"/>
  <DataItem id="speed" name="Srpm" category="SAMPLE" type="ROTARY_VELOCITY" subType="ACTUAL"/>
  <DataItem id="avg" name="Srpm" category="SAMPLE" type="ROTARY_VELOCITY" statistic="AVERAGE"/>
  <DataItem id="vib" name="vib" category="SAMPLE" type="ACCELERATION" representation="TIME_SERIES"/>
  <DataItem id="pos" name="pos" category="SAMPLE" type="PATH_POSITION"/>
  <DataItem id="note" name="note" category="EVENT" type="MESSAGE"/>
  <DataItem id="vars" name="vars" category="EVENT" type="VARIABLE" representation="DATA_SET"/>
  <DataItem id="work" name="work" category="EVENT" type="WORK_OFFSET" representation="TABLE"/>
  <DataItem id="asset" name="asset" category="EVENT" type="ASSET_CHANGED"/>`

/** Reads the devices of a probe document with these contents of `Device` elements. */
export function devicesWith(...contents: readonly string[]): readonly Device[] {
  const devices = contents.map((content, i) => {
    const name = i === 0 ? 'Mill' : `Mill${i + 1}`
    return `<Device name="${name}" uuid="uuid-${name}">${content}</Device>`
  })
  return readDevices(`<MTConnectDevices><Devices>${devices.join('')}</Devices></MTConnectDevices>`)
}

const millDevices = devicesWith(`<DataItems>${dataItems}</DataItems>`)

/** Observation that a test writes: an item of the device, a time in ms, a value, and attributes. */
export interface Written {
  readonly id: string
  readonly sequence: number | string
  readonly ms?: number
  readonly timestamp?: string
  readonly value?: string
  readonly attributes?: Readonly<Record<string, string>>
  /** Name of the element; of conditions their level. */
  readonly element?: string
  readonly section?: 'Samples' | 'Events' | 'Condition'
  /** XML of entries. */
  readonly entries?: string
}

export interface WrittenDocument {
  readonly instanceId?: string
  readonly first?: number | string
  readonly next: number | string
  readonly createdMs?: number
  readonly observations?: readonly Written[]
  readonly device?: string
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<"]/g, char => escapes[char] ?? '')

/** Writes a document of values and reads it. */
export function streams(document: WrittenDocument): StreamsDocument {
  const { instanceId = '1', first = 1, next, createdMs = 1_000_000, observations = [], device = 'Mill' } = document
  const written = observations.map(observation => {
    const { id, sequence, ms = 0, timestamp = time(ms), value = '', attributes = {}, entries } = observation
    const isCondition = id === 'sys' || id === 'logic'
    const element = observation.element ?? (isCondition ? value : 'Value')
    const section = observation.section ?? (isCondition ? 'Condition' : 'Events')
    const all = { dataItemId: id, timestamp, sequence: String(sequence), ...attributes }
    const list = Object.entries(all).map(([name, text]) => ` ${name}="${escaped(text)}"`)
    const content = entries ?? (isCondition ? (attributes['message'] ?? '') : escaped(value))
    return `<${section}><${element}${list.join('')}>${content}</${element}></${section}>`
  })
  const text = `<MTConnectStreams><Header instanceId="${instanceId}" creationTime="${time(createdMs)}" firstSequence="${first}" nextSequence="${next}"/><Streams><DeviceStream name="${device}" uuid="uuid-${device}"><ComponentStream>${written.join('')}</ComponentStream></DeviceStream></Streams></MTConnectStreams>`
  const read = readDocument(Buffer.from(text))
  if (read.kind !== 'streams') throw new Error(`The document has the kind ${read.kind}`)
  return read
}

/** Creates a stream of the device `Mill`; the position passes through JSON, as in the log. */
export function streamOf(
  options: Partial<SampleStreamOptions> = {},
  position: StreamPosition | null = null,
): SampleStream {
  const stored: StreamPosition | null = JSON.parse(JSON.stringify(position))
  return new SampleStream(
    { sourceId: 'agent', machines: [{ source: 'uuid-Mill', machineId }], devices: millDevices, ...options },
    stored,
  )
}

/** Key, time, value, code and number of a sample in one text. */
export function described({ key, timestamp, value, nativeCode, sequence }: WireSample): string {
  const ms = Date.parse(timestamp) - startMs
  const us = Number(/\.\d{3}(\d{3})Z/.exec(timestamp)?.[1] ?? 0)
  const code = nativeCode === undefined ? '' : ` ${nativeCode}`
  return `${key} ${ms + us / 1000} ${value}${code}${sequence === undefined ? '' : ` #${sequence}`}`
}
