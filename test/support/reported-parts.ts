import { expect } from 'chai'
import { dayMs } from '../../shared/time/units.ts'
import type { ChildService } from './child-service.ts'

/** Returns the good parts of all machines in the production report of yesterday to tomorrow. */
export async function readReportedParts({ call }: Pick<ChildService, 'call'>): Promise<number> {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const { status, body } = await call('POST', '/reports/production', {
    startDay: dayOf(Date.now() - dayMs),
    endDay: dayOf(Date.now() + dayMs),
    data: [{ metric: 'goodParts' }],
    groupBy: [{ group: 'machine' }],
  })
  expect(status).to.equal(200)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the form of the route's response
  return (body as { readonly aggregate: { readonly goodParts: number } }).aggregate.goodParts
}
