import { assert } from 'chai'
import { readDocument, type StreamsDocument } from '../../../connect/mtconnect/document.ts'
import { SampleStream } from '../../../connect/mtconnect/sample-stream.ts'
import { readDevices } from '../../../ingest/shdr/devices.ts'
import { usedHeapMb } from '../../support/heap.ts'
import { machineId, time } from './documents.ts'

const documentMb = 4
const documents = 8
const uuid = '22222222-2222-4222-8222-222222222222'
/** The agent's documents have much more text than their values, here a comment. */
const padding = () => `<!--${'x'.repeat(documentMb << 20)}-->`

describe('Memory of a stream of an MTConnect agent', () => {
  it('The names, conditions and values that it keeps do not keep their documents', () => {
    const beforeMb = usedHeapMb()
    const stream = readStream()
    for (let number = 1; number <= documents; number++) stream.apply(valuesOf(number), 'sample')
    const mb = usedHeapMb() - beforeMb
    const items = stream.position()?.items ?? []
    assert.lengthOf(items.find(({ id }) => id === 'system-condition-0001')?.active ?? [], documents)
    assert.lengthOf(items.find(({ id }) => id === 'discrete-part-0001')?.recent ?? [], documents)
    assert.isAbove(items.length, documents, 'the unknown items')
    // The last document may still be in use.
    assert.isBelow(mb, 2 * documentMb)
  })
})

function readStream(): SampleStream {
  const items = `
    <DataItem id="system-condition-0001" category="CONDITION" type="SYSTEM_CONDITION"/>
    <DataItem id="discrete-part-0001" category="EVENT" type="PART_COUNT" discrete="true"/>`
  const device = `<Device name="Milling machine 1" uuid="${uuid}"><DataItems>${items}</DataItems></Device>`
  const devices = readDevices(`<MTConnectDevices>${padding()}<Devices>${device}</Devices></MTConnectDevices>`)
  const stream = new SampleStream({ sourceId: 'agent', machines: [{ source: uuid, machineId }], devices: [] }, null)
  stream.setDevices(devices)
  stream.apply(documentOf('', 1), 'current')
  return stream
}

function valuesOf(number: number): StreamsDocument {
  const names = (id: string) =>
    `dataItemId="${id}" timestamp="${time(number)}" sequence="${number * 3 - sequenceOf(id)}"`
  const code = `code-of-an-alarm-${number}`
  return documentOf(
    `<Condition><Fault ${names('system-condition-0001')} nativeCode="${code}" nativeSeverity="severity-${code}">Message of ${code}</Fault></Condition>
     <Events><PartCount ${names('discrete-part-0001')}>part of the order ${number}</PartCount>
     <Unknown ${names(`unknown-item-${number}`)}>value of an unknown item</Unknown></Events>`,
    number * 3 + 1,
  )
}

function sequenceOf(id: string): number {
  return ['unknown', 'discrete', 'system'].findIndex(start => id.startsWith(start))
}

function documentOf(content: string, next: number): StreamsDocument {
  const header = `<Header instanceId="17000000000001" creationTime="${time(0)}" firstSequence="1" nextSequence="${next}"/>`
  const read = readDocument(
    Buffer.from(
      `<MTConnectStreams>${padding()}${header}<Streams><DeviceStream name="Milling machine 1" uuid="${uuid}">${content}</DeviceStream></Streams></MTConnectStreams>`,
    ),
  )
  if (read.kind !== 'streams') throw new Error(`The document has the kind ${read.kind}`)
  return read
}
