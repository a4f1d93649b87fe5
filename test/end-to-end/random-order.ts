import { Random } from '../../demo/simulate/random.ts'

/** Something to do once others are done, which are named by their keys. */
export interface Step {
  readonly key: string
  readonly after: readonly string[]
  readonly run: () => Promise<unknown>
}

/** Does every step, in an order that the seed decides, up to three at a time. */
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
