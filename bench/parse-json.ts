/** Time of parsing a 10 MB body of samples with limits, compared with `JSON.parse`: `node --import tsx bench/parse-json.ts` */
import { defaultJsonBounds } from '../shared/json/bounds.ts'
import { parseJson } from '../shared/json/parse-json.ts'
import { median } from './support/median.ts'

const bodyBytes = 10_000_000
const rounds = 25
const kinds = [
  { key: 'Xabs', type: 'POSITION', subtype: 'ACTUAL', category: 'SAMPLE' },
  { key: 'Srpm', type: 'ROTARY_VELOCITY', subtype: 'ACTUAL', category: 'SAMPLE' },
  { key: 'execution', type: 'EXECUTION', category: 'EVENT' },
  { key: 'message', type: 'MESSAGE', message: 'Werkzeugbruch an Spindel 1 – Tür "offen"', category: 'CONDITION' },
]
const bounds = { ...defaultJsonBounds, bytes: Infinity, elements: Infinity, values: Infinity }

const bodies = { 'samples alone': samplesAlone(), 'one batch': oneBatch() }
for (const [name, body] of Object.entries(bodies)) {
  const plainMs: number[] = []
  const boundedMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    plainMs.push(time(() => JSON.parse(body.toString())))
    boundedMs.push(time(() => parseJson(body, bounds)))
  }
  const [plain, bounded] = [median(plainMs), median(boundedMs)]
  const ratio = (bounded / plain).toFixed(2)
  console.log(`${name}: ${plain.toFixed(0)} ms, with bounds ${bounded.toFixed(0)} ms, ratio ${ratio}`)
}

function samplesAlone(): Buffer {
  const machineId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'
  return json(index => ({ machineId, ...sample(index) }), '[', ']')
}

function oneBatch(): Buffer {
  return json(sample, '{"machineId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","samples":[', ']}')
}

function json(make: (index: number) => object, start: string, end: string): Buffer {
  const texts: string[] = []
  for (let bytes = 0; bytes < bodyBytes; bytes += (texts.at(-1)?.length ?? 0) + 1)
    texts.push(JSON.stringify(make(texts.length)))
  return Buffer.from(`${start}${texts.join(',')}${end}`)
}

function sample(index: number): object {
  const timestamp = new Date(1_715_000_000_000 + index).toISOString()
  return { timestamp, value: String((index * 31) / 7), ...kinds[index % kinds.length] }
}

function time(work: () => unknown): number {
  const startMs = performance.now()
  work()
  return performance.now() - startMs
}
