import { expect } from 'chai'
import * as fc from 'fast-check'
import { createAcceptor } from '../../../ingest/accept/acceptor.ts'
import { decodeLargeRecord } from '../../../ingest/decode/json.ts'
import { decodeRecord } from '../../../ingest/decode/record.ts'
import { knownMachine as machine } from '../decode/known-machine.ts'
import type { NewRecord } from '../../../log/log.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { defaultJsonBounds } from '../../../shared/json/bounds.ts'
import { asCompanyRef } from '../../../schema/refs.ts'

const { id: machineId } = machine
const find = (id: string) => (id === machineId ? machine : undefined)
const nowMs = Date.parse('2024-05-06T08:00:00Z')
const sound = { timestamp: '2024-05-06T07:59:59Z', key: 'execution', type: 'EXECUTION', value: 'ACTIVE' }
const bounds = { ...defaultJsonBounds, elements: 8 }

/** Sends a body to the acceptor; returns the response or the error, and the records. */
async function outcomeOf(body: Buffer, contentType: string, chunkBytes: number) {
  const records: unknown[] = []
  const append = async (topic: string, appended: readonly NewRecord[]) => {
    for (const { key, value } of appended) records.push([topic, key, value.toString()])
    return appended.map((_, offset) => ({ partition: 0, offset }))
  }
  const acceptor = createAcceptor({
    log: { append, partitionCount: async () => 1 },
    machines: { find },
    now: () => nowMs,
    bounds,
    chunkBytes,
  })
  try {
    return { answer: await acceptor.accept({ companyRef: asCompanyRef(1), body, contentType }), records }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unknown', records }
  }
}

const sample = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ machineId: fc.constantFrom(machineId, 'm'), value: fc.nat() }, { requiredKeys: [] })
      .map(own => Object.assign(own, sound)),
  },
  fc.constantFrom(5, 'EXECUTION', null, {}, [], [5, { samples: [1] }], { samples: { a: 1 } }, { samples: [] }),
)
const batch = fc
  .tuple(fc.array(sample, { maxLength: 6 }), fc.constantFrom(machineId, 7, 'm'))
  .chain(([samples, id]) =>
    fc.constantFrom<unknown>({ machineId: id, samples }, { samples, machineId: id }, { samples, at: { a: [1, 2] } }),
  )
const one = fc.oneof(sample, batch)
const body = fc.oneof(
  one.map(value => JSON.stringify(value)),
  fc.array(one, { maxLength: 5 }).map(values => JSON.stringify(values)),
  fc.array(one, { maxLength: 5 }).map(values => values.map(value => JSON.stringify(value)).join('\n')),
)
const damage = fc.option(fc.tuple(fc.nat(), fc.constantFrom('', ',', ']', '}', '{', '\n', '"')))

function damaged(text: string, change: readonly [number, string] | null): Buffer {
  if (change === null) return Buffer.from(text)
  const at = change[0] % (text.length + 1)
  return Buffer.from(text.slice(0, at) + change[1] + text.slice(at + 1))
}

describe('samples read in chunks', () => {
  it('A body read in chunks has the same outcome as a body read at once', () =>
    fc.assert(
      fc.asyncProperty(
        body,
        damage,
        fc.constantFrom('application/json', 'application/x-ndjson'),
        fc.integer({ min: 1, max: 150 }),
        async (text, change, type, chunkBytes) => {
          const bytes = damaged(text, change)
          expect(await outcomeOf(bytes, type, chunkBytes)).to.deep.equal(await outcomeOf(bytes, type, Infinity))
        },
      ),
      { numRuns: 3_000 },
    ))

  it('A record decoded in chunks has the same outcome as a record decoded at once', () =>
    fc.assert(
      fc.asyncProperty(body, damage, fc.integer({ min: 1, max: 150 }), async (text, change, chunkBytes) => {
        const [bytes, context] = [damaged(text, change), { machine: find, appendedAtMs: nowMs }]
        const chunks = { bytes: chunkBytes, slice: new TimeSlice() }
        const verdicts = ({ accepted, rejected }: ReturnType<typeof decodeRecord>) => ({
          accepted,
          rejected: rejected.map(({ index, reason, message }) => ({ index, reason, message })),
        })
        expect(verdicts(await decodeLargeRecord(bytes, context, chunks))).to.deep.equal(
          verdicts(decodeRecord(bytes, context)),
        )
      }),
      { numRuns: 3_000 },
    ))
})
