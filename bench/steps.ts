/**
 * CPU of one item of long work, by the mechanism that divides the work into time slices: a loop that does not yield, generators
 * (`Steps`), and async functions with a `TimeSlice`. `node --import tsx bench/steps.ts [items = 200000] [rounds = 7]`
 */
import { runCooperatively, runSync, type Steps } from '../shared/async/steps.ts'
import { TimeSlice } from '../shared/async/time-slice.ts'

const [items = 200_000, rounds = 7] = process.argv.slice(2).map(Number)
const item = { machine: 17, key: 'execution', value: 'ACTIVE', atUs: 1_700_000_000_000_000 }

/** About a microsecond of work, as the writing of one row takes. */
const encode = (index: number): number => JSON.stringify({ ...item, index }).length

function* steps(): Steps<number> {
  let bytes = 0
  for (let index = 0; index < items; index++) {
    bytes += encode(index)
    yield
  }
  return bytes
}

function* step(index: number): Steps<number> {
  yield
  return encode(index)
}

function* nestedSteps(): Steps<number> {
  let bytes = 0
  for (let index = 0; index < items; index++) bytes += yield* step(index)
  return bytes
}

const mechanisms: Readonly<Record<string, () => number | Promise<number>>> = {
  'a loop': () => {
    let bytes = 0
    for (let index = 0; index < items; index++) bytes += encode(index)
    return bytes
  },
  'a generator, synchronously': () => runSync(steps()),
  'a generator, in time slices': () => runCooperatively(steps()),
  'a generator per item, in time slices': () => runCooperatively(nestedSteps()),
  'an async function': async () => {
    const slice = new TimeSlice()
    let bytes = 0
    for (let index = 0; index < items; index++) {
      bytes += encode(index)
      if (slice.isOver) await slice.next()
    }
    return bytes
  },
  'an async function per item': async () => {
    const slice = new TimeSlice()
    const encodeItem = async (index: number): Promise<number> => {
      if (slice.isOver) await slice.next()
      return encode(index)
    }
    let bytes = 0
    for (let index = 0; index < items; index++) bytes += await encodeItem(index)
    return bytes
  },
}

for (const [name, run] of Object.entries(mechanisms)) {
  const cpu: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    // The first round compiles the code.
    if (round > 0) cpu.push(((user + system) * 1000) / items)
  }
  const median = cpu.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN
  console.log(`${name.padEnd(38)} ${median.toFixed(0)} ns`)
}
