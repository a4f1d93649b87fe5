import { Random } from '../../demo/simulate/random.ts'

/** A task that runs after the steps with the given keys. */
export interface Step {
  readonly key: string
  readonly after: readonly string[]
  readonly run: () => Promise<unknown>
}

/** Runs all steps in an order determined by the seed, up to three concurrently. */
export async function inRandomOrder(steps: readonly Step[], seed: number): Promise<void> {
  const random = new Random(seed)
  const done = new Set<string>()
  const known = new Set(steps.map(({ key }) => key))
  const left = new Set(steps)
  while (left.size > 0) {
    const ready = [...left].filter(({ after }) => after.every(key => done.has(key) || !known.has(key)))
    if (ready.length === 0) throw new Error(`Steps wait for each other: ${[...left].map(({ key }) => key).join(', ')}`)
    const taken = Array.from(
      { length: random.integer(1, 4) },
      () => ready.splice(random.integer(0, ready.length), 1)[0],
    )
    await Promise.all(
      taken.map(async step => {
        if (!step) return
        left.delete(step)
        await step.run()
        done.add(step.key)
      }),
    )
  }
}
