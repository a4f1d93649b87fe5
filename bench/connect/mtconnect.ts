/**
 * CPU time of an observation of an MTConnect agent, from the bytes of the stream to samples, at 20 and 2,000 observations in
 * a document; as reference, of `JSON.parse` of the same samples: `node --import tsx bench/connect/mtconnect.ts [OBSERVATIONS]`
 */
import { readDocument } from '../../connect/mtconnect/document.ts'
import { MultipartReader } from '../../connect/mtconnect/multipart.ts'
import { SampleStream } from '../../connect/mtconnect/sample-stream.ts'
import { readDevices } from '../../ingest/shdr/devices.ts'
import type { WireSample } from '../../schema/topics.ts'
import { median } from '../support/median.ts'
import { cpuUs } from '../support/usage.ts'

const observations = Number(process.argv[2] ?? 400_000)
const rounds = 5
const chunkBytes = 16_384
const items = 40

interface Item {
  readonly id: string
  readonly name: string
  readonly section: string
  readonly category: string
  readonly type: string
  readonly element: string
  readonly value: (i: number) => string
}

/** One condition, nine events and thirty numbers. */
const list: readonly Item[] = Array.from({ length: items }, (_, i): Item => {
  const names = { id: `item${i}`, name: `name${i}` }
  if (i === 0)
    return {
      ...names,
      section: 'Condition',
      category: 'CONDITION',
      type: 'SYSTEM',
      element: 'Warning',
      value: n => `message ${n % 7}`,
    }
  if (i < 10)
    return {
      ...names,
      section: 'Events',
      category: 'EVENT',
      type: 'EXECUTION',
      element: 'Execution',
      value: n => (n % 2 === 0 ? 'ACTIVE' : 'READY'),
    }
  return {
    ...names,
    section: 'Samples',
    category: 'SAMPLE',
    type: 'POSITION',
    element: 'Position',
    value: n => (n / 7).toFixed(5),
  }
})
const probe = `<MTConnectDevices><Devices><Device name="Mill" uuid="mill"><DataItems>${list
  .map(({ id, name, category, type }) => `<DataItem id="${id}" name="${name}" category="${category}" type="${type}"/>`)
  .join('')}</DataItems></Device></Devices></MTConnectDevices>`
const devices = readDevices(probe)
const machineId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

for (const size of [20, 2_000]) {
  const documents = observations / size
  const bytes = Buffer.concat(Array.from({ length: documents }, (_, i) => part(i * size + 1, size)))
  const readUs: number[] = []
  const parseUs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const texts: string[] = []
    readUs.push(cpuUs(() => countSamples(bytes)) / observations)
    for (const samples of readSamples(bytes.subarray(0, bytes.length / 10))) texts.push(JSON.stringify(samples))
    const parsed = texts.length * 10
    const work = () => {
      for (let i = 0; i < parsed; i++) JSON.parse(texts[i % texts.length] ?? '')
    }
    parseUs.push(cpuUs(work) / parsed / size)
  }
  const shown = (values: readonly number[]) => median(values).toFixed(2)
  console.log(
    `${size} observations a document: ${shown(readUs)} µs per observation, JSON.parse of its sample ${shown(parseUs)} µs`,
  )
}

function countSamples(bytes: Buffer): void {
  let count = 0
  for (const samples of readSamples(bytes)) count += samples.length
  if (count !== observations) throw new Error(`${count} samples instead of ${observations}`)
}

function* readSamples(bytes: Buffer): Iterable<readonly WireSample[]> {
  const stream = new SampleStream({ sourceId: 'agent', machines: [{ source: 'mill', machineId }], devices }, null)
  const empty = readDocument(Buffer.from(document(1, 0)))
  if (empty.kind === 'streams') stream.apply(empty, 'current')
  const multipart = new MultipartReader('multipart/x-mixed-replace;boundary=a1b2')
  for (let at = 0; at < bytes.length; at += chunkBytes)
    for (const body of multipart.push(bytes.subarray(at, at + chunkBytes))) {
      const read = readDocument(body)
      if (read.kind === 'streams') yield stream.apply(read, 'sample').samples
    }
}

function part(first: number, size: number): Buffer {
  const body = document(first, size)
  return Buffer.from(`--a1b2\r\nContent-type: text/xml\r\nContent-length: ${body.length}\r\n\r\n${body}\r\n`)
}

/** Observations are grouped by item, as in the documents of an agent. */
function document(first: number, size: number): string {
  const groups = list.flatMap((item, index) => {
    const sequences = Array.from({ length: size }, (_, i) => first + i).filter(sequence => sequence % items === index)
    if (sequences.length === 0) return []
    const elements = sequences.map(
      sequence =>
        `<${item.element} dataItemId="${item.id}" timestamp="${new Date(1_715_000_000_000 + sequence).toISOString()}" name="${item.name}" sequence="${sequence}"${item.category === 'CONDITION' ? ' nativeCode="17" type="SYSTEM"' : ''}>${item.value(sequence)}</${item.element}>`,
    )
    return [
      `<ComponentStream component="Axes" name="axes" componentId="a${index}"><${item.section}>${elements.join('\n')}</${item.section}></ComponentStream>`,
    ]
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<MTConnectStreams xmlns="urn:mtconnect.org:MTConnectStreams:2.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Header creationTime="2024-05-06T07:00:00.123Z" sender="agent" instanceId="1715000000" version="2.0.0.1" bufferSize="131072" firstSequence="1" lastSequence="${first + size - 1}" nextSequence="${first + size}"/><Streams><DeviceStream name="Mill" uuid="mill">${groups.join('\n')}</DeviceStream></Streams></MTConnectStreams>`
}
