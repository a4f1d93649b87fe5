import { expect } from 'chai'
import * as fc from 'fast-check'
import { recordsInRange, type Timed, answerPage } from '../../../api/routes/page.ts'
import { itemsOf } from '../../support/items-of.ts'
import { directRegistrar } from '../../support/registrar.ts'

interface Stretch {
  readonly id: string
  readonly machineId: string
  readonly from: string
  readonly to: string
}

const machineIds = [1, 2, 3].map(number => `00000000-0000-4000-8000-00000000000${number}`)
const lengthsMs = 4 * 60_000

function instant(minute: number): string {
  return new Date(Date.UTC(2026, 2, 2) + minute * 60_000).toISOString()
}

/** Intervals of up to four minutes on three machines, in order of their start. */
const arbitraryStretches = fc
  .array(fc.record({ machine: fc.nat(2), from: fc.nat(20), minutes: fc.nat(4) }), { maxLength: 30 })
  .map(list =>
    list
      .map(({ machine, from, minutes }, index): Stretch => {
        const id = String(index).padStart(2, '0')
        return { id, machineId: machineIds[machine] ?? '', from: instant(from), to: instant(from + minutes) }
      })
      .toSorted((a, b) => (a.from + a.id < b.from + b.id ? -1 : 1)),
  )

describe('records in a time range', () => {
  const registrar = directRegistrar('f'.repeat(64))
  const { records, company } = registrar
  const where = { records, companyId: company.id }
  before(async () => {
    for (const id of machineIds) await registrar.perform('machine.put', { id, name: id })
  })

  function timed(stretches: readonly Stretch[], isLasting: boolean): Timed<Stretch> {
    const instants: Timed<Stretch> = {
      of: machineId => stretches.filter(it => it.machineId === machineId),
      find: id => stretches.find(it => it.id === id) ?? null,
      at: ({ from }) => from,
    }
    if (!isLasting) return instants
    const lasting = {
      earliest: (_: string, at: string) => new Date(Date.parse(at) - lengthsMs).toISOString(),
      reaches: ({ to }: Stretch, at: string) => to > at,
    }
    return { ...instants, lasting }
  }

  it('Pages contain exactly the records at an instant in the range, or with a duration that overlaps it', () => {
    const minute = fc.option(fc.integer({ min: -2, max: 26 }), { nil: undefined })
    const machine = fc.constantFrom(undefined, ...machineIds, machineIds[0]?.toUpperCase(), 'unknown')
    const limit = fc.integer({ min: 1, max: 7 })
    fc.assert(
      fc.property(
        arbitraryStretches,
        fc.boolean(),
        minute,
        minute,
        machine,
        limit,
        (stretches, isLasting, ...asked) => {
          const [from, to, machineId, pageSize] = asked
          fc.pre(from === undefined || to === undefined || from < to)
          const range = {
            ...(from !== undefined && { start: instant(from) }),
            ...(to !== undefined && { end: instant(to) }),
          }
          const expected = stretches.filter(
            it =>
              (machineId === undefined || it.machineId === machineId.toLowerCase()) &&
              (range.end === undefined || it.from < range.end) &&
              (range.start === undefined || it.from >= range.start || (isLasting && it.to > range.start)),
          )
          const source = timed(stretches, isLasting)
          expect([
            ...recordsInRange(source, where, machineId === undefined ? undefined : [machineId], range),
          ]).to.deep.equal(expected)

          const paged: Stretch[] = []
          let query: { limit: number; after?: string } | null = { ...range, limit: pageSize }
          while (query) {
            let link = ''
            const call = { query, baseUrl: 'http://takt', setHeader: (_: string, value: string) => (link = value) }
            const answer = answerPage(
              recordsInRange(source, where, machineId === undefined ? undefined : [machineId], query),
              it => it,
              '/x',
              call,
            )
            const page = itemsOf(answer)
            expect(page.length).to.be.at.most(pageSize)
            paged.push(...page)
            const next = /^<http:\/\/takt\/x\?(.*)>; rel="next"$/.exec(link)?.[1]
            const after = next === undefined ? null : new URLSearchParams(next).get('after')
            query = after === null ? null : { ...range, limit: pageSize, after }
          }
          expect(paged).to.deep.equal(expected)
        },
      ),
      { numRuns: 300 },
    )
  })
})
