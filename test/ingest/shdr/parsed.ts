import { ArrivalOrder } from '../../../ingest/shdr/arrival-order.ts'
import { readDevices, type Device } from '../../../ingest/shdr/devices.ts'
import { LineSplitter } from '../../../ingest/shdr/lines.ts'
import { ShdrParser } from '../../../ingest/shdr/parser.ts'
import type { Observation, ParsedLine } from '../../../ingest/shdr/parsed-line.ts'
import { toSample, type ReplaySample } from '../../../ingest/shdr/sample.ts'

/** Receipt of every line of the tests: 2024-05-06T07:00:00Z in UTC µs. */
export const receivedUs = Date.parse('2024-05-06T07:00:00Z') * 1000

/** Reads a device named `name` with these `DataItem` elements. */
export function deviceWith(dataItems: string, name = 'Mill'): Device {
  const xml = `<MTConnectDevices><Devices><Device name="${name}" uuid="uuid-${name}"><DataItems>${dataItems}</DataItems></Device></Devices></MTConnectDevices>`
  const [device] = readDevices(xml)
  if (device === undefined) throw new Error('The document has no device')
  return device
}

/** Parses the lines of a source of these devices. */
export function parseLines(devices: readonly Device[], lines: readonly string[]): readonly ParsedLine[] {
  const parser = new ShdrParser({ devices })
  return [...lines.flatMap(line => parser.parse(line, receivedUs) ?? []), parser.end()]
}

/** Parses bytes that arrive in chunks. */
export function parseChunks(devices: readonly Device[], chunks: readonly Uint8Array[]): readonly ParsedLine[] {
  const splitter = new LineSplitter()
  const parser = new ShdrParser({ devices })
  const lines = [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()]
  return [...lines.flatMap(line => parser.parse(line, receivedUs) ?? []), parser.end()]
}

/** Returns the delivered observations as samples. */
export function samplesOf(parsed: readonly ParsedLine[]): readonly ReplaySample[] {
  const order = new ArrivalOrder()
  const observations = parsed.flatMap(line => line.observations)
  return observations.flatMap((observation: Observation) => order.accept(observation) ?? []).map(toSample)
}

/** Returns the codes of faults with the texts that they name. */
export function faultsOf(parsed: readonly ParsedLine[]): readonly string[] {
  return parsed.flatMap(({ faults }) => faults.map(({ code, detail }) => `${code} ${detail}`.trim()))
}
